"""Logits of the model zh by PyTorch in double precision, on the weights that its file holds: scale times int8.

  build/models/bin/python tests/oracle/gpt.py [--check]

makes tests/vectors/gpt.json: 64 prompts, of 1 to 64 tokens, those of odd length as the model writes, those of even length any
tokens; of each row its least and largest logit and the token that is drawn at u = 0.5 by descending probability; and
tests/vectors/gpt.f32: of the prompt of n tokens the logits of every fourth id from n mod 4 on, one prompt after the other.
"""
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "web/models"))
from model import CONTEXT, END, Model  # noqa: E402

FILE = ROOT / "web/models/zh.safetensors"
OUT = ROOT / "tests/vectors/gpt.json"


def model_of(path):
    values = {name: torch.from_numpy(value.astype(np.float64)) for name, value in load_file(path).items()}
    for name in [n for n in values if n.endswith("scale")]:
        values[name.replace("scale", "weight")] *= values.pop(name)[:, None]
    model = Model(values["wte.weight"].shape[0]).double()
    model.load_state_dict(values)
    return model.eval()


def uniform():
    """Knuth's MMIX generator, its upper 32 bits."""
    state = 21
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (state >> 32) / 2**32


@torch.no_grad()
def row_of(model, ids):
    return model(torch.tensor([ids]))[0, -1].numpy()


def drawn(row, u):
    """The token at u where they stand by descending probability, equals by id."""
    order = np.argsort(-row, kind="stable")
    p = np.exp(row[order] - row.max())
    return int(order[np.searchsorted(np.cumsum(p / p.sum()), u, side="right")])


def main(check):
    torch.set_num_threads(1)
    model, u = model_of(FILE), uniform()
    size = model.wte.weight.shape[0]
    prompts, logits = [], []
    for n in range(1, CONTEXT + 1):
        ids = [END] if n % 2 else [int(next(u) * size) for _ in range(n)]
        while len(ids) < n:
            ids.append(drawn(row_of(model, ids), next(u)))
        row = row_of(model, ids)
        prompts.append({"ids": ids, "least": row.min(), "largest": row.max(), "drawn": drawn(row, 0.5)})
        logits.append(row[n % 4 :: 4].astype("<f4"))
    facts = {
        "_comment": " ".join(__doc__.split("makes ")[1].split()),
        "file": {"bytes": FILE.stat().st_size, "sha256": hashlib.sha256(FILE.read_bytes()).hexdigest()},
    }
    lines = ",\n".join("  " + json.dumps(p) for p in prompts)
    text = json.dumps(facts, indent=1)[:-2] + ',\n "prompts": [\n' + lines + "\n ]\n}\n"
    files = {OUT: text.encode(), OUT.with_suffix(".f32"): np.concatenate(logits).tobytes()}
    for path, content in files.items():
        if check and path.read_bytes() != content:
            sys.exit(f"{path}: would change")
        path.write_bytes(content)


if __name__ == "__main__":
    main("--check" in sys.argv)
