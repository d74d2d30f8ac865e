"""Rows and chains against exact arithmetic: the second half of accuracy.py.

`errors` takes lists of errors by line of the table: (what, where, unit).
"""

import bisect
import ctypes
import itertools
import math
from fractions import Fraction

import numpy
from core import LAST, ROOT, STRICT, TEMPERATURE, TOP_K, TOP_P
from core import Chain, ChainResult, Distance, Step, StepInfo, address, done
from mpmath import mp, mpf

COLD, NEAR = 0.7, 1.001  # temperatures beside 1
TOP = 64  # log-probabilities asked for
DRAWS, ENDS = 2000, 50  # a row: uniform u, and ends of intervals looked for
COOL = Step(value=COLD, kind=TEMPERATURE)
CHAIN = (COOL, Step(count=50, kind=TOP_K, tie=STRICT), Step(value=0.9, kind=TOP_P, tie=LAST))


class Softmax:
    """The exact softmax of floats."""

    def __init__(self, logits):
        top = mpf(float(logits.max()))
        self.scores = [mpf(z) - top for z in logits.tolist()]
        self.weights = [mp.exp(s) for s in self.scores]
        self.total = sum(self.weights)
        self.ln_total = mp.log(self.total)

    def bound(self, i):
        """What c/smp.h promises of entry i: relative of its probability, absolute of the logarithm."""
        return float(2 - self.scores[i]) * 2**-23

    def log_error(self, i, log_p):
        return float(abs(mpf(log_p) - (self.scores[i] - self.ln_total)))

    def mass(self, ids):
        return sum(self.weights[i] for i in ids)

    def entropy(self, ids):
        """That of the entries `ids` alone, in nats."""
        mass = self.mass(ids)
        return mp.log(mass) - sum(self.scores[i] * self.weights[i] for i in ids) / mass


def softmax(core, logits):
    """Probabilities, and the entropy that comes with them."""
    row, entropy = logits.copy(), ctypes.c_double()
    done(core.smp_row_softmax(address(row), len(row), address(entropy), None))
    return row, entropy.value


def probabilities(core, logits, exact, where, errors):
    row, entropy = softmax(core, logits)
    for i, got in enumerate(row.tolist()):
        error = float(abs(mpf(got) * exact.total / exact.weights[i] - 1))
        errors["row probabilities", where, "relative"].append(error)
        errors["the same", where, "of the bound"].append(error / exact.bound(i))
    errors["row sums", where, "absolute"].append(abs(math.fsum(row.tolist()) - 1))
    errors["row entropy, nats", where, "absolute"].append(float(abs(mpf(entropy) - exact.entropy(range(len(row))))))


def logarithms(core, logits, exact, where, errors):
    n, row = len(logits), logits.copy()
    done(core.smp_row_log_softmax(address(row), n, None))
    for i, got in enumerate(row.tolist()):
        error = exact.log_error(i, got)
        errors["row log-probabilities", where, "absolute"].append(error)
        errors["the same logarithms", where, "of the bound"].append(error / exact.bound(i))
    ids, log_p = numpy.zeros(TOP, numpy.uint32), numpy.zeros(TOP)
    done(core.smp_row_top_log_p(address(logits), n, address(ids), address(log_p), TOP, None))
    if ids.tolist() != sorted(range(n), key=lambda i: (-logits[i], i))[:TOP]:
        raise RuntimeError("these are not the greatest entries")
    what = f"log-probabilities of the top {TOP}, doubles"
    errors[what, where, "absolute"] += [exact.log_error(i, got) for i, got in zip(ids, log_p.tolist())]


# ---- Distances ---------------------------------------------------------------------------------------------------


def units(weights):
    """Floats from 0 to 1 as whole multiples of 2^-149, the least float."""
    return [int(w) for w in (weights.astype(float) * 2.0**149).tolist()]


def logs(p):
    return [mp.log(mpf(x)) for x in p.tolist()]


def distance(core, p, q, ln_p, ln_q, where, errors):
    """Two rows of floats above 0 against exact sums over the same floats."""
    got = Distance()
    done(core.smp_row_distance(address(p), address(q), len(p), address(got), None))
    apart = [abs(a - b) for a, b in zip(units(p), units(q))]
    for what, found, want in [
        ("total variation", got.total_variation, mpf(sum(apart)) / mpf(2) ** 150),
        ("max difference", got.max_difference, mpf(max(apart)) / mpf(2) ** 149),
        ("KL divergence, nats", got.kl, sum(mpf(x) * (a - b) for x, a, b in zip(p.tolist(), ln_p, ln_q))),
        ("entropy beside it, nats", got.entropy_q, -sum(mpf(x) * b for x, b in zip(q.tolist(), ln_q))),
    ]:
        errors[what, where, "relative"].append(float(abs(mpf(found) / want - 1)))


def distances(core, logits, errors):
    """Far apart, and near each other: then the terms of the divergence nearly cancel."""
    p, _ = softmax(core, logits)
    ln_p = logs(p)
    for tau in (COLD, NEAR):
        q, _ = softmax(core, logits / numpy.float32(tau))
        distance(core, p, q, ln_p, logs(q), f"the 14 rows, temperature 1 against {tau}", errors)


# ---- Chains ------------------------------------------------------------------------------------------------------


class Run:
    """A chain on copies of a row; the result is a list: ids, and in the row what is left of them."""

    def __init__(self, core, logits, steps):
        n = len(logits)
        self.core, self.logits, self.row = core, logits, logits.copy()
        self.ids, self.result = numpy.zeros(n, numpy.uint32), ChainResult()
        self.steps, self.infos = (Step * len(steps))(*steps), (StepInfo * len(steps))()
        self.chain = Chain(steps=address(self.steps), n_steps=len(steps))
        self.work = numpy.zeros(core.smp_chain_work_size(n) // 8 + 1)

    def pick(self, u, infos=None):
        """The id that u chooses."""
        self.row[:] = self.logits
        self.chain.u = u
        row, chain, ids, result, work = map(address, (self.row, self.chain, self.ids, self.result, self.work))
        done(self.core.smp_chain_run(row, len(self.row), chain, ids, infos, result, work, None))
        return self.result.id

    def kept(self):
        """The ids that are left; step records are written too."""
        self.pick(0.5, address(self.infos))
        return self.ids[: self.result.n_kept].tolist()


def chain_records(core, logits, exact, errors):
    """`exact` is of the logits after the first step, the temperature."""
    where = f"the 14 rows, temperature {COLD}, then top-k 50, then top-p 0.9"
    before = range(len(logits))
    for length in (1, 2, 3):
        run = Run(core, logits, CHAIN[:length])
        kept = run.kept()
        info, mass = run.infos[length - 1], exact.mass(kept)
        entropy, share = exact.entropy(kept), mass / exact.mass(before)
        errors["step record: entropy, nats", where, "absolute"].append(float(abs(mpf(info.entropy) - entropy)))
        errors["step record: mass", where, "absolute"].append(float(abs(mpf(info.mass) - share)))
        before = kept
    for i, got in zip(kept, run.row.tolist()):
        error = float(abs(mpf(got) * mass / exact.weights[i] - 1))
        errors["probabilities of the list", where, "relative"].append(error)


# ---- Draws -------------------------------------------------------------------------------------------------------


def draws(pick, ids, weights, rng, where, errors):
    """pick(u) is to be the first id at which the running sum of the float weights exceeds u times their sum.

    How often does a uniform u choose another id than in whole numbers? How far is the end of an interval displaced? The
    latter by bisection: the chosen id never falls where u rises. All displacements together bound the share of such u.
    """
    ends = list(itertools.accumulate(units(weights)))
    total, scaled = ends[-1], [end << 53 for end in ends]
    for _ in range(DRAWS):
        u = rng.getrandbits(53)
        right = ids[bisect.bisect_right(scaled, u * total)]
        errors["draw: another id, of uniform u", where, "share of u"].append(float(pick(u * 2.0**-53) != right))
    inner = [i for i in range(len(ends)) if weights[i] > 0 and ends[i] < total]
    displaced = []
    for i in rng.sample(inner, min(ENDS, len(inner))):
        exact = Fraction(scaled[i], total)
        low, high = max(int(exact) - 2**33, -1), min(int(exact) + 2**33, 2**53)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if pick(middle * 2.0**-53) > ids[i] else (middle, high)
        displaced.append(float(abs(high - exact)) * 2.0**-53)
    errors["draw: ends of intervals", where, "in u"] += displaced
    share = sum(displaced) * len(inner) / max(len(displaced), 1)  # a list of one has no inner end
    errors["draw: another id, estimated from these", where, "share of u"].append(share)


def draws_of_row(core, logits, rng, where, errors):
    p, _ = softmax(core, logits)
    chosen = ctypes.c_uint32()

    def pick(u):
        done(core.smp_row_draw(address(p), len(p), u, address(chosen), None))
        return chosen.value

    draws(pick, range(len(p)), p, rng, f"smp_row_draw, {where}", errors)


def draws_of_chain(core, logits, rng, steps, where, errors):
    """The first step is the temperature. What a chain draws with are exponentials not yet divided by their sum."""
    run = Run(core, logits, steps)
    ids = run.kept()
    left = (logits / numpy.float32(COLD))[ids]
    scores = numpy.zeros(-(-len(ids) // 4) * 4, numpy.float32)
    scores[: len(ids)] = left - left.max()
    core.weigh(address(scores), len(scores))
    draws(run.pick, ids, scores[: len(ids)], rng, f"smp_chain_run, {where}", errors)


def measure(core, rng, errors):
    paths = sorted((ROOT / "tests/vectors/logits").glob("*/*.f32"))
    for logits in (numpy.fromfile(path, dtype="<f4") for path in paths):
        for tau in (1, COLD):
            where = f"14 real rows of 49,152, temperatures 1 and {COLD}"
            scaled = logits / numpy.float32(tau)  # as TEMPERATURE does
            exact = Softmax(scaled)
            probabilities(core, scaled, exact, where, errors)
            logarithms(core, scaled, exact, where, errors)
        chain_records(core, logits, exact, errors)
        distances(core, logits, errors)
        draws_of_row(core, logits, rng, "the 14 rows", errors)
        draws_of_chain(core, logits, rng, [COOL], f"the 14 rows, temperature {COLD}", errors)
        draws_of_chain(core, logits, rng, CHAIN, f"the 14 rows, temperature {COLD}, top-k 50, top-p 0.9", errors)
    flat = numpy.array([rng.random() for _ in range(2**20)], numpy.float32)
    draws_of_row(core, flat, rng, "1,048,576 logits, uniform from 0 to 1", errors)
