#!/usr/bin/env python3
"""Make tests/vectors/llama.cpp again: what its samplers leave of an array, and the ids that `dist` draws.

    llama_samplers.py           answer every case anew and rewrite the files
    llama_samplers.py --check   write nothing; exit 1 if a file would change

What is asked (rows, chains, contexts, seeds, and which parts of an answer) is the files' own, through the low-level API of
llama-cpp-python. DRY with breakers in words needs the model's vocabulary: those cases are kept as recorded.
"""

import ctypes
import zlib

import llama_cpp
import numpy
import vectors

ENTRY = numpy.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
MAKERS = {
    name: getattr(llama_cpp, f"llama_sampler_init_{name}")
    for name in "greedy dist top_k top_p min_p typical temp temp_ext xtc top_n_sigma".split()
}


def sampler(name, arguments, n_vocab):
    if name == "penalties":
        return llama_cpp.llama_sampler_init_penalties(n_vocab, *arguments)
    if name == "dry":
        return llama_cpp.llama_sampler_init_dry(None, *arguments[:4], None, 0)
    return MAKERS[name](*arguments)


class Chain:
    def __init__(self, spec, row, context=()):
        self.row = row
        self.chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for name, *arguments in spec:
            llama_cpp.llama_sampler_chain_add(self.chain, sampler(name, arguments, len(row)))
        for token in context:
            self.accept(token)

    def __del__(self):
        llama_cpp.llama_sampler_free(self.chain)

    def accept(self, token):
        llama_cpp.llama_sampler_accept(self.chain, token)

    def apply(self):
        """The entries that are left of a fresh array, in their order, with what the array says of itself."""
        entries = numpy.zeros(len(self.row), ENTRY)
        entries["id"], entries["logit"] = numpy.arange(len(self.row)), self.row
        data = ctypes.cast(entries.ctypes.data, llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(data=data, size=len(entries), selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self.chain, ctypes.byref(array))
        start = (ctypes.addressof(array.data.contents) - entries.ctypes.data) // ENTRY.itemsize  # xtc moves it
        return entries[start : start + array.size], array.selected, array.sorted


def numbers(values):
    return [vectors.number(str(x)) for x in values]


def row_of(document, case):
    if "logit_files" in document:
        return numpy.fromfile(vectors.FOLDER / document["logit_files"][case["v"]], "<f4")
    row = document["vectors"][case["v"]] if "v" in case else case["logits"]
    return numpy.array([float(x) for x in row], "f4")


def in_words(case):
    """Whether a breaker would have to be looked up in a vocabulary."""
    return any(name == "dry" and rest[0] != 0 and rest[4] for name, *rest in case["spec"])


def answer(document, case):
    if in_words(case):
        return
    row, context = row_of(document, case), case.get("context", [])
    left, selected, is_sorted = Chain(case["spec"], row, context).apply()
    ended, _, _ = Chain([*case["spec"], ["dist", 0]], row, context).apply()
    shown = slice(len(case.get("ids", ())))
    score = "logits_out" if "logits_out" in case else "logits"  # at an edge "logits" is the row that is asked about
    changed = numpy.flatnonzero(left["logit"].view("u4") != row[left["id"]].view("u4"))
    finite = left["id"][numpy.isfinite(left["logit"])]
    parts = {
        "size": lambda: len(left),
        "sorted": lambda: is_sorted,
        "ids": lambda: left["id"][shown].tolist(),
        score: lambda: numbers(left["logit"][shown]),
        "p": lambda: numbers(left["p"][shown]),
        "p_softmax": lambda: numbers(ended["p"][shown]),
        "ids_crc32": lambda: zlib.crc32(left["id"].tobytes()),
        "logits_crc32": lambda: zlib.crc32(left["logit"].tobytes()),
        "p_softmax_crc32": lambda: zlib.crc32(ended["p"].tobytes()),
        "n_finite": lambda: len(finite),
        "finite_ids": lambda: finite.tolist(),
        "changed": lambda: [[int(left["id"][i]), *numbers(left["logit"][i : i + 1])] for i in changed],
        "selected_id": lambda: int(left["id"][selected]),
    }
    case.update({name: part() for name, part in parts.items() if name in case})


def stream(chain, n, accept):
    ids, sizes = [], []
    for _ in range(n):
        left, selected, _ = chain.apply()
        ids.append(int(left["id"][selected]))
        sizes.append(len(left))
        if accept:
            chain.accept(ids[-1])
    return ids, sizes


def draw(document, case):
    chain = Chain([*case["spec"], ["dist", case["seed"]]], row_of(document, case), case.get("context", []))
    ids, sizes = stream(chain, len(case["ids"]), case.get("accept", False))
    case.update({name: part for name, part in (("ids", ids), ("sizes", sizes)) if name in case})


def remake(document):
    for case in document.get("apply", []) + document.get("edge", []):
        if "ids_stream" in case:
            chain = Chain(case["spec"], row_of(document, case))
            case["ids_stream"], _ = stream(chain, len(case["ids_stream"]), False)
        else:
            answer(document, case)
    for case in document.get("streams", []):
        draw(document, case)


if __name__ == "__main__":
    files = ("small", "edge", "real-c", "dry-penalties")
    vectors.remake({f"llama.cpp/{name}": remake for name in files}, __doc__)
