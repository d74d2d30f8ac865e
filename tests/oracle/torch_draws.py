#!/usr/bin/env python3
"""Make tests/vectors/torch again: torch's streams, raw numbers, tie orders, and the counts of seed 2718.

    torch_draws.py           answer every case anew and rewrite the files
    torch_draws.py --check   write nothing; exit 1 if a file would change

What is asked (rows, seeds, how many) is the files' own. Only `default` is made: what torch draws from 2.7 on. The answers
of other versions (`mkl_mcg31`, `default_debian_1.13.1`, the counts by version) are kept as recorded.
"""

import os
import string

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"

import numpy
import torch
import vectors

ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"  # a character per draw


def floats(digits):
    return torch.from_numpy(numpy.frombuffer(bytes.fromhex(digits), ">f4").astype("f4"))


def loop(p, n):
    return [torch.multinomial(p, 1).item() for _ in range(n)]


def replacement(p, n):
    return torch.multinomial(p, n, replacement=True).tolist()


def batch(p, n):
    return torch.multinomial(p.repeat(n, 1), 1).flatten().tolist()


def seeded(seed, draw, *arguments):
    torch.manual_seed(int(seed))
    return draw(*arguments)


def made_with(document):
    document["header"]["versions"]["default (2.15.0 PyPI wheel)"]["torch"] = torch.__version__


def streams(document):
    draws = {"loop_f32": loop, "replacement_f32": replacement, "batch200_f32": lambda p, n: batch(p, 200)[:n]}
    made_with(document)
    for case in document["cases"]:
        for seed, kinds in case["default"].items():
            for kind, ids in kinds.items():
                drawn = seeded(seed, draws[kind], floats(case["p"]), len(ids))
                kinds[kind] = "".join(ALPHABET[i] for i in drawn)


def words(n):
    """The generator's 32-bit words, the high one of each pair first."""
    pairs = torch.empty(n // 2, dtype=torch.int64).random_(-(2**63), None)
    return numpy.frombuffer(pairs.numpy().astype(">i8").tobytes(), ">u4").tolist()


def exponentials(n):
    return torch.empty(n).exponential_().numpy().astype(">f4").tobytes().hex()


def rng(document):
    made_with(document)
    for case in document["cases"]:
        answer = case["default"]
        answer["exponential_f32"] = seeded(case["seed"], exponentials, len(answer["exponential_f32"]) // 8)
        answer["mt19937_u32"] = seeded(case["seed"], words, len(answer["mt19937_u32"]))


def topk(document):
    made_with(document)
    for case in document["cases"]:
        x = floats(case["x"])
        orders = {
            "topk_indices": lambda: torch.topk(x, case["k"]).indices,
            "sort_ascending_indices": lambda: torch.sort(x).indices,
            "sort_descending_indices": lambda: torch.sort(x, descending=True).indices,
        }
        case.update({name: order().tolist() for name, order in orders.items() if name in case})


def seed2718(document):
    """[0, 1, 2, 3] at 0.8 and top-k 2: each way to keep two of four, and each way to draw from them."""
    rows = {
        "row of 4, masked -inf": ([-torch.inf, -torch.inf, 2, 3], [0, 1, 2, 3]),
        "row of 2, ascending": ([2, 3], [2, 3]),
        "row of 2, topk order": ([3, 2], [3, 2]),
    }
    draws = {
        "loop multinomial(p,1) x1000": loop,
        "multinomial(p,1000,replacement=True)": replacement,
        "multinomial(p.repeat(1000,1),1)": batch,
    }
    made_with(document)
    for name in document["default"]:
        kind, row, draw = name.split(" | ")
        logits, ids = rows[row]
        p = torch.softmax(torch.tensor(logits, dtype=getattr(torch, kind)) / 0.8, -1)
        drawn = [ids[i] for i in seeded(2718, draws[draw], p, 1000)]
        document["default"][name] = {str(i): drawn.count(i) for i in (2, 3)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    makers = {"streams": streams, "rng": rng, "topk": topk, "seed2718": seed2718}
    vectors.remake({f"torch/{name}": maker for name, maker in makers.items()}, __doc__)
