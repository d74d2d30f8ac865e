#!/usr/bin/env python3
"""Make tests/vectors/candle and rng/rust_stdrng.json again, by the small crate in the folder candle (needs cargo).

    candle_draws.py           answer every case anew and rewrite the files
    candle_draws.py --check   write nothing; exit 1 if a file would change

What is asked (rows, settings, seeds, how many) is the files' own. The crate is built in build/candle. GumbelSoftmax takes
its noise from the machine, not from the seed: its stream is kept as recorded. The sums are those of a machine with AVX2.
"""

import os
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import vectors

CRATE = vectors.FOLDER.parent / "oracle" / "candle"
BUILD = vectors.FOLDER.parents[1] / "build" / "candle"


def start():
    shutil.copytree(CRATE, BUILD, dirs_exist_ok=True)
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=BUILD, check=True)
    program = Path(os.environ.get("CARGO_TARGET_DIR", BUILD / "target")) / "release" / "answers"
    quiet = os.environ | {"RUST_BACKTRACE": "0"}
    return subprocess.Popen([program], env=quiet, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(*question):
    """How it ended (ok, error or panic), and the text of that."""
    crate.stdin.write("\t".join("-" if field is None else str(field) for field in question) + "\n")
    crate.stdin.flush()
    return crate.stdout.readline().rstrip("\n").split("\t")


def listed(*question, kind=int):
    end, text = ask(*question)
    if end != "ok":
        raise RuntimeError(f"{end}: {text}")
    return [kind(x) for x in text.split()]


def joined(values):
    return " ".join(map(str, values))


def row_of(document, case):
    path = case.get("logits_file") or document.get("logit_files", {}).get(case.get("v"))
    if path:
        return f"@{vectors.FOLDER / path}"
    return joined(document["vectors"][case["v"]] if "v" in case else case["logits"])


def stream(document, case, sampling, draws):
    return ask("stream", row_of(document, case), draws, case["seed"], *map(sampling.get, ("type", "temperature", "k", "p")))


def probabilities(document, case):
    texts = listed("probs", row_of(document, case), case["temperature"], kind=str)
    case["crc32"] = zlib.crc32(struct.pack(f"<{len(texts)}f", *map(float, texts)))
    if "values" in case:
        case["values"] = [vectors.number(x) for x in texts]


def small(document):
    """Rows and settings by name: probabilities, the candidates of top-k in their order, streams."""
    with_compiler(document)
    for case in document["probs"]:
        probabilities(document, case)
    for case in document["topk_order"]:
        case["ids"] = listed("order", row_of(document, case), case["temperature"], case["k"])
    for case in document["streams"]:
        end, text = stream(document, case, document["settings"][case["s"]], len(case["ids"]))
        case["ids"] = [int(x) for x in text.split()]


def edge(document):
    with_compiler(document)
    for case in document["edge"]:
        if "note" not in case:
            ended(case, *stream(document, case, case["sampling"], case["draws"]))


def ended(case, end, text):
    """With ids, or with a text where candle returns an error or panics."""
    for key in ("ids", "error", "panic"):
        if key in case and key != {"ok": "ids"}.get(end, end):
            del case[key]
    case.update({"ids": [int(x) for x in text.split()]} if end == "ok" else {end: text})


def penalised(document, case, penalty, number):
    pairs = listed("penalty", row_of(document, case), penalty, joined(case["context"]), kind=str)
    case["changed"] = [[int(i), number(x)] for i, x in zip(pairs[::2], pairs[1::2])]


def repeat_penalty(document):
    with_compiler(document)
    for case in document["repeat_penalty"]:
        penalised(document, case, case["penalty"], vectors.number)


def widened(decimal):
    """A float as the decimals of the double that equals it: so this file has them."""
    return struct.unpack("<f", struct.pack("<f", float(decimal)))[0]


def streams_a(document):
    document["versions"]["rustc"] = compiler()
    for case in document["cases"]:
        if "repeat_penalty" in case:
            penalised(document, case, case["repeat_penalty"], widened)
        else:
            ended(case, *stream(document, case, case["sampling"], case["draws"]))


def rust_stdrng(document):
    weights = "weighted_index_f32[0,.5,.3,0,.2]"
    for case in document["seeds"]:
        case["u32"] = listed("words", case["seed"], len(case["u32"]))
        case[weights] = listed("indices", case["seed"], len(case[weights]), "0 .5 .3 0 .2")


def compiler():
    return subprocess.check_output(["rustc", "--version"], text=True).split()[1]


def with_compiler(document):
    document["meta"]["source"] = re.sub(r"rustc [\d.]+", f"rustc {compiler()}", document["meta"]["source"])


if __name__ == "__main__":
    crate = start()
    makers = {"small": small, "topk-adversarial": small, "real-c": small, "edge": edge, "streams-a": streams_a}
    makers = {f"candle/{name}": maker for name, maker in (makers | {"repeat-penalty": repeat_penalty}).items()}
    vectors.remake(makers | {"rng/rust_stdrng": rust_stdrng}, __doc__)
