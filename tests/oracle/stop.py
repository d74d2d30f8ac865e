#!/usr/bin/env python3
"""Make tests/vectors/stop.json again: what transformers' `generate` appends to a batch whose next tokens are forced.

    stop.py           answer every batch of the file anew and rewrite it, with the versions that answered
    stop.py --check   write nothing; exit 1 if the file would change

The batches (prompt, mask, candidates, limit, ids) are the file's own; only `new_tokens` and `versions` are made. The
model is tiny and random and needs no download: a logits processor leaves one possible token a row and step, so that
everything after the choice - EOS, PAD, the columns, the end of the batch - is `generate`'s own.
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, LogitsProcessor, LogitsProcessorList

FILE = Path(__file__).resolve().parents[1] / "vectors" / "stop.json"
VOCABULARY = 64


class Forced(LogitsProcessor):
    """Leaves only the candidate of each row for the step that `input_ids` has come to."""

    def __init__(self, candidates, prompt_length):
        self.candidates = candidates
        self.prompt_length = prompt_length

    def __call__(self, input_ids, scores):
        step = input_ids.shape[1] - self.prompt_length
        forced = torch.full_like(scores, -torch.inf)
        for row, tokens in enumerate(self.candidates):
            forced[row, tokens[step]] = 0.0
        return forced


def tiny_model():
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=32, n_embd=8, n_layer=1, n_head=1, bos_token_id=None, eos_token_id=None
    )
    return GPT2LMHeadModel(config).eval()


def new_tokens(model, case):
    prompt = torch.tensor(case["prompt"])
    output = model.generate(
        prompt,
        attention_mask=torch.tensor(case["attention_mask"]),
        do_sample=False,
        num_beams=1,
        max_new_tokens=case["max_new_tokens"],
        eos_token_id=case["eos_id"],
        pad_token_id=case["pad_id"],
        logits_processor=LogitsProcessorList([Forced(case["candidates"], prompt.shape[1])]),
    )
    return output[:, prompt.shape[1] :].tolist()


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    old = FILE.read_text()
    data = json.loads(old)
    model = tiny_model()
    data["versions"] = {"torch": torch.__version__, "transformers": transformers.__version__}
    for case in data["cases"]:
        case["new_tokens"] = new_tokens(model, case)
    new = json.dumps(data, separators=(",", ":"))
    if new != old and not check:
        FILE.write_text(new)
    print(f"stop.json: {'unchanged' if new == old else 'differs' if check else 'rewritten'}")
    sys.exit(1 if check and new != old else 0)


if __name__ == "__main__":
    main()
