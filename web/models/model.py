"""The model zh: tokens, GPT-2's forward pass as textbooks build it, and the held-out losses."""
import math
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file

END, BYTE, CHARACTER = 0, 1, 257
COMMA, STOP = CHARACTER, CHARACTER + 1
FURTHER, LEAD = BYTE + 0x80, BYTE + 0xC0  # ids from FURTHER to before LEAD are bytes that go on with a character
WIDTH, LAYERS, HEADS, CONTEXT = 96, 4, 4, 64


class Tokens:
    """0 ends a poem and stands before it; 1 to 256 are the bytes 0 to 255; then a token a character, marks first. Other
    characters are written as their UTF-8 bytes."""

    def __init__(self, characters):
        self.characters = characters
        self.ids = {c: CHARACTER + i for i, c in enumerate(characters)}
        self.size = CHARACTER + len(characters)

    def encode(self, text):
        out = []
        for c in text:
            out += [self.ids[c]] if c in self.ids else [BYTE + b for b in c.encode()]
        return out

    def decode(self, ids):
        pieces = (bytes([i - BYTE]) if is_byte(i) else self.characters[i - CHARACTER].encode() for i in ids if i != END)
        return b"".join(pieces).decode("utf-8", "replace")


def is_byte(i):
    return BYTE <= i < CHARACTER


def units(ids):
    """The ids of each character, mark or end."""
    out = []
    for i in ids:
        if FURTHER <= i < LEAD:
            out[-1] += (i,)
        else:
            out.append((i,))
    return out


def read(folder):
    """Tokens, and the poems of train.txt and held.txt as lists of quatrains of ids, each with its end token."""
    folder = Path(folder)
    tokens = Tokens((folder / "vocabulary.txt").read_text().strip())
    poems = [
        [[tokens.encode(q) + [END] for q in line.split()] for line in (folder / name).read_text().splitlines()]
        for name in ("train.txt", "held.txt")
    ]
    return tokens, *poems


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.ln_1(x)).view(b, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, WIDTH))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.wte = nn.Embedding(size, WIDTH)
        self.wpe = nn.Embedding(CONTEXT, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                last = name.endswith(("proj.weight", "down.weight"))
                nn.init.normal_(p, std=0.03 / math.sqrt(2 * LAYERS) if last else 0.03)
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    def hidden(self, ids):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for block in self.h:
            x = block(x)
        return self.ln_f(x)

    def forward(self, ids):
        return self.hidden(ids) @ self.wte.weight.T


def load(path, size):
    """A model with the weights of a file, int8 ones as float32."""
    values = load_file(path)
    for name in [n for n in values if n.endswith("scale")]:
        values[name.replace("scale", "weight")] = values[name.replace("scale", "weight")] * values.pop(name)[:, None]
    model = Model(size)
    model.load_state_dict(values)
    return model


def padded(rows):
    """END, then each row of ids; -1 where a row has ended."""
    out = torch.full((len(rows), 1 + max(map(len, rows))), -1)
    out[:, 0] = END
    for i, row in enumerate(rows):
        out[i, 1 : 1 + len(row)] = torch.tensor(row)
    return out


def predicted(model, batch):
    """Logits of all tokens that follow others, [tokens, ids], and the ids that came."""
    y = batch[:, 1:].flatten()
    keep = (y >= 0).nonzero()[:, 0]
    x = model.hidden(batch[:, :-1].clamp(min=0)).flatten(0, 1)[keep]
    return x @ model.wte.weight.T, y[keep]


def loss(model, batch):
    """Mean nats a token."""
    return F.cross_entropy(*predicted(model, batch))


def form_loss(model, batch, own):
    """Mean nats a token of its kind alone: a comma, a full stop, the end, a byte that goes on with a character, the first byte of
    a rare character, a frequent one. Where a token is not the text's own, either of these will do."""
    z, y = predicted(model, batch)
    first = torch.cat([z[:, BYTE:FURTHER], z[:, LEAD:CHARACTER]], 1).logsumexp(1)
    frequent = z[:, STOP + 1 :].logsumexp(1)
    kinds = torch.stack([z[:, COMMA], z[:, STOP], z[:, END], z[:, FURTHER:LEAD].logsumexp(1), first, frequent], 1)
    bounds = torch.tensor([END, FURTHER - 1, LEAD - 1, CHARACTER - 1, COMMA, STOP])
    kind = torch.tensor([2, 4, 3, 4, 0, 1, 5])[torch.bucketize(y, bounds)]
    either = (kind >= 4) & ~own[batch[:, 1:] >= 0]
    right = torch.where(either, torch.logaddexp(first, frequent), kinds.gather(1, kind[:, None])[:, 0])
    return (kinds.logsumexp(1) - right).mean()


@torch.no_grad()
def frequent_losses(model, quatrains):
    """Nats of each of the 25 tokens of quatrains without bytes, bytes masked: [quatrains, 25]."""
    batch = padded([q for q in quatrains if not any(map(is_byte, q))])
    out = []
    for b in batch.split(200):
        z = model(b[:, :-1])
        z[..., BYTE:CHARACTER] = -math.inf
        out.append(F.cross_entropy(z.transpose(1, 2), b[:, 1:], reduction="none"))
    return torch.cat(out)


@torch.no_grad()
def all_loss(model, quatrains):
    """Nats a token over all quatrains, bytes included."""
    total = count = 0
    for i in range(0, len(quatrains), 200):
        b = padded(quatrains[i : i + 200])
        n = int((b[:, 1:] >= 0).sum())
        total += float(loss(model, b)) * n
        count += n
    return total / count
