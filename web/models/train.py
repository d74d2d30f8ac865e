"""Trains the model zh on the text that data.py wrote, in float32.

  python train.py TEXT MODEL.safetensors [--steps 5000] [--form-steps 600] [--from WEIGHTS.safetensors]

First STEPS on the text, then FORM-STEPS in which the form of quatrains with many rare characters is practised too. --from: weights,
also of int8, that are taken for what the first steps would make. The held-out figures are only looked at: no step, no setting
within a run depends on them. One thread; bits depend on the machine.
"""
import argparse
import json
import random
import time

import torch
from safetensors.torch import save_file

from model import COMMA, CONTEXT, END, STOP, Model, all_loss, form_loss, frequent_losses, is_byte, load, loss, padded, read, units

BATCH, WARMUP, DECAY = 128, 200, 0.1
EVEN = 1000  # steps in which all quatrains are drawn alike
PEAKS = 0.02, 4e-3  # of Muon for the matrices of the blocks, of AdamW for the rest
FORM_SHARE = 0.2  # of the peaks
FORM_BATCH, FORM_WEIGHT = 48, 4  # quatrains a step whose form is practised; weight of their loss


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


def rarer(poems, times, rng):
    """Quatrains in whose beginnings any share of the characters is replaced by rare ones, as where these run away with a text;
    and which tokens are predicted after such a beginning. Those of frequent characters alone come so many times."""
    quatrains = [units(q) for poem in poems for q in poem]
    seen = [u for q in quatrains for u in q if len(u) > 1]
    rare = seen, sorted(set(seen))
    quatrains += (times - 1) * [q for q in quatrains if all(len(u) == 1 for u in q)]
    kept = {(COMMA,), (STOP,), (END,)}
    while True:
        rows, own = [], []
        for quatrain in rng.sample(quatrains, FORM_BATCH):
            share, end = rng.random(), rng.randrange(len(quatrain) + 1)
            new = [rng.choice(rng.choice(rare)) if u not in kept and rng.random() < share else u for u in quatrain[:end]]
            row = [[i for u in part for i in u] for part in (new, quatrain[end:])]
            rows.append(sum(row, [])[:CONTEXT])
            own.append(len(row[0]))
        batch = padded(rows)
        yield batch, torch.arange(batch.shape[1] - 1) >= torch.tensor(own)[:, None]


def base_rate(step, steps):
    """Rises, stays, falls to 0 over the last two fifths."""
    return min(1, step / WARMUP, (steps - step) / (0.4 * steps))


def form_rate(step, steps):
    """A share of the peaks: rises for an eleventh of the steps, then falls to 0 in a line."""
    return FORM_SHARE * min(10 * step, steps - step) / steps


def optimizers_of(model):
    matrices = [p for n, p in model.named_parameters() if n.startswith("h.") and p.dim() == 2]
    embeddings = [model.wte.weight, model.wpe.weight]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    return [
        torch.optim.Muon(matrices, weight_decay=DECAY),
        torch.optim.AdamW([{"params": embeddings, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}], betas=(0.9, 0.98)),
    ]


def run(model, steps, rate, losses, weights, report, every):
    """Steps down the weighted sum of the losses of each step; their means of late go to the report."""
    optimizers, means = optimizers_of(model), None
    for step in range(1, steps + 1):
        for optimizer, peak in zip(optimizers, PEAKS):
            for group in optimizer.param_groups:
                group["lr"] = peak * rate(step, steps)
        values = losses(step)
        model.zero_grad()
        sum(w * v for w, v in zip(weights, values)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        now = [v.item() for v in values]
        means = [0.98 * m + 0.02 * v for m, v in zip(means, now)] if means else now
        if step % every == 0 or step == steps:
            report(step, means)


def main(folder, out, steps, form_steps, start_from):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    tokens, train, held = read(folder)
    held = [q for poem in held for q in poem]
    seen = random.Random(2).sample([q for poem in train for q in poem], len(held))
    model = load(start_from, tokens.size) if start_from else Model(tokens.size)
    step_loss, step_form = (torch.compile(f, dynamic=True) for f in (loss, form_loss))
    start = time.time()

    def report(step, means):
        figures = {
            "step": step,
            **dict(zip(("batches", "form"), means)),
            "train": frequent_losses(model, seen).mean().item(),
            "held": frequent_losses(model, held).mean().item(),
            "held_all": all_loss(model, held),
            "seconds": time.time() - start,
        }
        print(json.dumps({k: round(v, 4) for k, v in figures.items()}), flush=True)
        save_file(model.state_dict(), out)

    later = batches(train, 4, random.Random(3))
    if not start_from:
        early = batches(train, 1, random.Random(1))
        run(model, steps, base_rate, lambda step: [step_loss(model, next(early if step <= EVEN else later))], (1,), report, 500)
    rare = rarer(train, 4, random.Random(4))
    both = lambda _: [step_loss(model, next(later)), step_form(model, *next(rare))]
    run(model, form_steps, form_rate, both, (1, FORM_WEIGHT), report, 100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--form-steps", type=int, default=600)
    parser.add_argument("--from", dest="start_from")
    given = parser.parse_args()
    main(given.text, given.model, given.steps, given.form_steps, given.start_from)
