#!/usr/bin/env python3
"""Thins what the real engines answered to what is committed: thin.py FROM TO [FOLDER...]. Every edge stays, and of streams
a few of each kind, so that every row, setting and seed still occurs. Rows of real logits lie beside FROM and are not
copied."""
import json
import shutil
import sys
from pathlib import Path


def write(path, data):
    """A line for every entry of the first two levels, so that a difference can be read."""
    def inner(value):
        return json.dumps(value, separators=(",", ":"))

    def outer(value):
        if isinstance(value, list):
            return "[\n" + ",\n".join(inner(each) for each in value) + "\n]"
        if isinstance(value, dict):
            return "{\n" + ",\n".join(f"{inner(key)}:{inner(each)}" for key, each in value.items()) + "\n}"
        return inner(value)

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(f"{inner(key)}:{outer(value)}" for key, value in data.items()) + "\n}\n")


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
        shutil.copyfile(source / f"{name}.json", target / f"{name}.json")


def torch(source, target):
    """Of every row one seed in turn and the first draws; the tie orders of small rows, and of some that are large enough for
    either way of topk; what is not in float goes."""
    streams, orders, numbers = (json.loads((source / f"{name}.json").read_text()) for name in ("streams", "topk", "rng"))
    streams["cases"] = [each | {variant: one_seed(each[variant], i) for variant in ("default", "mkl_mcg31")} for i, each in enumerate(streams["cases"])]
    orders["cases"] = [each for i, each in enumerate(orders["cases"]) if each["n"] <= 64 and i % 2 == 0 or 64 < each["n"] <= 700]
    for case in numbers["cases"]:
        case["default"] = {key: case["default"][key] for key in ("exponential_f32", "mt19937_u32")}
        case["mkl_mcg31"] = {"exponential_f32": case["mkl_mcg31"]["exponential_f32"]}
    for name, data in (("streams", streams), ("topk", orders), ("rng", numbers)):
        write(target / f"{name}.json", data)
    shutil.copyfile(source / "seed2718.json", target / "seed2718.json")


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
    target.mkdir(parents=True, exist_ok=True)
    for name in ("mt19937", "rust_stdrng"):
        shutil.copyfile(source / f"{name}.json", target / f"{name}.json")


FOLDERS = {"candle": candle, "torch": torch, "transformers": transformers, "rng": rng}

if __name__ == "__main__":
    root, out = Path(sys.argv[1]), Path(sys.argv[2])
    for folder in sys.argv[3:] or FOLDERS:
        FOLDERS[folder](root / folder, out / folder)
