#!/usr/bin/env python3
"""Make tests/vectors/rounding.json: doubles and what they are in float16 and bfloat16, ties to even.

    rounding.py           rewrite the file
    rounding.py --check   write nothing; exit 1 if the file would change

A case is "bits of the double : bits of the short format", hexadecimal. The answer is computed in exact rational
arithmetic; numpy (float16) and ml_dtypes (bfloat16) must give the same. ml_dtypes rounds a double to float32 first, so
only its answers for float32 numbers count.
"""

import json
import random
import struct
import sys
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy

PATH = Path(__file__).resolve().parents[1] / "vectors" / "rounding.json"
FORMATS = {"float16": (5, 10), "bfloat16": (8, 7)}  # bits of exponent and of mantissa
RANDOM = 500


def double_bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def exact_of(bits, exponent, mantissa):
    """The value of a non-negative finite short number; the pattern of infinity counts as the next power of two."""
    e, m = bits >> mantissa, bits & ((1 << mantissa) - 1)
    low = 2 - (1 << (exponent - 1)) - mantissa
    return Fraction(m) * Fraction(2) ** low if e == 0 else Fraction(m + (1 << mantissa)) * Fraction(2) ** (low + e - 1)


def nearest(x, exponent, mantissa):
    """The bits of the short number nearest to x, ties to even: among neighbours, found by bisection."""
    sign = double_bits(x) >> 63 << 15
    infinity = ((1 << exponent) - 1) << mantissa
    size = abs(x)
    if size == float("inf") or Fraction(size) >= exact_of(infinity, exponent, mantissa):
        return sign | infinity
    size, low, high = Fraction(size), 0, infinity
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exact_of(middle, exponent, mantissa) <= size else (low, middle)
    below, above = size - exact_of(low, exponent, mantissa), exact_of(high, exponent, mantissa) - size
    return sign | (low if below < above or (below == above and low % 2 == 0) else high)


def points(exponent, mantissa, rng):
    """Edges of the format, ties and their neighbours, floats of all magnitudes."""
    infinity = ((1 << exponent) - 1) << mantissa
    one = ((1 << (exponent - 1)) - 1) << mantissa
    edges = [0, 1, 2, 3, one - 1, one, one + 1, infinity - 2, infinity - 1]
    edges += [(1 << mantissa) + d for d in (-2, -1, 0, 1)]
    edges += [e << mantissa for e in range(2, (1 << exponent) - 1, 1 if exponent < 8 else 8)]
    edges += [rng.randrange(infinity) for _ in range(60)]
    for bits in edges:
        here, there = exact_of(bits, exponent, mantissa), exact_of(bits + 1, exponent, mantissa)
        middle = double_bits(float((here + there) / 2))
        for b in (double_bits(float(here)), middle - 1, middle, middle + 1):
            yield from (double_of(b), -double_of(b))
    for x in (float("inf"), sys.float_info.max, 5e-324, sys.float_info.min, 1e-46, 1e39):
        yield from (x, -x)
    top = exact_of(infinity, exponent, mantissa)
    for _ in range(RANDOM):
        yield float(numpy.float32(rng.gauss(0, 30)))
        yield rng.uniform(-100, 100)
        size = 2.0 ** (rng.uniform(-30, 18) if exponent < 8 else rng.uniform(-140, 128))
        yield rng.choice((-1, 1)) * float(numpy.float32(min(size, float(top))))


def oracle(name, x):
    if name == "float16":
        return int(numpy.float64(x).astype(numpy.float16).view(numpy.uint16))
    return int(numpy.float32(x).astype(ml_dtypes.bfloat16).view(numpy.uint16)) if float(numpy.float32(x)) == x else None


def cases(name):
    rng = random.Random(f"rounding {name}")
    seen = {}
    for x in points(*FORMATS[name], rng):
        seen[double_bits(x)] = x
    for bits, x in seen.items():
        got, said = nearest(x, *FORMATS[name]), oracle(name, x)
        if said not in (None, got):
            raise SystemExit(f"{x!r} to {name}: exact arithmetic gives {got:04x}, the package {said:04x}")
        yield f"{bits:016x}:{got:04x}"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    numpy.seterr(over="ignore")
    made = {
        "_comment": "truth; made by tests/oracle/rounding.py. Bits of a double : bits of the nearest number of the format",
        "versions": {"numpy": numpy.__version__, "ml_dtypes": ml_dtypes.__version__},
        **{name: list(cases(name)) for name in FORMATS},
    }
    text = json.dumps(made, separators=(",", ":")) + "\n"
    if PATH.exists() and PATH.read_text() == text:
        print("rounding.json: unchanged")
    elif sys.argv[1:]:
        sys.exit("rounding.json: differs")
    else:
        PATH.write_text(text)
        print(f"rounding.json: rewritten, {len(text)} bytes")


if __name__ == "__main__":
    main()
