#!/usr/bin/env python3
"""Measure the core against 50-digit arithmetic and keep the table in docs/numerics.md.

    accuracy.py           measure (about five minutes) and rewrite the table between the marks
    accuracy.py --check   write nothing; exit 1 if the table would change

The points are drawn from a fixed seed and the core gives the same bits on every machine, so the table is reproducible.
"""

import collections
import ctypes
import itertools
import math
import random
import sys
import tempfile

import numpy
import rows
from core import ROOT, LabOptions, LabResult, address, done, load
from mpmath import mp, mpf

mp.dps = 50
PAGE = ROOT / "docs" / "numerics.md"
BEGIN = "<!-- Made by tests/oracle/accuracy.py: begin. -->\n"
END = "<!-- Made by tests/oracle/accuracy.py: end. -->\n"
POINTS = 20000


def ulps(got, exact, bits=53):
    """Error in units of the distance between doubles, or numbers of as many bits, at the exact value."""
    distance = mpf(2) ** max(int(mp.frexp(exact)[1]) - bits, -1074)
    return float(abs(mpf(got) - exact) / distance)


def row(what, where, errors, unit):
    return f"| {what} | {where} | {max(errors):.5g} | {sum(errors) / len(errors):.2g} | {len(errors)} | {unit} |\n"


def exponential_of_rows(core, rng):
    points = numpy.array([rng.uniform(-87.33, 0) for _ in range(POINTS)], numpy.float32)
    powers = points.copy()
    core.weigh(address(powers), POINTS)
    errors = [ulps(got, mp.exp(mpf(x)), 24) for got, x in zip(powers.tolist(), points.tolist())]
    yield row("exp of floats, in rows", "[-87.33, 0]", errors, "ulp of float")


def logarithm_of_rows(core, rng):
    points = numpy.array([math.ldexp(rng.uniform(1, 2), rng.randrange(-149, 0)) for _ in range(POINTS)], numpy.float32).astype(float)
    points[: POINTS // 2] = numpy.array([rng.uniform(0.5, 1) for _ in range(POINTS // 2)], numpy.float32)
    points[points == 1] = 0.5  # its logarithm is 0
    found = points.copy()
    core.logs(address(found), POINTS)
    errors = [ulps(got, mp.log(mpf(x))) for got, x in zip(found.tolist(), points.tolist())]
    yield row("log of floats, in distances", "2^-149 to 1, half of them above 0.5", errors, "ulp")


def functions(core, rng):
    def uniform(lo, hi):
        return lambda: rng.uniform(lo, hi)

    def any_magnitude(lo, hi, sign=1.0):
        return lambda: sign * math.ldexp(rng.uniform(1, 2), rng.randrange(lo, hi))

    log1p = mp.log1p
    for name, exact, where, draw in [
        ("exp", mp.exp, "[-708.3, 709.7]", uniform(-708.3, 709.7)),
        ("exp", mp.exp, "[-1, 1]", uniform(-1, 1)),
        ("exp", mp.exp, "[-745.1, -708.4], subnormal results", uniform(-745.1, -708.4)),
        ("log", mp.log, "all magnitudes", any_magnitude(-1074, 1024)),
        ("log", mp.log, "[0.5, 2]", uniform(0.5, 2)),
        ("log", mp.log, "1 ± 2^-10", uniform(1 - 2**-10, 1 + 2**-10)),
        ("log1p", log1p, "(-1, 0], minus a uniform number", lambda: -rng.random()),
        ("log1p", log1p, "positive, all magnitudes", any_magnitude(-1022, 1024)),
        ("log1p", log1p, "negative, 2^-60 to 2^-1", any_magnitude(-60, -1, -1.0)),
    ]:
        function = getattr(core, f"smp_{name}")
        points = [draw() for _ in range(POINTS)]
        yield row(name, where, [ulps(function(x), exact(mpf(x))) for x in points], "ulp")


def lab(core, rng):
    """Random rows of up to 64 logits; k is half the row, so that the kept share by rank order of distinct values."""
    shares, ends, entropies = [], [], []
    result = LabResult()
    for _ in range(2000):
        n = rng.randint(1, 64)
        tau = math.ldexp(rng.uniform(1, 2), rng.randrange(-8, 8))
        logits = [rng.gauss(0, 8) for _ in range(n)]
        k = (n + 1) // 2
        options = LabOptions(tau, 0.5, k, 0, 0)
        done(core.smp_lab_run((ctypes.c_double * n)(*logits), n, ctypes.byref(options), ctypes.byref(result), None))
        top = max(logits)
        weights = [mp.exp((mpf(z) - mpf(top)) / mpf(tau)) for z in logits]
        total = sum(weights)
        kept = sorted(sorted(range(n), key=lambda i: -logits[i])[:k])
        kept_total, before = sum(weights[i] for i in kept), mpf(0)
        shares += [ulps(result.p[i], weights[i] / total) for i in range(n)]
        for i in kept:
            shares.append(ulps(result.q[i], weights[i] / kept_total))
            ends.append(float(abs(mpf(result.lo[i]) - before / kept_total)))
            before += weights[i]
            ends.append(float(abs(mpf(result.hi[i]) - before / kept_total)))
        entropy = -sum(w / total * mp.log(w / total) for w in weights)
        if entropy > mpf(10) ** -30:  # below, the reference itself loses digits
            entropies.append(float(abs(mpf(result.entropy) / entropy - 1)))
    yield row("probabilities p and q", "2000 random rows of 1 to 64 logits", shares, "ulp")
    yield row("interval ends", "the same rows", ends, "absolute")
    yield row("entropy", "the same rows", entropies, "relative")


def rows_and_chains(core, rng):
    errors = collections.defaultdict(list)
    rows.measure(core, rng, errors)
    for (what, where, unit), found in errors.items():
        yield row(what, where, found, unit)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    rng = random.Random(2718)
    with tempfile.TemporaryDirectory() as folder:
        core = load(folder)
        table = "| what | where | max | mean | points | error |\n|---|---|---|---|---|---|\n"
        parts = functions, lab, exponential_of_rows, rows_and_chains, logarithm_of_rows
        for line in itertools.chain.from_iterable(part(core, rng) for part in parts):
            table += line
            print(line, end="", flush=True)
    old = PAGE.read_text()
    head, rest = old.split(BEGIN)
    new = head + BEGIN + table + END + rest.split(END)[1]
    if new != old and not check:
        PAGE.write_text(new)
    print(f"docs/numerics.md: {'unchanged' if new == old else 'differs' if check else 'rewritten'}")
    sys.exit(1 if check and new != old else 0)


if __name__ == "__main__":
    main()
