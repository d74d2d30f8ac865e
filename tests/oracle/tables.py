#!/usr/bin/env python3
"""Make the tables and constants of c/math.c and c/lanes.h from 60-digit arithmetic.

    tables.py           rewrite the parts of both files between the marks
    tables.py --check   write nothing; exit 1 if a file would change

Every number is the exact value rounded once, to the precision that its line states.
"""

import sys
from pathlib import Path

from mpmath import mp, mpf

mp.dps = 60
ROOT = Path(__file__).resolve().parents[2]
BEGIN = "/* Made by tests/oracle/tables.py: begin. */\n"
END = "/* Made by tests/oracle/tables.py: end. */\n"

EXP_CELLS = 32  # cells of [1, 2) for 2^(i/32)
LOG_CELLS = 32  # cells of [1, 2) for the reciprocals of log


def to_double(x):
    """Nearest double."""
    return float(x)


def on_grid(x, bits):
    """x rounded to a multiple of 2^-bits, as a double."""
    return float(mp.nint(x * mpf(2) ** bits) / mpf(2) ** bits)


def to_float(x):
    """Nearest float, for x in the normal range."""
    _, exponent = mp.frexp(x)
    return on_grid(x, 24 - exponent)


def define(name, x, note=""):
    return f"#define {name} {x.hex()}{note}\n"


def exp_part():
    step = mp.log(2) / EXP_CELLS
    # k has at most 17 bits, so k * STEP_1 and k * STEP_2 are exact with 34 bits each.
    step_1 = on_grid(step, 39)
    step_2 = on_grid(step - mpf(step_1), 74)
    step_3 = to_double(step - mpf(step_1) - mpf(step_2))
    text = "/* ln 2 / 32 in three parts, the first two short enough that their products with k are exact; 32 / ln 2. */\n"
    text += define("EXP_STEP_1", step_1) + define("EXP_STEP_2", step_2) + define("EXP_STEP_3", step_3)
    text += define("EXP_CELLS_PER_UNIT", to_double(1 / step))
    text += "\n/* 2^(i/32) as hi + lo. */\n"
    text += f"static const double EXP_TABLE[{EXP_CELLS}][2] = {{\n"
    for i in range(EXP_CELLS):
        x = mp.power(2, mpf(i) / EXP_CELLS)
        hi = to_double(x)
        text += f"    {{{hi.hex()}, {to_double(x - mpf(hi)).hex()}}},\n"
    return text + "};\n"


def log_part():
    ln2_hi = on_grid(mp.log(2), 42)
    text = "\n/* ln 2 as hi + lo; hi and the hi column below are multiples of 2^-42, so that e * hi + hi is exact. */\n"
    text += define("LOG_LN2_HI", ln2_hi) + define("LOG_LN2_LO", to_double(mp.log(2) - mpf(ln2_hi)))
    text += "\n/* c, and -ln c as hi + lo. c is near 1 / m for the m of the cell, has 9 bits at most, and is 1 around m = 1. */\n"
    text += f"static const double LOG_TABLE[{LOG_CELLS}][3] = {{\n"
    for i in range(LOG_CELLS):
        middle = 1 + (mpf(i) + mpf("0.5")) / LOG_CELLS
        if middle > mp.sqrt(2):
            middle /= 2
        c = 1.0 if i in (0, LOG_CELLS - 1) else on_grid(1 / middle, 8)
        exact = -mp.log(mpf(c))
        hi = on_grid(exact, 42)
        text += f"    {{{c.hex()}, {hi.hex()}, {to_double(exact - mpf(hi)).hex()}}},\n"
    return text + "};\n"


def lanes_part():
    """e^t = 1 + t + t^2 (c2 + ... + c6 t^4) on [-ln2/2, ln2/2], interpolated at Chebyshev nodes, rounded to float."""
    half = mp.log(2) / 2
    nodes = [half * mp.cos(mp.pi * (2 * j + 1) / 10) for j in range(5)]
    a = mp.matrix([[x**j for j in range(5)] for x in nodes])
    b = mp.matrix([(mp.exp(x) - 1 - x) / x**2 if abs(x) > 1e-9 else mpf("0.5") for x in nodes])
    fit = mp.lu_solve(a, b)
    floor = to_float(-126 * mp.log(2))
    if mpf(floor) > -126 * mp.log(2):
        floor -= 2.0**-17
    text = "/* The largest float whose exponential is below 2^-126. */\n"
    text += define("LANES_EXP_FLOOR", floor, "f")
    text += "/* 1 / ln 2; ln 2; e^t - 1 - t = t^2 (C2 + t C3 + ... + t^4 C6). */\n"
    text += define("LANES_EXP_LOG2E", to_float(1 / mp.log(2)), "f")
    text += define("LANES_EXP_LN2", to_float(mp.log(2)), "f")
    for j in range(5):
        text += define(f"LANES_EXP_C{j + 2}", to_float(fit[j]), "f")
    return text


def renew(path, made, check):
    """Put `made` between the marks of a file; True if that leaves it as it was."""
    old = path.read_text()
    head, rest = old.split(BEGIN)
    tail = rest.split(END)[1]
    new = head + BEGIN + made + END + tail
    if new != old and not check:
        path.write_text(new)
    print(f"{path.relative_to(ROOT)}: {'unchanged' if new == old else 'differs' if check else 'rewritten'}")
    return new == old


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    same = [
        renew(ROOT / "c/math.c", exp_part() + log_part(), check),
        renew(ROOT / "c/lanes.h", lanes_part(), check),
    ]
    sys.exit(1 if check and not all(same) else 0)


if __name__ == "__main__":
    main()
