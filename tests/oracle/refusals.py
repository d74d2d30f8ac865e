#!/usr/bin/env python3
"""Make tests/vectors/transformers/errors.json again: what transformers and torch refuse, in their own words.

    refusals.py           make every call of the file anew and rewrite it
    refusals.py --check   write nothing; exit 1 if the file would change

The calls stand in the file as Python, nearly: `model` is tiny and random and ends at no token, `ids[1,2]` are two, `k1`, `p09` and `minp`
processors. A call answers with the shape of its result, its id or its scores; or with the type and text of its error.
"""

import torch
import transformers
import vectors
from processors import CLASSES, made

TINY = transformers.LlamaConfig(
    vocab_size=64, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
    bos_token_id=None, eos_token_id=None,
)  # fmt: skip
NAMES = {"nan": torch.nan, "inf": torch.inf, "GenerationConfig": transformers.GenerationConfig}
NAMES |= {kind.__name__: kind for kind in CLASSES.values()}
NAMES |= {"k1": made.TopKLogitsWarper(1), "p09": made.TopPLogitsWarper(0.9), "minp": made.MinPLogitsWarper(0.1)}
NAMES |= {"softmax": lambda row: torch.softmax(torch.tensor([row]), -1), "multinomial": torch.multinomial}
NAMES |= {"argmax": lambda row: torch.tensor(row).argmax().item()}
NAMES |= {"ids": torch.tensor([[1, 2]]), "empty": torch.zeros(1, 0, dtype=torch.long), "model": transformers.LlamaForCausalLM(TINY).eval()}


def call(where, text):
    text = text.replace("empty ids [1,0]", "empty").replace("ids[1,2]", "ids")
    if "{'max_new_tokens'" in text:
        text = text.replace("max_new_tokens=2, ", "")  # given once
    if where == "processor":
        name, row = text.split(" on ")
        scores = NAMES[name](None, torch.tensor([eval(row, NAMES)]))
        return [str(x) for x in scores[0].tolist()]
    value = eval(text, NAMES)
    return list(value.shape) if where == "generate" else value if where == "greedy" else None


def answer(case):
    try:
        said = {"ok": True, "value": call(case["where"], case["call"])}
    except (ValueError, TypeError, RuntimeError) as error:
        said = {"ok": False, "type": type(error).__name__, "message": str(error)}
    return {"where": case["where"], "call": case["call"], **said}


def errors(document):
    document["header"] |= {"torch": torch.__version__, "transformers": transformers.__version__}
    document["cases"] = [answer(case) for case in document["cases"]]


if __name__ == "__main__":
    vectors.remake({"transformers/errors": errors}, __doc__)
