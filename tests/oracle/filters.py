#!/usr/bin/env python3
"""Make tests/vectors/filters.json: the filters of the experiment, one after the other, in 60 digits.

    filters.py           rewrite the file
    filters.py --check   write nothing; exit 1 if the file would change

A filter works on the softmax of what those before it left. What it compares are the nearest doubles of the exact numbers,
which is the promise of docs/numerics.md: ten equal logits and a top-p of 0.9 meet after nine, though the double 0.9 is not 9/10.
No number lies so near the middle between two doubles that 50 digits could not tell which is the nearest, or the script ends.
"""

import random
import sys

from mpmath import exp, ldexp, mp, mpf, nint

import vectors

mp.dps = 60
PATH = vectors.FOLDER / "filters.json"
COMMENT = (
    "The experiment with a list of filters, from 60-digit arithmetic, rounded once to double, as C99 hex floats. steps: for each filter the ids "
    "it found in descending order with their p and the value compared, the threshold, whether a value meets it exactly so that the other tie "
    "keeps another set, the ids kept and their q, and sums of p. removed_by: of each id the filter, counted from 1, or 0. kept, q, intervals, "
    "picks as in softmax64.json. Made by tests/oracle/filters.py."
)


def nearest(x):
    """The nearest double, rounded once even where it is subnormal."""
    if x == 0:
        return 0.0
    e = max(int(mp.frexp(abs(x))[1]) - 53, -1074)
    scaled = ldexp(x, -e)
    off = abs(abs(scaled - nint(scaled)) - mpf(1) / 2)
    if 0 < off < mpf(10) ** -30:
        sys.exit(f"too near the middle between two doubles: {x}")
    return float(ldexp(nint(scaled), e))


def softmax(x):
    top = max(x.values())
    weights = {i: exp(v - top) for i, v in x.items()}
    total = sum(weights.values())
    return {i: w / total for i, w in weights.items()}


# ---- Filters: each takes the logits and p in descending order, its number and its tie, and returns the values compared, the
# ---- threshold, how many it keeps, and whether the other tie would keep more --------------------------------------------


def top_k(logits, p, k, tie):
    values = list(logits.values())
    threshold = values[min(k, len(values)) - 1]
    at_least = sum(v >= threshold for v in values)
    return values, threshold, at_least if tie == "threshold" else min(k, len(values)), at_least > k


def top_p(logits, p, limit, tie):
    before, values = mpf(0), []
    for v in p.values():
        values.append(nearest(before))
        before += v
    if limit == 1:  # no sum of some is the sum of all
        return values, limit, len(values), False
    reached = sum(v < limit for v in values)
    exceeded = sum(v <= limit for v in values)
    return values, limit, max(1, exceeded if tie == "inclusive" else reached), 1 <= reached < exceeded


def min_p(logits, p, share, tie):
    values = [nearest(v) for v in p.values()]
    threshold = nearest(mpf(share) * max(p.values()))
    return values, threshold, sum(v >= threshold for v in values), False


def text(x):
    return nearest(mpf(x)).hex()


def texts(numbers):
    return [text(x) for x in numbers]


def step(number, name, value, options, left, logits, scores, first, removed_by):
    p = softmax({i: scores[i] for i in left})
    order = sorted(left, key=lambda i: (-logits[i], i))
    ordered = {i: logits[i] for i in order}, {i: p[i] for i in order}
    values, threshold, n, meets = globals()[name](*ordered, value, options.get("tie", "strict"))
    kept = sorted(order[:n])
    for i in order[n:]:
        removed_by[i] = number
    mass = sum(p[i] for i in kept)
    return kept, {
        "threshold": text(threshold),
        "meets": meets,
        "found": order,
        "p": texts(p[i] for i in order),
        "values": texts(values),
        "kept": kept,
        "q": texts(softmax({i: scores[i] for i in kept}).values()),
        "mass_before": text(sum(first[i] for i in left)),
        "mass_after": text(sum(first[i] for i in kept)),
        "kept_mass": text(mass),
        "removed_mass": text(sum(p[i] for i in order[n:])),
    }


def case(name, logits, tau, filters, us=(0.0, 0.31, 0.77)):
    scores = [(mpf(z) - mpf(max(logits))) / mpf(tau) for z in logits]
    first = softmax(dict(enumerate(scores)))
    left, removed_by, steps = list(range(len(logits))), [0] * len(logits), []
    for number, (rule, value, *options) in enumerate(filters, 1):
        left, record = step(number, rule, value, (options or [{}])[0], left, logits, scores, first, removed_by)
        steps.append(record)
    q, ends = softmax({i: scores[i] for i in left}), [mpf(0)]
    for share in q.values():
        ends.append(ends[-1] + share)
    if any(abs(u - end) < mpf("1e-14") for u in us if u for end in ends):
        sys.exit(f"{name}: a u too near an end")
    return {
        "id": name,
        "logits": texts(logits),
        "tau": text(tau),
        "filters": [[rule, value if rule == "top_k" else text(value), *options] for rule, value, *options in filters],
        "steps": steps,
        "removed_by": removed_by,
        "kept": left,
        "q": texts(q.values()),
        "intervals": [texts(pair) for pair in zip(ends, ends[1:])],
        "picks": [[text(u), next(i for i, end in zip(left, ends[1:]) if u < end)] for u in us],
    }


CHAPTER = [0.0, 1.0, 2.0, 3.0]
INCLUSIVE, THRESHOLD = {"tie": "inclusive"}, {"tie": "threshold"}
NAMED = [
    ("no filter", CHAPTER, 0.8, []),
    ("the chapter, top-p", CHAPTER, 0.8, [["top_p", 0.9]]),
    ("four equal, the sum meets p", [0.0] * 4, 1.0, [["top_p", 0.5]]),
    ("four equal, the sum meets p, inclusive", [0.0] * 4, 1.0, [["top_p", 0.5, INCLUSIVE]]),
    ("ten equal, 0.9", [0.0] * 10, 1.0, [["top_p", 0.9]]),
    ("ten equal, 0.9, inclusive", [0.0] * 10, 1.0, [["top_p", 0.9, INCLUSIVE]]),
    ("three equal, one third", [2.0] * 3, 0.5, [["top_p", 1 / 3, INCLUSIVE]]),
    ("just below the sum", [0.0] * 4, 1.0, [["top_p", 0.5 - 2**-54, INCLUSIVE]]),
    ("just above the sum", [0.0] * 4, 1.0, [["top_p", 0.5 + 2**-53]]),
    ("top-p 0 keeps one", CHAPTER, 0.8, [["top_p", 0.0, INCLUSIVE]]),
    ("top-p 1 keeps all", [0.0, -50.0, -800.0], 1.0, [["top_p", 1.0]]),
    ("just below 1", [0.0, -50.0, -800.0], 1.0, [["top_p", 1 - 2**-53, INCLUSIVE]]),
    ("min-p 0 keeps all", [0.0, -50.0, -800.0], 1.0, [["min_p", 0.0]]),
    ("min-p 1 keeps the largest", [1.0, 2.0, 2.0, 0.0], 1.0, [["min_p", 1.0]]),
    ("min-p, subnormal threshold", [0.0, -740.0, -743.0], 1.0, [["min_p", 2**-1069]]),
    ("top-k with a tie", [3.0, 2.0, 2.0, 0.0], 1.0, [["top_k", 2]]),
    ("top-k with a tie, threshold", [3.0, 2.0, 2.0, 0.0], 1.0, [["top_k", 2, THRESHOLD]]),
    ("more than there are left", CHAPTER, 0.8, [["top_p", 0.9], ["top_k", 4, THRESHOLD]]),
    ("top-k, then top-p of the rest", CHAPTER, 0.8, [["top_k", 3], ["top_p", 0.75], ["min_p", 0.3]]),
    ("top-p, then top-k", CHAPTER, 2.0, [["top_p", 0.75], ["top_k", 3], ["min_p", 0.3]]),
    ("the order matters", [0.0, 0.5, 1.0, 1.5, 2.0], 1.5, [["min_p", 0.4], ["top_p", 0.6], ["top_k", 2]]),
    ("the same filter again", CHAPTER, 1.0, [["top_p", 0.9]] * 8),
    ("largest logits", [2.0**1000, -(2.0**1000), 2.0**1000], 1.0, [["top_p", 0.5, INCLUSIVE], ["min_p", 1.0]]),
]


def drawn(number, source):
    """Rows of all sizes, with many ties in every third, and one to three filters."""
    n = 1 + int(source.random() * (64 if number % 10 == 0 else 14))
    ties = number % 3 == 0
    logits = [float(int(source.random() * 5)) if ties else source.random() * 12 - 6 for _ in range(n)]
    filters = []
    for rule in sorted(("top_k", "top_p", "min_p"), key=lambda _: source.random())[: 1 + number % 3]:
        if rule == "top_k":
            filters.append([rule, 1 + int(source.random() * n), *([THRESHOLD] if source.random() < 0.5 else [])])
        elif rule == "top_p":
            filters.append([rule, 0.3 + 0.69 * source.random(), *([INCLUSIVE] if source.random() < 0.5 else [])])
        else:
            filters.append([rule, source.random() ** 3])
    return f"drawn {number}", logits, [0.25, 0.7, 1.0, 1.9][number % 4], filters, tuple(source.random() for _ in range(3))


check = sys.argv[1:] == ["--check"]
if sys.argv[1:] and not check:
    sys.exit(__doc__)
source = random.Random(0.9)
new = vectors.text({"_comment": COMMENT, "cases": [case(*each) for each in NAMED + [drawn(i, source) for i in range(60)]]})
same = PATH.exists() and PATH.read_text() == new
if not same and not check:
    PATH.write_text(new)
print("filters.json:", "unchanged" if same else "differs" if check else "rewritten")
sys.exit(1 if check and not same else 0)
