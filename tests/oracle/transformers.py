#!/usr/bin/env python3
"""Ask the real transformers processors which ids they keep: vectors of the kind of tests/vectors/transformers.

    transformers.py CASES.json OUT.json   CASES: [{"id", "logits" or "logits_file", "chain", "context"}]

Run it in a folder of its own with torch==2.15.0 (CPU) and transformers==5.22.0 installed; paths of logits are relative
to that folder. A chain is a list of [parameter name, value], in the order in which the processors are to run.
"""

import json
import sys

sys.path.pop(0)  # this file has the name of the package
import numpy
import torch
import transformers
from transformers.generation import logits_process as processors

CLASSES = {
    "temperature": "TemperatureLogitsWarper",
    "repetition_penalty": "RepetitionPenaltyLogitsProcessor",
    "no_repeat_ngram_size": "NoRepeatNGramLogitsProcessor",
    "top_k": "TopKLogitsWarper",
    "top_p": "TopPLogitsWarper",
    "min_p": "MinPLogitsWarper",
    "typical_p": "TypicalLogitsWarper",
    "epsilon_cutoff": "EpsilonLogitsWarper",
    "eta_cutoff": "EtaLogitsWarper",
    "top_h": "TopHLogitsWarper",
}
LISTED, MOST_PROBABLE = 400, 64


def shortest(values):
    """Floats as the shortest decimals that give them back; infinities and NaN as words."""
    words = {"inf": "inf", "-inf": "-inf", "nan": "nan"}
    return [words.get(str(x), None) or float(str(x)) for x in numpy.asarray(values, dtype=numpy.float32)]


def logits_of(case):
    if "logits_file" in case:
        return torch.from_numpy(numpy.fromfile(case["logits_file"], dtype="<f4").copy())[None]
    return torch.tensor([[float(x) for x in case["logits"]]], dtype=torch.float32)


def run(case):
    raw = scores = logits_of(case)
    context = torch.tensor([case.get("context", [])], dtype=torch.long)
    changed = None
    try:
        for name, value in case["chain"]:
            scores = getattr(processors, CLASSES[name])(value)(context, scores)
            if name.endswith("_penalty"):
                changed = (scores != raw)[0].nonzero().flatten()
                changed_scores = scores[0][changed]
    except ValueError as error:
        return {"id": case["id"], "error": {"type": type(error).__name__, "message": str(error)}}
    p = torch.softmax(scores, dim=-1)[0]
    kept = (scores[0] > -torch.inf).nonzero().flatten()
    answer = {**case, "n_kept": len(kept)}
    if len(kept) > LISTED:
        top = sorted(kept.tolist(), key=lambda i: (-p[i].item(), i))[:MOST_PROBABLE]
        answer |= {"top_ids": top, "top_probs": shortest(p[top])}
    else:
        answer |= {"kept": kept.tolist(), "probs": shortest(p[kept])}
    if changed is not None:
        answer |= {"changed": changed.tolist(), "changed_scores": shortest(changed_scores)}
    return answer


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    with open(sys.argv[2], "w") as file:
        json.dump({"versions": versions, "cases": [run(case) for case in cases]}, file, ensure_ascii=False)


if __name__ == "__main__":
    main()
