"""Trains the model zh on the text that data.py wrote, in float32.

  python train.py TEXT MODEL.safetensors [steps, 5000 if not given]

The held-out figures are only looked at: no step, no setting within a run depends on them. One thread; bits depend on the machine.
"""
import json
import random
import sys
import time

import torch
from safetensors.torch import save_file

from model import CONTEXT, Model, all_loss, frequent_losses, is_byte, loss, padded, read

BATCH, WARMUP, DECAY = 128, 200, 0.1
EVEN = 1000  # steps in which all quatrains are drawn alike
PEAKS = 0.02, 4e-3  # of Muon for the matrices of the blocks, of AdamW for the rest


def cut(rows):
    return [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]


def batches(poems, times, rng):
    """Each quatrain once an epoch, those of frequent characters alone so many times: they are a fifth of the text, and what
    the model is to write. Seven batches of single quatrains of like length, then one of rows of CONTEXT tokens cut from poem
    after poem, for positions beyond a quatrain and for a window that has slid."""
    quatrains = [q for poem in poems for q in poem]
    quatrains += (times - 1) * [q for q in quatrains if not any(map(is_byte, q))]
    while True:
        rng.shuffle(quatrains)
        chunks = (quatrains[i : i + 16 * BATCH] for i in range(0, len(quatrains), 16 * BATCH))
        single = [b for chunk in chunks for b in cut(sorted(chunk, key=len))]
        rng.shuffle(single)
        for n, batch in enumerate(single):
            yield padded(batch)
            if n % 7 == 6:
                row = BATCH * 30 // CONTEXT
                stream = [i for poem in rng.sample(poems, row * 2) for q in poem for i in q]
                rows = torch.tensor(stream[: row * (CONTEXT + 1)]).view(row, CONTEXT + 1)
                yield rows


def rate(step, steps):
    """Rises, stays, falls to 0 over the last two fifths."""
    return min(1, step / WARMUP, (steps - step) / (0.4 * steps))


def main(folder, out, steps):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    tokens, train, held = read(folder)
    held = [q for poem in held for q in poem]
    seen = random.Random(2).sample([q for poem in train for q in poem], len(held))
    model = Model(tokens.size)
    matrices = [p for n, p in model.named_parameters() if n.startswith("h.") and p.dim() == 2]
    embeddings = [model.wte.weight, model.wpe.weight]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    optimizers = [
        torch.optim.Muon(matrices, weight_decay=DECAY),
        torch.optim.AdamW([{"params": embeddings, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}], betas=(0.9, 0.98)),
    ]
    step_loss = torch.compile(loss, dynamic=True)
    source, later = batches(train, 1, random.Random(1)), batches(train, 4, random.Random(3))
    start, mean = time.time(), None
    for step in range(1, steps + 1):
        for optimizer, peak in zip(optimizers, PEAKS):
            for group in optimizer.param_groups:
                group["lr"] = peak * rate(step, steps)
        value = step_loss(model, next(source if step <= EVEN else later))
        model.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        mean = value.item() if mean is None else 0.98 * mean + 0.02 * value.item()
        if step % 500 == 0 or step == steps:
            figures = {
                "step": step,
                "batches": mean,
                "train": frequent_losses(model, seen).mean().item(),
                "held": frequent_losses(model, held).mean().item(),
                "held_all": all_loss(model, held),
                "seconds": time.time() - start,
            }
            print(json.dumps({k: round(v, 4) for k, v in figures.items()}), flush=True)
            save_file(model.state_dict(), out)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5000)
