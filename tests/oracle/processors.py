#!/usr/bin/env python3
"""Make tests/vectors/transformers again: what the processors of transformers keep, and what torch makes of it.

    processors.py           answer every case of small, real, settings and masks.json anew and rewrite the files
    processors.py --check   write nothing; exit 1 if an answer would change

The questions are the files' own: logits, chain, context, the seed and length of a stream; the row of a setting. To ask
something new, add a case without its answers and run the script. torch chooses its kernels by the processor; the files
were made with those for AVX2, so they are asked for. Flags that judge an answer (`unstable_ties`) are kept as they are.
"""

import os

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"

import numpy
import torch
import transformers
import vectors
from transformers.generation import logits_process as made

# In the order in which `generate` lines them up.
CLASSES = {
    "no_repeat_ngram_size": made.NoRepeatNGramLogitsProcessor,
    "repetition_penalty": made.RepetitionPenaltyLogitsProcessor,
    "temperature": made.TemperatureLogitsWarper,
    "top_h": made.TopHLogitsWarper,
    "top_k": made.TopKLogitsWarper,
    "top_p": made.TopPLogitsWarper,
    "min_p": made.MinPLogitsWarper,
    "typical_p": made.TypicalLogitsWarper,
    "epsilon_cutoff": made.EpsilonLogitsWarper,
    "eta_cutoff": made.EtaLogitsWarper,
}
FILTERS = list(CLASSES)[3:]
LISTED, MOST_PROBABLE = 400, 64


def decimals(values):
    """Floats as the shortest decimals that give them back; infinities and NaN as words."""
    texts = [str(x) for x in values.numpy()]
    return [text if text.strip("-") in ("inf", "nan") else float(text) for text in texts]


def process(scores, chain, context):
    context = torch.tensor([context], dtype=torch.long)
    for name, value in chain:
        scores = CLASSES[name](value)(context, scores)
    return scores


def above_masked(scores):
    return (scores[0] > -torch.inf).nonzero().flatten()


# ---- small.json and real.json ------------------------------------------------------------------------------------


def logits_of(case):
    if "logits_file" in case:
        return torch.from_numpy(numpy.fromfile(vectors.FOLDER / case["logits_file"], dtype="<f4"))[None]
    return torch.tensor([[float(x) for x in case["logits"]]], dtype=torch.float32)


def refused(function, *arguments):
    try:
        function(*arguments)
    except (ValueError, RuntimeError) as error:
        return {"error": {"type": type(error).__name__, "message": str(error)}}
    raise RuntimeError(f"not refused: {arguments}")


# Cases that ask for an error have only a name: what a constructor is given, or a row without a distribution.
SHORT = {"rep": "repetition_penalty", "typ": "typical_p", "eps": "epsilon_cutoff"}
ROWS = {"nan": [torch.nan, 1.0, 2.0], "allneginf": [-torch.inf] * 3, "plusinf": [torch.inf, 1.0]}


def refusal(case):
    kind, _, rest = case["id"].partition("-")
    if kind == "multinomial":
        p = torch.softmax(torch.tensor([ROWS[rest]]), -1)
        return {"probs": decimals(p[0]), **refused(torch.multinomial, p, 1)}
    name = rest.rstrip("-0123456789.") if rest != "temperature_int" else "temperature"
    value = 1 if rest == "temperature_int" else (int if name == "top_k" else float)(rest.removeprefix(name))
    return refused(CLASSES[SHORT.get(name, name)], value)


def stream(p, seed, length):
    torch.manual_seed(int(seed))
    return [torch.multinomial(p, 1).item() for _ in range(length)]


def answer(case):
    if "chain" not in case:
        return refusal(case)
    raw, chain, context = logits_of(case), case["chain"], case.get("context", [])
    scores = process(raw, chain, context)
    p, kept = torch.softmax(scores, -1), above_masked(scores)
    said = {"n_kept": len(kept)}
    if len(kept) > LISTED:
        top = sorted(kept.tolist(), key=lambda i: (-p[0][i].item(), i))[:MOST_PROBABLE]
        said |= {"top_ids": top, "top_probs": decimals(p[0][top])}
    else:
        said |= {"kept": kept.tolist(), "probs": decimals(p[0][kept])}
    if [name for name, _ in chain] == ["repetition_penalty"]:
        changed = (scores != raw)[0].nonzero().flatten()
        said |= {"changed": changed.tolist(), "changed_scores": decimals(scores[0][changed])}
    if "torch_streams" in case:
        said["torch_streams"] = [{**s, "ids": stream(p, s["seed"], len(s["ids"]))} for s in case["torch_streams"]]
    return said


# ---- settings.json and masks.json --------------------------------------------------------------------------------


def bits(values):
    return values.numpy().astype(">f4").tobytes().hex()


def kept_if_stable(scores, chain, context):
    unstable = torch.sort
    torch.sort = lambda x, **options: unstable(x, stable=True, **options)
    try:
        return above_masked(process(scores, chain, context)).tolist()
    finally:
        torch.sort = unstable


def setting_answer(logits, chain, context):
    raw = torch.from_numpy(numpy.frombuffer(bytes.fromhex(logits), ">f4").astype("f4"))[None]
    scores = process(raw, chain, context)
    kept, p = above_masked(scores).tolist(), torch.softmax(scores, -1)[0]
    in_double = above_masked(process(raw.double(), chain, context)).tolist()
    said = {"rounding_sensitive": in_double != kept, "kept_count": len(kept)}
    if p.isnan().any():
        return {**said, "probs": "nan"}
    whole = process(raw, [step for step in chain if step[0] not in FILTERS], context)[0].tolist()
    values = {whole[i] for i in kept}
    said["tie_cut"] = any(x in values and i not in kept for i, x in enumerate(whole))
    stable = kept_if_stable(raw, chain, context)
    if stable != kept:
        said["kept_if_sort_were_stable"] = stable
    return {**said, "kept": kept, "probs": bits(p[kept])}


# ---- Files -------------------------------------------------------------------------------------------------------


def remake_cases(data):
    data["versions"] |= {"torch": torch.__version__, "transformers": transformers.__version__}
    data["cases"] = [{**case, **answer(case)} for case in data["cases"]]


def remake_settings(data):
    data["header"] |= {"torch": torch.__version__, "transformers": transformers.__version__}
    for case in data["cases"]:
        for name, setting in data["settings"].items():
            case["r"][name] = setting_answer(case["logits"], chain_of(setting), case["ctx"])


def remake_masks(data):
    data["header"] |= {"torch": torch.__version__, "transformers": transformers.__version__}
    data["cases"] = [{**case, **setting_answer(case["in"], chain_of(case["kw"]), [])} for case in data["cases"]]


def chain_of(setting):
    return [(step, setting[step]) for step in CLASSES if step in setting]


if __name__ == "__main__":
    torch.set_num_threads(1)
    makers = {"small": remake_cases, "real": remake_cases, "settings": remake_settings, "masks": remake_masks}
    vectors.remake({f"transformers/{name}": maker for name, maker in makers.items()}, __doc__)
