#!/usr/bin/env python3
"""Make tests/vectors/rules.json: every rule of a chain on two rows, alone and all in one chain, in 50 digits.

    rules.py           rewrite the file
    rules.py --check   write nothing; exit 1 if the file would change

Each rule is its formula, written from the paper or the program that c/reference.c names, not from that file. Numbers are
read as the doubles that JSON makes of them. No decision lies near its threshold, or the script ends: so every arithmetic that
keeps the promises of docs/numerics.md keeps the same tokens.
"""

import json
import sys

from mpmath import exp, inf, log, mp, mpf, sqrt

import vectors

mp.dps = 50
MARGIN = mpf("1e-4")
PATH = vectors.FOLDER / "rules.json"
COMMENT = (
    "Every rule of a chain: float32 logits, the steps as `eval` takes them, the ids that are left, their probabilities (nearest doubles of "
    "50 digits), and the id at u. Made by tests/oracle/rules.py. A rule of the core that has no case here fails the tests."
)


def softmax(x):
    top = max(x.values())
    weights = {i: exp(v - top) for i, v in x.items()}
    total = sum(weights.values())
    return {i: w / total for i, w in weights.items()}


def entropy(p):
    return -sum(v * log(v) for v in p.values())


def below(a, b):
    """a < b, where rounding cannot decide otherwise."""
    if abs(a - b) <= MARGIN * max(abs(a), abs(b)):
        sys.exit(f"too near: {a} and {b}")
    return a < b


def falling(keys, later_first=False):
    return sorted(keys, key=lambda i: (-keys[i], -i if later_first else i))


def first(order, keys, k, tie):
    """Of an order the first k, and with `threshold` all that equal the last of them."""
    return [i for j, i in enumerate(order) if j < k or (tie == "threshold" and keys[i] == keys[order[k - 1]])]


# ---- Rules: each takes {id: logit}, the context, a value and the options, and returns what is left -----------------


def window(context, options):
    return context[-options["last"] :] if options.get("last") else context


def temperature(x, context, value, options):
    return {i: v / value for i, v in x.items()}


def repetition_penalty(x, context, value, options):
    seen = window(context, options)
    return {i: v if i not in seen else v * value if v < 0 else v / value for i, v in x.items()}


def presence_penalty(x, context, value, options):
    return {i: v - (value if i in window(context, options) else 0) for i, v in x.items()}


def frequency_penalty(x, context, value, options):
    return {i: v - value * window(context, options).count(i) for i, v in x.items()}


def logit_bias(x, context, value, options):
    return {i: v + sum(mpf(bias) for j, bias in value if j == i) for i, v in x.items()}


def suppress_tokens(x, context, value, options):
    return {i: v for i, v in x.items() if i not in value}


def no_repeat_ngram_size(x, context, value, options):
    grams = [context[i : i + value] for i in range(len(context) - value + 1)]
    prefix = context[len(context) - value + 1 :] if value > 1 else []
    return {i: v for i, v in x.items() if prefix + [i] not in grams}


def top_k(x, context, value, options):
    kept = first(falling(x, options["tie"] == "last"), x, value, options["tie"])
    return {i: x[i] for i in sorted(kept)}


def top_p(x, context, value, options):
    p, order, removed = softmax(x), falling(x, options["tie"] == "last"), mpf(0)
    k = len(order)
    while k > 1:
        removed += p[order[k - 1]]
        if not below(removed, 1 - value):
            break
        k -= 1
    kept = first(order, x, k, options["tie"])
    return {i: x[i] for i in sorted(kept)}


def probable(x, least):
    p, top = softmax(x), max(x.values())
    return {i: v for i, v in x.items() if v == top or not below(p[i], least)}


def min_p(x, context, value, options):
    return probable(x, value * max(softmax(x).values()))


def epsilon_cutoff(x, context, value, options):
    return probable(x, value)


def eta_cutoff(x, context, value, options):
    return probable(x, min(value, sqrt(value) * exp(-entropy(softmax(x)))))


def typical_p(x, context, value, options):
    p = softmax(x)
    middle, mass, k = entropy(p), mpf(0), 0
    nearness = {i: -abs(-log(v) - middle) for i, v in p.items()}
    order = falling(nearness)
    while k < len(order) and below(mass, value):
        mass += p[order[k]]
        k += 1
    for a, b in zip(order, order[1:]):
        if nearness[a] != nearness[b] and order.index(a) in (k - 1, k - 2):
            below(nearness[b], nearness[a])
    kept = first(order, nearness, k, "threshold")
    return {i: x[i] for i in sorted(kept)}


def top_h(x, context, value, options):
    order = falling(x)[:100]
    p = softmax({i: x[i] for i in order})
    limit, total, kept = value * entropy(p), mpf(0), []
    for i in order:
        total -= p[i] * log(p[i])
        if kept and below(limit, total):
            break
        kept.append(i)
    return {i: x[i] for i in sorted(kept)}


def top_n_sigma(x, context, value, options):
    mean = sum(x.values()) / len(x)
    sigma = sqrt(sum((v - mean) ** 2 for v in x.values()) / len(x))
    return {i: v for i, v in x.items() if v == max(x.values()) or not below(v, max(x.values()) - value * sigma)}


# ---- Cases ---------------------------------------------------------------------------------------------------------

SHORT = {"logits": [2, -1.5, 0.25, 2, "-inf", 3.5, 1, -4], "context": [1, 0, 3, 1, 0, 5, 1]}
LONG = {"logits": [(i * 2731 % 149) / 16 - 4 for i in range(150)], "context": [(i * i + i // 5) % 150 for i in range(40)]}

# Values for the short and the long row.
STEPS = {
    "temperature": [[0.7], [1.5]],
    "repetition_penalty": [[1.3], [1.2, {"last": 9}], [0.8]],
    "presence_penalty": [[0.6], [1.1, {"last": 9}], [-0.5]],
    "frequency_penalty": [[0.4], [0.7, {"last": 9}]],
    "logit_bias": [[[[1, 4.5], [5, -2.25], [1, 0.5]]]],
    "suppress_tokens": [[[5, 0, 5]]],
    "no_repeat_ngram_size": [[1], [2], [3]],
    "top_k": [[k, {"tie": tie}] for k in (1, 2) for tie in ("strict", "threshold", "last")] + [[60, {"tie": "threshold"}]],
    "top_p": [[p, {"tie": tie}] for p in (0.45, 0.7, 0.8) for tie in ("strict", "threshold", "last")],
    "min_p": [[0.1], [0.3]],
    "typical_p": [[0.3], [0.9]],
    "epsilon_cutoff": [[0.03], [0.2]],
    "eta_cutoff": [[0.03], [0.2]],
    "top_h": [[0.3], [0.8]],
    "top_n_sigma": [[0.5], [1.25]],
}
# Every rule once, so that none removes what the next could.
ALL = [
    ["temperature", 0.8],
    ["repetition_penalty", 1.1],
    ["presence_penalty", 0.2],
    ["frequency_penalty", 0.15, {"last": 20}],
    ["logit_bias", [[7, 1.5], [3, -0.5]]],
    ["suppress_tokens", [2]],
    ["no_repeat_ngram_size", 4],
    ["top_k", 140, {"tie": "threshold"}],
    ["top_p", 0.99, {"tie": "last"}],
    ["min_p", 0.002],
    ["typical_p", 0.97],
    ["epsilon_cutoff", 0.001],
    ["eta_cutoff", 0.004],
    ["top_h", 0.9],
    ["top_n_sigma", 2.5],
]


def drawn(p, u):
    total = mpf(0)
    for i in sorted(p):
        total += p[i]
        if below(mpf(u), total):
            return i


def case(name, row, chain, u):
    x = {i: mpf(v) for i, v in enumerate(row["logits"]) if v != "-inf"}
    for rule, value, *options in chain:
        exact = mpf(value) if isinstance(value, float) else value
        x = globals()[rule](x, row["context"], exact, (options or [{}])[0])
    p = softmax(x)
    kept = sorted(p)
    return {"id": name, **row, "chain": chain, "kept": kept, "probs": [float(p[i]) for i in kept], "u": u, "token": drawn(p, u)}


def cases():
    made = []
    for name, row in (("short", SHORT), ("long", LONG)):
        for rule, steps in STEPS.items():
            for step in steps:
                made.append(case(f"{name} {rule} {len(made)}", row, [[rule, *step]], (300 + 5 * (len(made) % 90)) / 1000))
        made.append(case(f"{name} every rule", row, ALL, 0.55))
    made.append(case("long every rule, the other way", LONG, ALL[::-1], 0.45))
    return made


check = sys.argv[1:] == ["--check"]
if sys.argv[1:] and not check:
    sys.exit(__doc__)
new = vectors.text({"_comment": COMMENT, "cases": cases()})
same = PATH.exists() and PATH.read_text() == new
if not same and not check:
    PATH.write_text(new)
print("rules.json:", "unchanged" if same else "differs" if check else "rewritten")
sys.exit(1 if check and not same else 0)
