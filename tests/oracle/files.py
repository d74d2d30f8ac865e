"""Files of logits as numpy and safetensors write them, and what they hold: tests/vectors/files. Run it in build/venv.

Every number is exact in the type of its file; what a reader must give is in files.json as 32-bit floats, written in hex.
With --check nothing is written and a difference ends in status 1."""

import io
import json
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save

FOLDER = Path(__file__).parent.parent / "vectors" / "files"


def row_of(dtype, count=40):
    """Numbers at the edges of a type, then some between."""
    info = ml_dtypes.finfo(dtype)
    edges = [0.0, -0.0, 1.0, -1.5, float(info.smallest_subnormal), -float(info.smallest_normal), float(info.eps), -np.inf]
    if dtype != np.float64:
        edges += [float(info.max), float(info.min)]
    spread = np.random.default_rng(8).normal(0, 6, count - len(edges))
    return np.concatenate([edges, spread]).astype(dtype)


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()


def floats(array):
    """As 32-bit floats, and how many had to be rounded."""
    with np.errstate(over="raise", under="ignore"):
        single = np.asarray(array).astype(np.float32)
    rounded = int(np.sum(single.astype(np.float64) != np.asarray(array).astype(np.float64)))
    return {"row": single.astype(">f4").tobytes().hex(), "rounded": rounded}


def build():
    files, cases = {}, []

    def add(name, data, arrays):
        files[name] = data
        tensors = [{"name": key, "shape": list(array.shape), "rows": [floats(row) for row in np.atleast_2d(array)]} for key, array in arrays.items()]
        cases.append({"file": name, "tensors": tensors})

    for code, dtype in {"f2": np.float16, "f4": np.float32, "f8": np.float64}.items():
        row = row_of(dtype)
        for order, word in {"<": "little", ">": "big"}.items():
            add(f"{code}-{word}.npy", npy(row.astype(f"{order}{code}")), {"": row})
    table = row_of(np.float32, 24).reshape(2, 12)
    add("two-rows.npy", npy(table), {"": table})
    halves = row_of(np.float16, 36).reshape(3, 12)
    add("two-dimensions-big.npy", npy(halves.astype(">f2")), {"": halves})
    # a column taken out of a table is one row again, though Fortran's order is noted in some versions
    add("one-row.npy", npy(np.asfortranarray(row_of(np.float32, 12).reshape(1, 12))), {"": row_of(np.float32, 12).reshape(1, 12)})
    files["fortran.npy"] = npy(np.asfortranarray(table))
    files["three.npy"] = npy(np.zeros((2, 2, 2), np.float32))
    files["integers.npy"] = npy(np.arange(4))

    tensors = {
        "logits": row_of(np.float32),
        "half": row_of(np.float16, 36).reshape(3, 12),
        "brain": row_of(ml_dtypes.bfloat16, 24).reshape(2, 12),
    }
    others = {"ids": np.arange(3, dtype=np.int64), "cube": np.zeros((2, 2, 2), np.float32)}
    add("three-types.safetensors", save({**tensors, **others}, {"made by": "files.py"}), tensors)
    add("one.safetensors", save({"lm_head.logits": tensors["brain"]}), {"lm_head.logits": tensors["brain"]})
    files["no-row.safetensors"] = save(others)
    files["files.json"] = (json.dumps({"_comment": "See tests/oracle/files.py: rows as big-endian float32 in hex.", "cases": cases}, indent=1) + "\n").encode()
    return files


def main():
    files, check, same = build(), "--check" in sys.argv[1:], True
    FOLDER.mkdir(exist_ok=True)
    for name, data in files.items():
        path = FOLDER / name
        if check:
            same &= path.exists() and path.read_bytes() == data
        else:
            path.write_bytes(data)
    sys.exit(0 if same else 1)


main()
