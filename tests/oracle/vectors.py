"""The files of tests/vectors, for the scripts beside this one: how they are laid out, rewritten and checked."""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "vectors"


def text(document):
    """A line for every entry of the first two levels, so that a difference can be read."""

    def inner(value):
        return json.dumps(value, separators=(",", ":"))

    def outer(value):
        if isinstance(value, list):
            return "[\n" + ",\n".join(map(inner, value)) + "\n]"
        if isinstance(value, dict):
            return "{\n" + ",\n".join(f"{inner(key)}:{inner(each)}" for key, each in value.items()) + "\n}"
        return inner(value)

    return "{\n" + ",\n".join(f"{inner(key)}:{outer(value)}" for key, value in document.items()) + "\n}\n"


def number(decimal):
    """A shortest decimal as the files have it: below a million whole numbers without a point; what JSON lacks as words."""
    decimal = decimal.lower()
    if decimal.strip("-") in ("inf", "nan"):
        return decimal.replace("-nan", "nan")
    value = float(decimal)
    if value.is_integer() and abs(value) < 1e6:
        return "-0" if decimal.startswith("-0") else int(value)
    return value


def remake(makers, manual):
    """Rewrites each file by its maker, which answers a document's questions in place; with --check only compares."""
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(manual)
    same = True
    for name, maker in makers.items():
        path = FOLDER / f"{name}.json"
        old = path.read_text()
        document = json.loads(old)
        maker(document)
        new = text(document)
        if new != old and not check:
            path.write_text(new)
        print(f"{name}.json: {'unchanged' if new == old else 'differs' if check else 'rewritten'}", flush=True)
        same = same and new == old
    sys.exit(1 if check and not same else 0)
