#!/usr/bin/env python3
"""What `generate` of LLMs-from-scratch draws, and what the chapter's own rule draws, on torch.

    build/torch/bin/pip install --no-deps llms-from-scratch==1.0.19
    chapter.py [--check]

Rewrites tests/vectors/llms-from-scratch/small.json, which holds the rows, settings and seeds; with --check only compares. A
few seconds. Of the package only the function is taken, because its file imports what only training needs.
"""

import ast
import importlib.util
from pathlib import Path

import torch
from vectors import remake


def load():
    folder = importlib.util.find_spec("llms_from_scratch").submodule_search_locations[0]
    tree = ast.parse((Path(folder) / "ch05.py").read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "generate"]
    names = {"torch": torch}
    exec(compile(tree, "ch05.py", "exec"), names)
    return names["generate"]


def upstream(logits, settings, draws):
    """Forced logits, whatever the model is shown."""

    def model(ids):
        return logits.expand(1, ids.shape[1], -1)

    return GENERATE(model, torch.zeros(1, 1, dtype=torch.long), draws, 1, **settings)[0, 1:]


def chapter(logits, settings, draws):
    """Temperature first; exactly k survive, the smaller id first among equals; all others are set to -inf."""
    scaled = logits / settings["temperature"]
    if "top_k" in settings:
        best = torch.sort(scaled, descending=True, stable=True).indices[: settings["top_k"]]
        scaled = torch.full_like(scaled, -torch.inf).scatter(0, best, scaled[best])
    p = torch.softmax(scaled, dim=-1)
    return torch.cat([torch.multinomial(p, 1) for _ in range(draws)])


def probabilities(work):
    """Those that multinomial was called with; None if it was not."""
    seen = []
    real = torch.multinomial

    def heard(p, *rest, **more):
        seen.append(p.reshape(-1))
        return real(p, *rest, **more)

    torch.multinomial = heard
    try:
        return work(), seen[0] if seen else None
    finally:
        torch.multinomial = real


def answer(document):
    for case in document["cases"]:
        rule = upstream if case["engine"] == "llms-from-scratch" else chapter
        logits = torch.tensor(document["rows"][case["row"]], dtype=torch.float32)
        torch.manual_seed(int(case["seed"]))
        for key in ("ids", "kept", "probs", "error"):
            case.pop(key, None)
        try:
            ids, p = probabilities(lambda: rule(logits, case["settings"], case["draws"]))
        except (RuntimeError, IndexError) as error:
            case["error"] = type(error).__name__
            continue
        case["ids"] = ids.tolist()
        if p is not None:
            case["kept"] = p.nonzero().reshape(-1).tolist()
            case["probs"] = [float(f"{p[i].item():.9g}") for i in case["kept"]]


GENERATE = load()
if __name__ == "__main__":
    remake({"llms-from-scratch/small": answer}, __doc__)
