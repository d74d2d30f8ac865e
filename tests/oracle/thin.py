#!/usr/bin/env python3
"""Choose what is committed of a larger folder of answers: thin.py FROM [FOLDER...] rewrites those folders of tests/vectors.

FROM has the layout of tests/vectors. Every edge stays, and of streams and chains a few of each kind, so that every row,
setting and seed still occurs. Nothing is answered anew, except check sums of arrays that are cut: the scripts beside this
one do that. Rows of real logits lie beside FROM and are not copied.
"""

import json
import struct
import sys
import zlib
from pathlib import Path

import vectors


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(vectors.text(data))


def one_of_each(streams, kind, draws):
    """Of the streams of one kind the first, the next kind's second, and so on, so that seeds take turns; cut short."""
    kinds = {}
    for stream in streams:
        kinds.setdefault(kind(stream), []).append(stream)
    return [{**group[i % len(group)], "ids": group[i % len(group)]["ids"][:draws]} for i, group in enumerate(kinds.values())]


def candle(source, target):
    small, adversarial, real = (json.loads((source / f"{name}.json").read_text()) for name in ("small", "topk-adversarial", "real-c"))
    for data, draws in ((small, 60), (adversarial, 30), (real, 30)):
        data["streams"] = one_of_each(data["streams"], lambda stream: (stream["v"], stream["s"]), draws)
    rows = [name for name, row in adversarial["vectors"].items() if len(row) <= 1000]
    adversarial["vectors"] = {name: adversarial["vectors"][name] for name in rows}
    for key in ("probs", "topk_order", "streams"):
        adversarial[key] = [each for each in adversarial[key] if each["v"] in rows]
    for data, most in ((small, 1000), (adversarial, 100)):
        data["probs"] = [each for each in data["probs"] if len(data["vectors"][each["v"]]) <= most and (most == 100 or each["temperature"] != 1.3)]
    cases = json.loads((source / "streams-a.json").read_text())
    streams = [case for case in cases["cases"] if "ids" in case and case["id"] != "edge"]
    rest = [case for case in cases["cases"] if case not in streams]
    thinned = one_of_each(streams, lambda case: (case["id"], case.get("logits_file"), case["sampling"]["type"]), 60)
    cases["cases"] = rest + [{**case, "draws": len(case["ids"])} for case in thinned]
    for name, data in (("small", small), ("topk-adversarial", adversarial), ("real-c", real), ("streams-a", cases)):
        write(target / f"{name}.json", data)
    for name in ("edge", "repeat-penalty"):
        write(target / f"{name}.json", json.loads((source / f"{name}.json").read_text()))


def torch(source, target):
    """Of every row one seed in turn and the first draws; the tie orders of small rows, and of some that are large enough for
    either way of topk; what is not in float goes."""
    streams, orders, numbers = (json.loads((source / f"{name}.json").read_text()) for name in ("streams", "topk", "rng"))
    streams["cases"] = [each | {variant: one_seed(each[variant], i) for variant in ("default", "mkl_mcg31")} for i, each in enumerate(streams["cases"])]
    orders["cases"] = [each for i, each in enumerate(orders["cases"]) if each["n"] <= 64 and i % 2 == 0 or 64 < each["n"] <= 700]
    for case in numbers["cases"]:
        case["default"] = {key: case["default"][key] for key in ("exponential_f32", "mt19937_u32")}
        case["mkl_mcg31"] = {"exponential_f32": case["mkl_mcg31"]["exponential_f32"]}
    record = json.loads((source / "seed2718.json").read_text())
    for name, data in (("streams", streams), ("topk", orders), ("rng", numbers), ("seed2718", record)):
        write(target / f"{name}.json", data)


def one_seed(seeds, turn):
    seed = list(seeds)[turn % len(seeds)]
    return {seed: {key: ids[:60] for key, ids in seeds[seed].items() if key in ("loop_f32", "replacement_f32", "batch200_f32")}}


def transformers(source, target):
    """What concerns sampling: all refusals; of the other processors only the named spot checks."""
    errors, masks = (json.loads((source / f"{name}.json").read_text()) for name in ("errors", "masks"))
    del errors["classes_in_logits_process"]
    masks["cases"] = [case for case in masks["cases"] if case["what"] == "spot"]
    for name, data in (("errors", errors), ("masks", masks)):
        write(target / f"{name}.json", data)


def rng(source, target):
    """Small as they are."""
    for name in ("mt19937", "rust_stdrng"):
        write(target / f"{name}.json", json.loads((source / f"{name}.json").read_text()))


def every_third(cases, row_of):
    """Of each pair of a configuration and a row about every third, so that all configurations and all rows stay."""
    configurations, rows = [list(dict.fromkeys(map(key, cases))) for key in (lambda case: case["cfg"], row_of)]
    return [case for case in cases if (configurations.index(case["cfg"]) + rows.index(row_of(case))) % 3 == 0]


SHOWN = 24  # entries of an array that stay; the check sums stand for the others


def cut_to_shown(case):
    if case["size"] <= SHOWN or "ids" not in case:
        return case
    cut = dict(case)
    if not case.get("truncated"):
        floats = [float(x) for x in case["logits"]]
        cut["truncated"] = True
        cut["ids_crc32"] = zlib.crc32(struct.pack(f"<{case['size']}i", *case["ids"]))
        cut["logits_crc32"] = zlib.crc32(struct.pack(f"<{case['size']}f", *floats))
    return cut | {key: cut[key][:SHOWN] for key in ("ids", "logits", "p", "p_softmax") if key in cut}


def one_seed_a_pair(streams, draws):
    """One seed for each pair of a configuration and a row, another from pair to pair; the first draws only."""
    pairs = list(dict.fromkeys((case["cfg"], case["v"]) for case in streams))
    kept = []
    for i, pair in enumerate(pairs):
        seeds = [case for case in streams if (case["cfg"], case["v"]) == pair]
        case = seeds[i % len(seeds)]
        kept.append(case | {key: case[key][:draws] for key in ("ids", "sizes") if key in case})
    return kept


def llama(source, target):
    read = {name: json.loads((source / f"{name}.json").read_text()) for name in ("small", "edge", "real-c", "dry-penalties")}
    row_of = lambda case: case["v"]  # noqa: E731
    few = lambda case: case["size"] <= 8 and case.get("v") in ("tie_mid", "mask3", "n5", "ulp", "zeros_signed")  # noqa: E731
    small, real, repeats = read["small"], read["real-c"], read["dry-penalties"]
    third = every_third(small["apply"], row_of)
    small["apply"] = [cut_to_shown(case) for case in small["apply"] if few(case) or case in third]
    small["streams"] = one_seed_a_pair(small["streams"], 24)
    real["apply"] = [cut_to_shown(case) for case in every_third(real["apply"], row_of)]
    real["streams"] = every_third(one_seed_a_pair(real["streams"], 10), row_of)
    repeats["apply"] = repeats["apply"][::3] + [case for case in repeats["apply"] if case["spec"][0][4] == -1][:2]
    for name, data in read.items():
        write(target / f"{name}.json", data)


FOLDERS = {"candle": candle, "torch": torch, "transformers": transformers, "rng": rng, "llama.cpp": llama}

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for folder in sys.argv[2:] or FOLDERS:
        FOLDERS[folder](Path(sys.argv[1]) / folder, vectors.FOLDER / folder)
