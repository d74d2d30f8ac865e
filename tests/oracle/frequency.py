#!/usr/bin/env python3
"""Make tests/vectors/frequency.json: chi-square, deviations, the incomplete gamma function, and curves over temperatures, in 60 digits.

    frequency.py           rewrite the file
    frequency.py --check   write nothing; exit 1 if the file would change

Every number that goes in is a double, written as a C99 hex float; every result is the nearest double of 60 digits.
"""

import sys

from mpmath import exp, gamma, inf, log, mp, mpf, sqrt

import vectors

mp.dps = 75
PATH = vectors.FOLDER / "frequency.json"
COMMENT = (
    "Counts against probabilities, and distributions over temperatures; numbers as C99 hex floats, results the nearest doubles of 60 "
    "digits. q: degrees of freedom, x, Q(degrees / 2, x). fits: counts and p of each id, then z of each, chi-square, its p-value and "
    "degrees. curves: at each tau p, entropy in nats and in bits, and p[a] / p[b] of the pair. Made by tests/oracle/frequency.py."
)


def double(x):
    return "inf" if x == inf else float(x).hex()


# ---- Q(a, x) -------------------------------------------------------------------------------------------------------


def density(a, x):
    """x^a e^-x / Gamma(a + 1)"""
    return exp(a * log(x) - x) / gamma(a + 1)


def q(a, x):
    """The upper incomplete gamma function over the whole, by the series of P (DLMF 8.11.4), whose terms are all above 0."""
    if x == 0:
        return mpf(1)
    extra = int(max(0, (x - a) / mpf("2.3"))) + 40  # 1 - P loses as many digits as Q has zeros
    with mp.workdps(mp.dps + min(extra, 700)):
        a, x = mpf(a), mpf(x)
        term = total = mpf(1)
        k = a
        while term > total * mpf(10) ** (-mp.dps):
            k += 1
            term *= x / k
            total += term
        return 1 - density(a, x) * total


def gamma_cases():
    cases = []
    for degrees in (1, 2, 3, 4, 5, 7, 10, 19, 38, 39, 40, 41, 60, 127, 255, 1000, 1602, 10001, 1048575):
        a = mpf(degrees) / 2
        step = sqrt(a)
        places = [a * f for f in (mpf("1e-9"), mpf("0.1"), mpf("0.5"), mpf("0.9"), 1)]
        places += [a + f * step for f in (-4, -1, mpf("0.1"), 1, 2, 5, 9, 16)] + [a + 1, a + mpf("0.999"), 3 * a, 30 * a, a + 300]
        for x in sorted({float(x) for x in places if x > 0}):
            if degrees > 100000 and abs(x - a) > 20 * step:
                continue
            value = q(a, mpf(x))
            if value > mpf("1e-280"):
                cases.append([degrees, double(x), double(value)])
    return cases


# ---- Counts --------------------------------------------------------------------------------------------------------


def softmax(z, tau, kept):
    top = max(mpf(v) for v in z)
    weights = [exp((mpf(v) - top) / mpf(tau)) if i in kept else mpf(0) for i, v in enumerate(z)]
    total = sum(weights)
    return [w / total for w in weights]


def fit(counts, p):
    """p: doubles."""
    n = sum(counts)
    exact = [mpf(each) for each in p]
    z = [(c - n * e) / sqrt(n * e * (1 - e)) if 0 < e < 1 else mpf(0) for c, e in zip(counts, exact)]
    square = sum((c - n * e) ** 2 / (n * e) for c, e in zip(counts, exact) if e > 0)
    degrees = sum(e > 0 for e in exact) - 1
    value = q(mpf(degrees) / 2, square / 2) if degrees else mpf(1)
    return {
        "counts": counts,
        "p": [double(each) for each in p],
        "z": [double(each) for each in z],
        "chi_square": double(square if degrees else 0),
        "p_value": double(value),
        "degrees": degrees,
    }


def nearest(p):
    return [float(each) for each in p]


def fits():
    record = nearest(softmax([0, 1, 2, 3], 0.8, {2, 3}))
    eight = nearest(softmax([3, 2, 1, 0.5, 0.1, -1, -2, 0], 1.5, set(range(8))))
    even = [1 / 1024] * 1024
    return [
        fit([0, 0, 230, 770], record),  # the textbook's record
        fit([0, 0, 227, 773], record),
        fit([0, 0, 1, 9], record),
        fit([0, 0, 22, 78], record),
        fit([0, 0, 22237, 77763], record),
        fit([0, 0, 222234, 777766], record),
        fit([7349, 2651, 0, 0], nearest(softmax([3, 2, 2, 1], 1, {0, 1}))),
        fit([5, 3, 2, 0], nearest(softmax([3, 2, 1, 0], 1, {0, 1, 2, 3}))),
        fit([0, 1], nearest(softmax([0, 1], 1, {0, 1}))),
        fit([1000, 0], [1.0, 0.0]),
        fit([41250, 21190, 10880, 7750, 5960, 2890, 1470, 5600], eight),
        fit([(i * 2654435761 >> 7) % 2000 + 900 for i in range(1024)], even),
        fit([4294967295, 4294967290], [0.5, 0.5]),
    ]


# ---- Curves --------------------------------------------------------------------------------------------------------


def curve(z, taus, pair):
    a, b = pair
    points = []
    for tau in taus:
        if tau == 0:
            p = [mpf(i == z.index(max(z))) for i in range(len(z))]
            ratio = inf if z[a] > z[b] else mpf(z[a] == z[b])
        elif tau == inf:
            p, ratio = [mpf(1) / len(z)] * len(z), mpf(1)
        else:
            p = softmax(z, tau, range(len(z)))
            ratio = exp((mpf(z[a]) - mpf(z[b])) / mpf(tau))
        entropy = -sum(v * log(v) for v in p if v > 0)
        points.append(
            {
                "tau": double(tau),
                "p": [double(v) for v in p],
                "entropy": double(entropy),
                "bits": double(entropy / log(2)),
                "ratio": double(ratio if ratio < mpf(2) ** 1024 else inf),
            }
        )
    return {"logits": [double(v) for v in z], "pair": list(pair), "points": points}


def curves():
    mp.dps = 420  # an id of probability 1 - 1e-300 has an entropy
    few = [0, 0.5, 1.0, 1.5, inf]
    many = [0.05 * 1.07**i for i in range(89)]
    return [
        curve([3, 2, 1, 0.5, 0.1], few, (0, 4)),
        curve([2, 1, 0.5], few, (0, 1)),
        curve([0, 1, 2, 3], few + many, (3, 2)),
        curve([0, 1, 2, 3], [0.1, 1.0, 5.0], (0, 3)),
        curve([1.25] * 7, few, (0, 6)),
        curve([-3.5], few, (0, 0)),
        curve([0, -1], [5e-324, 1e-300, 0.001, 0.002, 0.0014, 1e300, 1.7e308], (0, 1)),
        curve([0, -1], [0.001, 0.0014, 0.002, 3], (1, 0)),
        curve([0.1 * i - 0.003 * i * i for i in range(64)], few, (20, 3)),
    ]


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    new = vectors.text({"_comment": COMMENT, "q": gamma_cases(), "fits": fits(), "curves": curves()})
    same = PATH.exists() and PATH.read_text() == new
    if not check:
        PATH.write_text(new)
    print(f"frequency.json: {'unchanged' if same else 'differs' if check else 'rewritten'}")
    sys.exit(1 if check and not same else 0)


if __name__ == "__main__":
    main()
