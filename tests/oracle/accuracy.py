#!/usr/bin/env python3
"""Measure the core against 50-digit arithmetic and keep the table in docs/numerics.md.

    accuracy.py           measure (about a minute) and rewrite the table between the marks
    accuracy.py --check   write nothing; exit 1 if the table would change

The points are drawn from a fixed seed and the core gives the same bits on every machine, so the table is reproducible.
"""

import ctypes
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from mpmath import mp, mpf

mp.dps = 50
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "numerics.md"
BEGIN = "<!-- Made by tests/oracle/accuracy.py: begin. -->\n"
END = "<!-- Made by tests/oracle/accuracy.py: end. -->\n"
POINTS = 20000


class LabOptions(ctypes.Structure):
    _fields_ = [("tau", ctypes.c_double), ("u", ctypes.c_double)] + [
        (name, ctypes.c_uint32) for name in ("k", "tie", "share")
    ]


class LabResult(ctypes.Structure):
    _fields_ = (
        [(name, ctypes.c_double * 64) for name in ("score", "weight", "p", "start", "q", "lo", "hi")]
        + [(name, ctypes.c_double) for name in ("weight_sum", "kept_mass", "removed_mass", "sum_q", "entropy")]
        + [(name, ctypes.c_uint32) for name in ("n", "n_kept", "top", "id", "greedy")]
        + [("kept", ctypes.c_uint8 * 64), ("more", ctypes.c_uint8 * 256)]
    )


def load_core(folder):
    library = Path(folder) / "smp.so"
    sources = sorted(set((ROOT / "c").glob("*.c")) - {ROOT / "c/cli.c", ROOT / "c/wasm.c"})
    flags = ["-std=c11", "-ffp-contract=off", "-fno-math-errno", "-O2", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, *map(str, sources), "-o", str(library)], check=True)
    core = ctypes.CDLL(str(library))
    for name in ("smp_exp", "smp_log", "smp_log1p"):
        getattr(core, name).restype = ctypes.c_double
        getattr(core, name).argtypes = [ctypes.c_double]
    core.smp_row_softmax.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    core.smp_row_temperature.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_float, ctypes.c_void_p]
    return core


def ulps(got, exact):
    """Error in units of the distance between doubles at the exact value."""
    distance = mpf(2) ** max(int(mp.frexp(exact)[1]) - 53, -1074)
    return float(abs(mpf(got) - exact) / distance)


def row(what, where, errors, unit):
    return f"| {what} | {where} | {max(errors):.5g} | {sum(errors) / len(errors):.2g} | {len(errors)} | {unit} |\n"


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
        if core.smp_lab_run((ctypes.c_double * n)(*logits), n, ctypes.byref(options), ctypes.byref(result), None):
            raise RuntimeError("refused")
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


def real_rows(core):
    bounds, relatives, sums, entropies = [], [], [], []
    for path in sorted((ROOT / "tests/vectors/logits").glob("*/*.f32")):
        data = path.read_bytes()
        n = len(data) // 4
        for temperature in (1.0, 0.7):
            values = (ctypes.c_float * (n + 64)).from_buffer_copy(data + bytes(256))
            entropy = ctypes.c_double()
            core.smp_row_temperature(values, n, temperature, None)
            logits = list(values[:n])
            core.smp_row_softmax(values, n, ctypes.byref(entropy), None)
            top = mpf(max(logits))
            scores = [mpf(z) - top for z in logits]
            weights = [mp.exp(s) for s in scores]
            total = sum(weights)
            for got, score, weight in zip(values, scores, weights):
                error = float(abs(mpf(got) * total / weight - 1))
                relatives.append(error)
                bounds.append(error / (float(2 - score) * 2**-23))
            sums.append(abs(math.fsum(values[:n]) - 1))
            exact = mp.log(total) - sum(s * w for s, w in zip(scores, weights)) / total
            entropies.append(float(abs(mpf(entropy.value) - exact)))
    where = "14 real rows of 49,152, temperatures 1 and 0.7"
    yield row("row probabilities", where, relatives, "relative")
    yield row("the same", where, bounds, "of the bound")
    yield row("row sums", where, sums, "absolute")
    yield row("row entropy, nats", where, entropies, "absolute")


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    rng = random.Random(2718)
    with tempfile.TemporaryDirectory() as folder:
        core = load_core(folder)
        table = "| what | where | max | mean | points | error |\n|---|---|---|---|---|---|\n"
        for line in (*functions(core, rng), *lab(core, rng), *real_rows(core)):
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
