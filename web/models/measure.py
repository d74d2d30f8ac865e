"""Figures of the model zh on held-out text, and 100 samples by seed.

  python measure.py TEXT TRAINED.safetensors zh.safetensors

prints them as markdown would have them; --check ends with an error where a target is missed.
"""
import collections
import math
import re
import sys
from pathlib import Path

import torch

from model import CONTEXT, END, all_loss, frequent_losses, is_byte, load, read

FORM = re.compile("[^，。\ufffd]{5}，[^，。\ufffd]{5}。[^，。\ufffd]{5}，[^，。\ufffd]{5}。")


@torch.no_grad()
def sample(model, seed, temperature, k, limit=CONTEXT - 1):
    """Ids up to the end token, or without one after limit tokens."""
    generator = torch.Generator().manual_seed(seed)
    ids = [END]
    while len(ids) <= limit:
        z = model(torch.tensor([ids]))[0, -1] / temperature
        z[z < z.topk(k).values[-1]] = -math.inf
        ids.append(int(torch.multinomial(z.softmax(-1), 1, generator=generator)))
        if ids[-1] == END:
            break
    return ids[1:]


def shared(train, held):
    """Share of the held-out lines that stand as they are in the training text."""
    known = set(lines(train))
    asked = lines(held)
    return sum(line in known for line in asked) / len(asked)


def lines(text):
    return [line for quatrain in text.split() for line in re.split("[，。]", quatrain)[:4]]


def unigram(train, held):
    """Nats a token by frequency alone, over the tokens of quatrains without bytes."""
    count = collections.Counter(i for p in train for q in p for i in q if not is_byte(i))
    total = count.total()
    ids = [i for q in held if not any(map(is_byte, q)) for i in q]
    return -sum(math.log(count[i] / total) for i in ids) / len(ids)


def main(folder, trained, rounded, check):
    torch.set_num_threads(1)
    tokens, train, held_poems = read(folder)
    held = [q for p in held_poems for q in p]
    exact, model = (load(path, tokens.size).eval() for path in (trained, rounded))
    by_place = frequent_losses(model, held)
    place = by_place.mean(0)
    mean, before = by_place.mean().item(), frequent_losses(exact, held).mean().item()
    cost = math.exp(all_loss(model, held) - all_loss(exact, held)) - 1
    error = by_place.mean(1).std().item() / math.sqrt(len(by_place))
    gap = (place[10] - place[22]).item()
    known = shared(*((Path(folder) / name).read_text() for name in ("train.txt", "held.txt")))
    samples = [sample(model, seed, 0.8, 40) for seed in range(1, 101)]
    texts = [tokens.decode(s) for s in samples]
    good = sum(s[-1] == END and bool(FORM.fullmatch(t)) for s, t in zip(samples, texts))
    print(f"held out, frequent characters: {len(by_place)} quatrains, {mean:.4f} nats a token, standard error {error:.4f}")
    print(f"  float32: {before:.4f}; frequency alone: {unigram(train, held):.4f}")
    print(f"held out, all: {len(held)} quatrains, {all_loss(model, held):.4f} nats a token, bytes included")
    print(f"perplexity, int8 against float32, all: {100 * cost:+.3f} %; frequent: {100 * math.expm1(mean - before):+.3f} %")
    print(f"held-out lines that stand in the training text: {100 * known:.2f} %")
    print("by place:", " ".join(f"{v:.2f}" for v in place.tolist()))
    print(f"last character of line 2: {place[10]:.3f}, of line 4: {place[22]:.3f}, difference {gap:.3f}")
    print(f"form kept: {good} of 100 samples at temperature 0.8, top-k 40, seeds 1 to 100")
    for seed, t in enumerate(texts, 1):
        print(f"  {seed}: {t}")
    if check:
        missed = [name for name, met in (
            ("3.90 nats", mean <= 3.90), ("rhyme", gap >= 1.5), ("form", good >= 98), ("int8", cost <= 0.01)) if not met]
        if missed:
            sys.exit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 3:
        sys.exit(__doc__)
    main(*arguments, "--check" in sys.argv)
