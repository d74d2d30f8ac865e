#!/usr/bin/env python3
"""Thin a full folder of vectors down to what is committed in tests/vectors: every kind stays, with fewer cases of each.

    thin_llama.py FROM           rewrite the files that are made here
    thin_llama.py FROM --check   write nothing; exit 1 if a file would change

FROM has the layout of tests/vectors. Nothing is computed anew, except check sums of arrays that are cut.
"""

import json
import struct
import sys
import zlib
from pathlib import Path

TO = Path(__file__).resolve().parents[1] / "vectors"


def dump(document):
    """Lists of cases with one case a line."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in value)
            parts.append(f"{json.dumps(key)}:[\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def every_third(cases, row_of):
    """Of each pair of a configuration and a row about every third, so that all configurations and all rows stay."""
    configurations, rows = [list(dict.fromkeys(map(key, cases))) for key in (lambda case: case["cfg"], row_of)]
    return [case for case in cases if (configurations.index(case["cfg"]) + rows.index(row_of(case))) % 3 == 0]


# ---- llama.cpp ---------------------------------------------------------------------------------------------------

LLAMA_SHOWN = 24  # entries of an array that stay; the check sums stand for the others


def llama_cut(case):
    if case["size"] <= LLAMA_SHOWN or "ids" not in case:
        return case
    cut = dict(case)
    if not case.get("truncated"):
        floats = [float(x) for x in case["logits"]]
        cut["truncated"] = True
        cut["ids_crc32"] = zlib.crc32(struct.pack(f"<{case['size']}i", *case["ids"]))
        cut["logits_crc32"] = zlib.crc32(struct.pack(f"<{case['size']}f", *floats))
    return cut | {key: cut[key][:LLAMA_SHOWN] for key in ("ids", "logits", "p", "p_softmax") if key in cut}


def llama_streams(streams, draws):
    """One seed for each pair of a configuration and a row, another from pair to pair; the first draws only."""
    pairs = list(dict.fromkeys((case["cfg"], case["v"]) for case in streams))
    kept = []
    for i, pair in enumerate(pairs):
        seeds = [case for case in streams if (case["cfg"], case["v"]) == pair]
        case = seeds[i % len(seeds)]
        kept.append(case | {key: case[key][:draws] for key in ("ids", "sizes") if key in case})
    return kept


def llama(source):
    read = {name: json.loads((source / f"llama.cpp/{name}.json").read_text()) for name in ("small", "edge", "real-c", "dry-penalties")}
    row_of = lambda case: case["v"]  # noqa: E731
    few = lambda case: case["size"] <= 8 and case.get("v") in ("tie_mid", "mask3", "n5", "ulp", "zeros_signed")  # noqa: E731
    small, real, repeats = read["small"], read["real-c"], read["dry-penalties"]
    third = every_third(small["apply"], row_of)
    small["apply"] = [llama_cut(case) for case in small["apply"] if few(case) or case in third]
    small["streams"] = llama_streams(small["streams"], 24)
    real["apply"] = [llama_cut(case) for case in every_third(real["apply"], row_of)]
    real["streams"] = every_third(llama_streams(real["streams"], 10), row_of)
    repeats["apply"] = repeats["apply"][::3] + [case for case in repeats["apply"] if case["spec"][0][4] == -1][:2]
    return {f"llama.cpp/{name}.json": document for name, document in read.items()}


# ------------------------------------------------------------------------------------------------------------------

ENGINES = [llama]


def main():
    paths = [Path(arg) for arg in sys.argv[1:] if arg != "--check"]
    if len(paths) != 1:
        sys.exit("thin_llama.py: say which folder of vectors to thin")
    changed = []
    for engine in ENGINES:
        for name, document in engine(paths[0]).items():
            text, path = dump(document), TO / name
            if path.exists() and path.read_text() == text:
                continue
            changed.append(name)
            if "--check" not in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    print("changed: " + (" ".join(changed) or "nothing"))
    if changed and "--check" in sys.argv:
        sys.exit(1)


main()
