#!/usr/bin/env python3
"""Recompute tests/vectors/softmax64.json from the inputs that stand in it, in 60-digit arithmetic.

    softmax64.py           rewrite the file; with nothing changed, byte for byte the same
    softmax64.py --check   write nothing; exit 1 if the file would change

Inputs are kept: logits, tau, k and the u of each pick; the x of exp, log and log1p_neg. Everything else is made anew.
"""

import json
import sys
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.dps = 60
PATH = Path(__file__).resolve().parents[1] / "vectors" / "softmax64.json"


def exact(text):
    return mpf(float.fromhex(text))


def ulp(x):
    """Exponent of the distance between doubles at x, subnormal ones included."""
    return max(int(mp.frexp(abs(x))[1]) - 53, -1074) if x else -1074


def rounded(x):
    """The nearest double of x, rounded once even where it is subnormal."""
    e = ulp(x)
    return float(mp.ldexp(mp.nint(mp.ldexp(x, -e)), e))


def text(x):
    return rounded(x).hex()


def softmax(scores):
    weights = [mp.exp(s) for s in scores]
    total = sum(weights)
    return [w / total for w in weights]


def lab_case(case):
    logits, tau = [exact(z) for z in case["logits"]], exact(case["tau"])
    ids = range(len(logits))
    p = softmax([(z - max(logits)) / tau for z in logits])
    kept = sorted(sorted(ids, key=lambda i: (-logits[i], i))[: case["k"]])
    mass = sum(p[i] for i in kept)
    q = [p[i] / mass for i in kept]
    ends = [mpf(0)]
    for share in q:
        ends.append(ends[-1] + share)

    def chosen(u):
        inside = [i for i, end in zip(kept, ends[1:]) if exact(u) < end]
        return inside[0] if inside else kept[-1]

    return {
        "logits": case["logits"],
        "tau": case["tau"],
        "k": case["k"],
        "p": [text(x) for x in p],
        "kept": kept,
        "q": [text(x) for x in q],
        "intervals": [[text(lo), text(hi)] for lo, hi in zip(ends, ends[1:])],
        "picks": [[u, chosen(u)] for u, _ in case["picks"]],
        "entropy_nats": text(-sum(x * mp.log(x) for x in p if x)),
    }


def point(function, x):
    y = function(exact(x))
    nearest = rounded(y)
    return [x, nearest.hex(), float(mp.nstr(mp.ldexp(y - mpf(nearest), -ulp(mpf(nearest))), 6))]


def remake(old):
    functions = {"exp": mp.exp, "log1p_neg": lambda u: -mp.log(1 - u), "log": mp.log}
    return {
        "_comment": old["_comment"],
        "versions": {"mpmath": mpmath.__version__},
        "cases": [lab_case(case) for case in old["cases"]],
        **{name: [point(f, x) for x, *_ in old[name]] for name, f in functions.items()},
    }


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    before = PATH.read_text()
    after = json.dumps(remake(json.loads(before)), separators=(",", ":"), ensure_ascii=False)
    if before == after:
        print("softmax64.json: unchanged")
    elif sys.argv[1:]:
        sys.exit("softmax64.json: differs")
    else:
        PATH.write_text(after)
        print("softmax64.json: rewritten")


if __name__ == "__main__":
    main()
