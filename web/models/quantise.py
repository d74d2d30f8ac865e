"""Rounds the matrices of the model zh to int8 with a scale a row and writes the file the C core reads in place.

  python quantise.py TEXT TRAINED.safetensors zh.safetensors

The file is described in docs/models.md. It is written here, not by the safetensors package, whose order of metadata is
not fixed: the same weights give the same bytes.
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from model import CONTEXT, HEADS

FACTS = {
    "format": "sampling-lab gpt 1",
    "name": "zh",
    "license": "MIT",
    "text": "poems of the Tang and Song, in the public domain, from npm chinese-poetry 2.0.1 (MIT)",
}


def rounded(matrix):
    """int8 in -127..127 and a float32 scale a row: weight = scale * int8."""
    scale = (np.abs(matrix).max(1) / np.float32(127)).astype(np.float32)
    scale[scale == 0] = 1
    return np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8), scale


def tensors(trained):
    """float32 first, so that all of them are aligned; within a type in the order of the forward pass."""
    floats, bytes_ = {}, {}
    for name, value in trained.items():
        if value.ndim == 2:
            bytes_[name], floats[name.replace("weight", "scale")] = rounded(value)
        else:
            floats[name] = value
    return floats | bytes_


def in_order(trained):
    rank = {"wte": 0, "wpe": 1, "h": 2, "ln_f": 3}
    parts = ["ln_1", "qkv", "proj", "ln_2", "up", "down"]

    def key(name):
        top, *rest = name.split(".")
        return (rank[top], int(rest[0]) if top == "h" else 0, parts.index(rest[1]) if top == "h" else 0, name.endswith("bias"))

    return {name: trained[name] for name in sorted(trained, key=key)}


def packed(values, metadata):
    """A safetensors file whose data begin at a multiple of 64."""
    header, at = {"__metadata__": metadata}, 0
    for name, value in values.items():
        kind = {"float32": "F32", "int8": "I8"}[str(value.dtype)]
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    return struct.pack("<Q", len(text)) + text + b"".join(v.astype(v.dtype.newbyteorder("<")).tobytes() for v in values.values())


def main(folder, trained, out):
    characters = (Path(folder) / "vocabulary.txt").read_text().strip()
    metadata = FACTS | {"heads": str(HEADS), "context": str(CONTEXT), "characters": characters}
    Path(out).write_bytes(packed(tensors(in_order(load_file(trained))), metadata))
    print(out, Path(out).stat().st_size, "bytes")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
