"""Times others' samplers on a painted row: peers.py ROW.f32 REPEATS torch|transformers|llama.cpp -> JSON lines.

One thread. `torch` is the shortest way with torch alone; `transformers` runs the processors of `generate`;
`llama.cpp` its sampler chain, called through llama-cpp-python.
"""

import ctypes
import json
import statistics
import sys
import time

import numpy

KERNELS = (
    "top-k 50 + softmax + draw",
    "temperature + softmax + draw",
    "temperature + top-p 0.9 + draw",
    "making llama.cpp's array",
)


# A pipeline is what is timed, of what was restored before, and how to restore it.


def plain(run):
    return lambda _: run(), lambda: None


def torch_pipelines(row):
    import torch

    torch.set_num_threads(1)
    logits = torch.from_numpy(row)

    def draw(p):
        return torch.multinomial(p, 1)

    def top_k():
        best = torch.topk(logits, 50)
        return best.indices[draw(torch.softmax(best.values, -1))]

    def temperature():
        return draw(torch.softmax(logits / 0.8, -1))

    def top_p():
        p, ids = torch.sort(torch.softmax(logits / 0.8, -1), descending=True)
        p[torch.cumsum(p, -1) - p >= 0.9] = 0
        return ids[draw(p)]

    return [plain(pipeline) for pipeline in (top_k, temperature, top_p)]


def transformers_pipelines(row):
    import torch
    from transformers.generation import logits_process as made

    torch.set_num_threads(1)
    logits = torch.from_numpy(row)[None]
    hot = made.TemperatureLogitsWarper(0.8)

    def pipeline(*processors):
        def run():
            scores = logits
            for processor in processors:
                scores = processor(None, scores)
            return torch.multinomial(torch.softmax(scores, -1), 1)

        return plain(run)

    return pipeline(made.TopKLogitsWarper(50)), pipeline(hot), pipeline(hot, made.TopPLogitsWarper(0.9))


def llama_pipelines(row):
    """Its array of (id, logit, p), which its samplers sort and cut, is restored outside the time. Making it, once a
    row, is a line of its own: with numpy here, with a loop in its own programs."""
    import llama_cpp as llama

    entry = numpy.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
    ids, data = numpy.arange(len(row), dtype="<i4"), numpy.zeros(len(row), entry)
    pointer = data.ctypes.data_as(ctypes.POINTER(llama.llama_token_data))

    def restore():
        data["id"], data["logit"], data["p"] = ids, row, 0
        return llama.llama_token_data_array(pointer, len(row), -1, False)

    def pipeline(*samplers):
        chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        for sampler in (*samplers, llama.llama_sampler_init_dist(42)):
            llama.llama_sampler_chain_add(chain, sampler)
        return lambda tokens: llama.llama_sampler_apply(chain, ctypes.byref(tokens)), restore

    hot, top_k, top_p = llama.llama_sampler_init_temp, llama.llama_sampler_init_top_k, llama.llama_sampler_init_top_p
    array = lambda _: restore(), lambda: None
    return pipeline(top_k(50)), pipeline(hot(0.8)), pipeline(hot(0.8), top_p(0.9, 1)), array


def milliseconds(run, restore):
    tokens = restore()
    start = time.perf_counter()
    run(tokens)
    return (time.perf_counter() - start) * 1e3


def main():
    path, repeats, peer = sys.argv[1:]
    row = numpy.fromfile(path, dtype="<f4")
    pipelines = {"torch": torch_pipelines, "transformers": transformers_pipelines, "llama.cpp": llama_pipelines}
    for kernel, (run, restore) in zip(KERNELS, pipelines[peer](row)):
        ms = [milliseconds(run, restore) for _ in range(int(repeats) + 3)][3:]
        print(json.dumps({"kernel": kernel, "ms": statistics.median(ms)}))


if __name__ == "__main__":
    main()
