#!/usr/bin/env python3
"""Make tests/vectors/trace.json again: what the filters of three engines compare, id by id.

    trace.py           answer every case anew and rewrite the file
    trace.py --check   write nothing; exit 1 if an answer would change

transformers: torch's own sort, softmax and cumsum, and the warper itself for what is kept. candle and llama.cpp keep these
numbers to themselves: here their float arithmetic is repeated with numpy, in its order, e^x being the nearest float. The
questions (logits, settings, the filter, ids) are the file's own.
"""

import os

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"

import numpy
import torch
import transformers as package
import vectors
from transformers.generation import logits_process as made

F = numpy.float32
WARPERS = {"top_k": made.TopKLogitsWarper, "top_p": made.TopPLogitsWarper, "min_p": made.MinPLogitsWarper}


def row_of(case):
    if "logits_file" in case:
        return numpy.fromfile(vectors.FOLDER / case["logits_file"], dtype="<f4")
    return numpy.array(case["logits"], dtype=F)


def exp(x):
    return numpy.exp(x.astype(numpy.float64)).astype(F)


def log(x):
    return F(numpy.log(numpy.float64(F(x))))


def running(weights):
    """The float sum before each weight."""
    sums, total = [], F(0)
    for weight in weights:
        sums.append(total)
        total = F(total + weight)
    return sums


# ---- Each gives what is compared, the threshold, and for each id that is found its value and whether it stays ----------


def transformers(x, settings, setting):
    scores = torch.from_numpy(x)[None] / settings["temperature"]
    for name, warper in WARPERS.items():
        if name not in settings:
            continue
        before, scores = scores, warper(settings[name])(None, scores)
        if name == setting:
            break
    live = (before[0] > -torch.inf).nonzero().flatten().tolist()
    stays = (scores[0] > -torch.inf).tolist()
    if setting == "top_k":
        threshold, values = torch.topk(before, min(settings["top_k"], len(x)))[0][0, -1], before[0]
        return "logit", threshold.item(), {i: (values[i].item(), stays[i]) for i in live}
    if setting == "min_p":
        p = before.softmax(-1)[0]
        return "p", (settings["min_p"] * p.max()).item(), {i: (p[i].item(), stays[i]) for i in live}
    sorted_scores, ids = torch.sort(before, descending=False)
    sums = sorted_scores.softmax(dim=-1).cumsum(dim=-1)[0].tolist()
    at = dict(zip(ids[0].tolist(), sums))
    return "sum-from-below", F(1 - settings["top_p"]).item(), {i: (at[i], stays[i]) for i in live}


def candle(x, settings, setting):
    if setting == "min_p":
        return "", 0, {}
    z = x * F(1 / settings["temperature"])
    e = exp(z - z.max())
    total = F(0)
    lanes, whole = numpy.zeros((4, 8), F), len(e) // 32 * 32
    for at in range(0, whole, 32):
        lanes += e[at : at + 32].reshape(4, 8)
    eight = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    four = eight[:4] + eight[4:]
    total = F((four[0] + four[1]) + (four[2] + four[3]))
    for each in e[whole:]:
        total = F(total + each)
    p = e / total
    order = sorted(range(len(p)), key=lambda i: (-p[i], i))  # the rows asked here have no equals at the k-th
    k = settings.get("top_k", len(p))
    if setting == "top_k":
        return "p", p[order[k - 1]].item(), {i: (p[i].item(), place < k) for place, i in enumerate(order)}
    live, threshold = order[:k], F(settings["top_p"])
    if k < len(p) and threshold >= numpy.cumsum(p[sorted(live)], dtype=F)[-1]:
        return "sum-before", threshold.item(), {i: (s.item(), True) for i, s in zip(live, running(p[live]))}
    return cut_falling(live, p[live], threshold, lambda s: s >= threshold)


def cut_falling(live, p, threshold, stops):
    """The first candidate before which the sum stops goes, and all after it; for them the sum stands."""
    answer, stopped = {}, None
    for i, s in zip(live, running(p)):
        if stopped is None and stops(s):
            stopped = s
        answer[i] = (float(s if stopped is None else stopped), stopped is None)
    return "sum-before", threshold.item(), answer


def llama(x, settings, setting):
    live = sorted(range(len(x)), key=lambda i: (-x[i], i))
    if "top_k" in settings:
        k = settings["top_k"]
        if setting == "top_k":
            return "logit", x[live[k - 1]].item(), {i: (x[i].item(), place < k) for place, i in enumerate(live)}
        live = live[:k]
    if "top_p" in settings:
        e = exp(x[live] - x[live[0]])
        total = F(0)
        for i, each in sorted(zip(live, e)) if len(live) == len(x) else zip(live, e):
            total = F(total + each)  # unsorted, softmax adds in order of ids
        cut = cut_falling(live, e / total, F(settings["top_p"]), lambda s: s >= F(settings["top_p"]))
        if setting == "top_p":
            return cut
        live = [i for i in live if cut[2][i][1]]
    threshold = F(x[live[0]] + log(settings["min_p"]))
    return "logit", threshold.item(), {i: (x[i].item(), bool(x[i] >= threshold)) for i in live}


ENGINES = {"transformers": transformers, "candle": candle, "llama.cpp": llama}


def answer(case):
    x = row_of(case)
    for name, engine in ENGINES.items():
        compared, threshold, values = engine(x, case["settings"], case["setting"])
        rows = [list(values[i]) if i in values else None for i in case["ids"]] if compared else []
        case["engines"][name] = {"compared": compared, "threshold": threshold, "rows": rows}


def trace(document):
    document["versions"] = f"transformers {package.__version__}, torch {torch.__version__.split('+')[0]}, numpy {numpy.__version__}"
    for case in document["cases"]:
        case.setdefault("engines", {})
        answer(case)


vectors.remake({"trace": trace}, __doc__)
