#!/usr/bin/env python3
"""What mlx-lm's samplers keep, and the probabilities that they draw with.

    pip install 'mlx[cpu]==0.32.4' && pip install --no-deps mlx-lm==0.31.3
    mlx_samplers.py > tests/vectors/mlx-lm/small.json

About 200 MB and a few seconds, on Linux too. Only mlx_lm/sample_utils.py is loaded, which needs nothing but mlx.
From 0.32 on top-p keeps all that equal its last value, and never removes everything.
"""

import importlib.util
import json
from importlib.metadata import version
from pathlib import Path

import mlx.core as mx


def load():
    path = Path(importlib.util.find_spec("mlx_lm").origin).parent / "sample_utils.py"
    spec = importlib.util.spec_from_file_location("sample_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


utils = load()


def painted(n, steps, factor):
    """n numbers with `steps` different values; without ties if steps >= n."""
    return [((i * factor + 17) % 1009) % steps / 8 - 3 for i in range(n)]


ROWS = {
    "falling": [3, 2, 1, 0, -1],
    "nucleus": [-0.6931471805599453, -1.2039728043259361, -1.8971199848858813, -2.995732273553991],
    "equals": [0, 0, 0, 0, 0, 0],
    "pairs": [1, 2, 2, 1, 3, 3, 0],
    "wide": [-40, 30, 29.5, -300, 12.25, 27],
    "forty": painted(40, 1009, 389),
    "many": painted(300, 1009, 271),
}

SETTINGS = [
    {},
    {"top_k": 2},
    {"top_p": 0.9},
    {"top_p": 0.5},
    {"top_p": 1e-8},
    {"min_p": 0.1},
    {"min_p": 1.0},
    {"top_p": 0.8, "min_p": 0.2, "top_k": 3},
    {"top_p": 0.95, "top_k": 4},
]
CONTEXT = [0, 3, 3, 1, 2, 0]


def run(row, settings, temperature, penalty):
    logits = mx.array([row], dtype=mx.float32)
    if penalty != 1:
        logits = utils.make_repetition_penalty(penalty)(mx.array(CONTEXT), logits)
    logprobs = logits - mx.logsumexp(logits, keepdims=True)
    seen = []
    draw = utils.categorical_sampling
    utils.categorical_sampling = lambda scores, temp: seen.append(scores * (1 / temp)) or mx.array(0)
    try:
        utils.make_sampler(temp=temperature, **settings)(logprobs)
    except ValueError as error:
        return {"error": str(error)}
    finally:
        utils.categorical_sampling = draw
    scores = seen[0][0]
    kept = [i for i, x in enumerate(scores.tolist()) if x > float("-inf")]
    return {"kept": kept, "p": [mx.softmax(scores).tolist()[i] for i in kept]} if kept else {"kept": []}


cases = [
    {"row": name, "settings": {"temperature": temperature, **settings, **({"repetition_penalty": penalty} if penalty != 1 else {})}, **run(row, settings, temperature, penalty)}
    for name, row in ROWS.items()
    for settings in SETTINGS
    for temperature, penalty in ((1.0, 1), (0.6, 1), (1.5, 1.3))
]
versions = f"mlx-lm {version('mlx-lm')}, mlx {version('mlx')}"
lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
print(f'{{\n"_comment":"{versions}: kept ids and the probabilities drawn with; context {CONTEXT}",\n"rows":{json.dumps(ROWS)},\n"cases":[\n{lines}\n]\n}}')
