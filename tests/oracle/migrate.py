#!/usr/bin/env python3
"""Run the code that the page gives for moving from one engine to another, and note what the packages make of it.

    migrate.py ENGINE           run its cases of tests/vectors/migrate.json anew and rewrite the file
    migrate.py ENGINE --check   write nothing; exit 1 if an answer would change

ENGINE is transformers, llama.cpp, mlx-lm or candle; each has a virtual environment of its own (README.md), candle needs
cargo. The code is run as it stands in the file, which migrate.mjs writes. mlx-lm: only sample_utils.py is loaded.
"""

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import vectors

DRAWS = 20_000
ENGINE = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def run(code):
    names = {}
    exec(compile(code, "code", "exec"), names)
    return names


def answer_of(ids, p):
    left = sorted((int(i), float(x)) for i, x in zip(ids, p) if x > 0)
    return {"kept": [i for i, _ in left], "p": [x for _, x in left]}


# ---- transformers: generate itself, on a model that says the row --------------------------------------------------------


def transformers():
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    def answer(case, row):
        names, context = run(case["code"]), case["context"] or [0]
        config = GPT2Config(vocab_size=len(row), n_positions=64, n_embd=8, n_layer=1, n_head=1, bos_token_id=None, eos_token_id=None)
        model = GPT2LMHeadModel(config).eval()
        real = model.forward

        def forward(*args, **kwargs):
            output = real(*args, **kwargs)
            output.logits = torch.tensor(row).expand_as(output.logits)
            return output

        model.forward = forward
        how = {"generation_config": names["config"]} if "config" in names else generate_arguments(case["code"], names)
        ids = torch.tensor([context])
        output = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=1, output_scores=True, return_dict_in_generate=True, pad_token_id=0, **how
        )
        if "do_sample=False" in case["code"]:
            return answer_of([output.sequences[0, -1]], [1])
        return answer_of(range(len(row)), torch.softmax(output.scores[0][0], dim=-1))

    return answer


def generate_arguments(code, names):
    """Those of the call in the code's last line, which is a comment because it needs a model."""
    return eval(re.search(r"model\.generate\(ids, (.*)\)$", code.strip()).expand(r"dict(\1)"), names)


# ---- llama.cpp ------------------------------------------------------------------------------------------------------


def llama():
    import llama_cpp
    import numpy

    entry = numpy.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])

    def answer(case, row):
        entries = numpy.zeros(len(row), entry)
        entries["id"], entries["logit"] = numpy.arange(len(row)), row
        data = ctypes.cast(entries.ctypes.data, llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(data=data, size=len(entries), selected=-1, sorted=False)
        chain = run(case["code"])["chain_of"](len(row), case["context"], 42)
        llama_cpp.llama_sampler_apply(chain, ctypes.byref(array))
        llama_cpp.llama_sampler_free(chain)
        left = entries[: array.size]
        if "greedy()" in case["code"]:
            return answer_of([left["id"][array.selected]], [1])
        return answer_of(left["id"], left["p"])

    return answer


# ---- mlx-lm ---------------------------------------------------------------------------------------------------------


def mlx():
    import mlx.core as mx

    path = Path(importlib.util.find_spec("mlx_lm").origin).parent / "sample_utils.py"
    spec = importlib.util.spec_from_file_location("mlx_lm.sample_utils", path)
    utils = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(utils)
    sys.modules["mlx_lm"], sys.modules["mlx_lm.sample_utils"] = types.ModuleType("mlx_lm"), utils
    seen = []

    def heard(scores, temp):
        seen.append(scores * (1 / temp))
        return mx.array(0)

    utils.categorical_sampling = heard

    def answer(case, row):
        names, logits = run(case["code"]), mx.array([row], dtype=mx.float32)
        for process in names["processors"]:
            logits = process(mx.array(case["context"]), logits)
        seen.clear()
        chosen = names["sampler"](logits - mx.logsumexp(logits, keepdims=True))
        if not seen:
            return answer_of([chosen.item()], [1])
        return answer_of(range(len(row)), mx.softmax(seen[0][0]).tolist())

    return answer


# ---- candle: all code in one program, a module for each case ----------------------------------------------------------


def candle(document, cases):
    crate, build = vectors.FOLDER.parent / "oracle" / "candle", vectors.FOLDER.parents[1] / "build" / "candle"
    shutil.copytree(crate, build, dirs_exist_ok=True)
    modules = "".join(f"mod case{i} {{\n{case['code']}}}\n" for i, case in enumerate(cases))

    def call(i, case):
        row = ", ".join(f"{float(x)}f32" for x in document["rows"][case["row"]])
        return f"    count(&[{row}], &{case['context']}, case{i}::processor(42), case{i}::next)?;\n"

    calls = "".join(call(i, case) for i, case in enumerate(cases))
    (build / "src" / "bin").mkdir(exist_ok=True)
    (build / "src" / "bin" / "migrate.rs").write_text(
        f"""use candle_core::{{Device, Result, Tensor}};
use candle_transformers::generation::LogitsProcessor;

{modules}
fn count(row: &[f32], context: &[u32], mut processor: LogitsProcessor, next: fn(&mut LogitsProcessor, &Tensor, &[u32]) -> Result<u32>) -> Result<()> {{
    let logits = Tensor::from_slice(row, row.len(), &Device::Cpu)?;
    let mut counts = vec![0; row.len()];
    for _ in 0..{DRAWS} {{
        counts[next(&mut processor, &logits, context)? as usize] += 1;
    }}
    println!("{{counts:?}}");
    Ok(())
}}

fn main() -> Result<()> {{
{calls}    Ok(())
}}
"""
    )
    subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "migrate"], cwd=build, check=True)
    program = Path(os.environ.get("CARGO_TARGET_DIR", build / "target")) / "release" / "migrate"
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    for case, line in zip(cases, said, strict=True):
        counts = [int(x) for x in line.strip("[]").split(",")]
        case["answer"] = {"draws": DRAWS, "counts": [[i, count] for i, count in enumerate(counts) if count]}


PYTHON = {"transformers": transformers, "llama.cpp": llama, "mlx-lm": mlx}


def migrate(document):
    cases = [case for case in document["cases"] if case["to"] == ENGINE]
    if ENGINE == "candle":
        candle(document, cases)
        return
    answer = PYTHON[ENGINE]()
    for case in cases:
        case["answer"] = answer(case, document["rows"][case["row"]])


if ENGINE not in (*PYTHON, "candle"):
    sys.exit(__doc__)
vectors.remake({"migrate": migrate}, __doc__)
