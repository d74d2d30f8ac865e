"""The core as a shared object, for the scripts beside this one: its structures, and an array's address."""

import ctypes
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The functions of c/lanes.h, which have no names of their own in the library: in place; of `logs` n is even.
WEIGH = """
#include "lanes.h"
void weigh(float *x, size_t n);
void weigh(float *x, size_t n) {
  const lanes_exp_constants k = lanes_exp_ready();
  for (size_t at = 0; at < n; at += 64) {
    const size_t here = n - at < 64 ? n - at : 64;
    float block[64] = {0};
    memcpy(block, x + at, here * sizeof *x);
    lanes_exp_block(block, 0, 1, lanes_all(1), lanes_all(0), &k, block);
    memcpy(x + at, block, here * sizeof *x);
  }
}
void logs(double *x, size_t n);
void logs(double *x, size_t n) {
  for (size_t i = 0; i < n; i += 2) {
    lanes_wide two = lanes_wide_log((lanes_wide){x[i], x[i + 1]});
    x[i] = two[0];
    x[i + 1] = two[1];
  }
}
"""


def fields(kind, names):
    return [(name, kind) for name in names.split()]


class LabOptions(ctypes.Structure):
    _fields_ = (
        fields(ctypes.c_double, "tau u")
        + fields(ctypes.c_uint32, "k tie share n_filters")
        + fields(ctypes.c_void_p, "filters steps")
    )


class LabResult(ctypes.Structure):
    _fields_ = (
        fields(ctypes.c_double * 64, "score weight p start q lo hi")
        + fields(ctypes.c_double, "weight_sum kept_mass removed_mass sum_q entropy")
        + fields(ctypes.c_uint32, "n n_kept top id greedy")
        + fields(ctypes.c_uint8 * 64, "kept removed_by")
    )


class Distance(ctypes.Structure):
    _fields_ = (
        fields(ctypes.c_double, "total_variation max_difference kl entropy_p entropy_q")
        + fields(ctypes.c_uint32, "max_id")
    )


class Step(ctypes.Structure):
    _fields_ = (
        fields(ctypes.c_double, "value")
        + fields(ctypes.c_void_p, "ids values")
        + fields(ctypes.c_uint32, "count kind tie")
    )


class Chain(ctypes.Structure):
    _fields_ = (
        fields(ctypes.c_double, "u")
        + fields(ctypes.c_void_p, "steps context")
        + fields(ctypes.c_uint32, "n_steps n_context out")
    )


class StepInfo(ctypes.Structure):
    _fields_ = fields(ctypes.c_double, "max cut mass entropy") + fields(ctypes.c_uint32, "n_kept by_rounding")


class ChainResult(ctypes.Structure):
    _fields_ = fields(ctypes.c_uint32, "n_kept id by_rounding status param index")


TEMPERATURE, TOP_K, TOP_P = 0, 7, 8  # smp_step_kind of c/smp.h
STRICT, LAST = 0, 2  # SMP_TIE


def load(folder):
    """Compile the core into a folder and open it."""
    library, weigh = Path(folder) / "smp.so", Path(folder) / "weigh.c"
    weigh.write_text(WEIGH)
    sources = sorted(path for path in (ROOT / "c").glob("*.c") if path.name != "wasm.c" and not path.name.startswith("cli"))
    flags = ["-std=c11", "-ffp-contract=off", "-fno-math-errno", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'c'}"]
    subprocess.run(["cc", *flags, str(weigh), *map(str, sources), "-o", str(library)], check=True)
    core = ctypes.CDLL(str(library))
    size, at, real = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_double
    for name, result, *arguments in [
        ("smp_exp", real, real),
        ("smp_log", real, real),
        ("smp_log1p", real, real),
        ("smp_row_softmax", ctypes.c_int, at, size, at, at),
        ("smp_row_log_softmax", ctypes.c_int, at, size, at),
        ("smp_row_top_log_p", ctypes.c_int, at, size, at, at, size, at),
        ("smp_row_distance", ctypes.c_int, at, at, size, at, at),
        ("smp_row_draw", ctypes.c_int, at, size, real, at, at),
        ("smp_chain_work_size", size, size),
        ("smp_chain_run", ctypes.c_int, at, size, at, at, at, at, at, at),
        ("weigh", None, at, size),
        ("logs", None, at, size),
    ]:
        function = getattr(core, name)
        function.restype, function.argtypes = result, arguments
    return core


def address(array):
    """Of a numpy array, or of a ctypes structure or array."""
    return array.ctypes.data if hasattr(array, "ctypes") else ctypes.addressof(array)


def done(status):
    """Every call of these scripts is legal."""
    if status:
        raise RuntimeError(f"the core refused: {status}")
