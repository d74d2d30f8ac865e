"""The vocabulary of SmolLM2 as text, one piece a line: vectors/logits/pieces.txt. Run as `pieces.py VOCAB.json`, where
VOCAB.json holds the bytes of each piece in hex, in the order of ids, as {"pieces": [...]}.

A backslash, a line feed, a carriage return and a tab are written \\\\, \\n, \\r, \\t; bytes that are no character by themselves
and control characters \\xNN. With --check nothing is written and a difference ends in status 1."""

import json
import sys
from pathlib import Path

FILE = Path(__file__).parent.parent / "vectors" / "logits" / "pieces.txt"
NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def written(piece):
    text = piece.decode("utf-8", errors="surrogateescape")
    return "".join(NAMED.get(char) or (f"\\x{ord(char) & 255:02X}" if "\udc80" <= char <= "\udcff" or ord(char) < 32 or ord(char) == 127 else char) for char in text)


def main():
    vocabulary = next(argument for argument in sys.argv[1:] if argument != "--check")
    lines = [written(bytes.fromhex(piece)) for piece in json.loads(Path(vocabulary).read_text())["pieces"]]
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv:
        sys.exit(FILE.read_bytes() != text.encode())
    FILE.write_bytes(text.encode())


main()
