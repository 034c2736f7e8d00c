"""Rivals that bench.py measures: of attention and of norms those of PyTorch, and packages where they are installed; of products
cublasLt or hipBLASLt by its own interface.

On AMD they are AOTriton's and CK's attention by PyTorch, and AITER's attention and norms (CK's layer norm), if the package
amd-aiter is there. On NVIDIA they are cuDNN's and FlashAttention's by PyTorch, and FlashAttention 4 by the package
flash-attn-4.
"""

import ctypes
import ctypes.util
import importlib
import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parent / "../gemm"))  # where no copy is beside this file
from one_by_one import packaged_libraries  # noqa: E402


def find(module, name):
    """The function `name` of a module, or None where the module or the function is not there, or cannot be loaded."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except Exception:  # a package for another GPU or another PyTorch may say anything
        return None


def attention_rivals(causal, grouped, what):
    """Name -> function of Q, K and V as our kernels have them: [batch, heads, rows, columns]."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def by(backend, library=None):
        def attend(q, k, v):
            if library:
                torch.backends.cuda.preferred_rocm_fa_library(library)
                if library == "ck" and not torch.backends.cuda.is_ck_sdpa_available():
                    raise RuntimeError("this PyTorch has no attention by Composable Kernel")
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)

        return attend

    def by_rows(attend):
        """attend takes [batch, rows, heads, columns]; backward passes differentiate what comes out."""

        def turned(q, k, v):
            o = attend(*(t.transpose(1, 2) for t in (q, k, v)))
            return (o[0] if isinstance(o, tuple) else o).transpose(1, 2)

        return turned

    if torch.version.hip:
        rivals = {name: by(SDPBackend.FLASH_ATTENTION, name) for name in ("aotriton", "ck")}
        if aiter := find("aiter", "flash_attn_func"):
            rivals["aiter"] = by_rows(lambda q, k, v: aiter(q, k, v, causal=causal))
        return rivals
    rivals = {"cudnn": by(SDPBackend.CUDNN_ATTENTION), "flash": by(SDPBackend.FLASH_ATTENTION)}
    if flash4 := find("flash_attn.cute", "flash_attn_func"):
        rivals["flash4"] = by_rows(lambda q, k, v: flash4(q, k, v, causal=causal, num_splits=0 if what == "decode" else 1))
    return rivals


def row_rivals(name, columns):
    """Name -> function of x [rows, columns], for an operation on rows by its name in bench.py."""
    rival = torch.version.hip and find("aiter", {"layernorm": "layer_norm", "rmsnorm": "rms_norm"}.get(name, ""))
    if not rival:
        return {}
    parameters = [torch.ones(columns, device="cuda", dtype=torch.bfloat16)]
    if name == "layernorm":
        parameters.append(torch.zeros_like(parameters[0]))
    return {"aiter": lambda x: rival(x, *parameters, 1e-5)}


# Products. Values are those of cublasLt.h 13 and cublas_api.h, and of hipblaslt.h 0.6 and later.


class CublasLt:
    prefix, file, algorithm_bytes, compute = "cublasLt", "cublasLt", 64, 68
    plain, transposed, first_operation, second_operation, fast_accumulation = 0, 1, 3, 4, 25


class HipblasLt:
    prefix, file, algorithm_bytes, compute = "hipblasLt", "hipblaslt", 24, 2
    plain, transposed, first_operation, second_operation, fast_accumulation = 111, 112, 0, 1, None


MOST_WORKSPACE = 1  # the attribute of a preference
KINDS = {torch.float16: 2, torch.bfloat16: 14, torch.float8_e4m3fn: 28, torch.float8_e4m3fnuz: 1000}


class LtLibrary:
    """cublasLt, or hipBLASLt, which took its interface over. Everything made lives as long as the process.

    Raises OSError where there is no such library, RuntimeError where it refuses."""

    def __init__(self, workspace_bytes):
        self.of = HipblasLt if torch.version.hip else CublasLt
        # PyTorch's own copy works with PyTorch's runtime and its streams.
        packaged = [str(file) for file in packaged_libraries() if f"lib{self.of.file}." in file.name]
        name = (packaged or [ctypes.util.find_library(self.of.file)])[0]
        if not name:
            raise OSError(f"neither PyTorch's packages nor the loader have lib{self.of.file}.so")
        self.c = ctypes.CDLL(name)
        self.handle = self.create("Create")
        self.workspace = torch.empty(workspace_bytes, device="cuda", dtype=torch.uint8)
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)
        self.name = f"{self.of.prefix} {self.version()}"

    def call(self, function, *arguments):
        failed = getattr(self.c, self.of.prefix + function)(*arguments)
        if failed:
            raise RuntimeError(f"{self.of.prefix}{function} failed with status {failed}")

    def create(self, function, *arguments):
        made = ctypes.c_void_p()
        self.call(function, ctypes.byref(made), *arguments)
        return made

    def version(self):
        if self.of is CublasLt:
            self.c.cublasLtGetVersion.restype = ctypes.c_size_t
            return self.c.cublasLtGetVersion()
        number = ctypes.c_int()
        self.call("GetVersion", self.handle, ctypes.byref(number))
        return number.value

    def set(self, function, made, attribute, value):
        self.call(function, made, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)))

    def matrix(self, x, rows, columns):
        """A layout of x by columns, the library's order, packed."""
        return self.create("MatrixLayoutCreate", KINDS[x.dtype], ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows))

    def algorithms(self, a, b, d, count):
        """Functions of A [m, k], B [k, n] and D [m, n], packed as these are, that start D = A B by an algorithm each: those that
        the heuristic names, its favourite first. D is by rows; A and B may be transposed by their strides."""
        (m, k), n = a.shape, b.shape[1]
        # By columns it is D^T = B^T A^T. A matrix by rows is its own transpose by columns.
        product = self.create("MatmulDescCreate", self.of.compute, 0)
        a_by_rows, b_by_rows = a.stride(1) == 1, b.stride(1) == 1
        for attribute, by_rows in ((self.of.first_operation, b_by_rows), (self.of.second_operation, a_by_rows)):
            self.set("MatmulDescSetAttribute", product, attribute, ctypes.c_int32(self.of.plain if by_rows else self.of.transposed))
        if a.element_size() == 1 and self.of.fast_accumulation is not None:  # as by our kernels, sums inside the instructions
            self.set("MatmulDescSetAttribute", product, self.of.fast_accumulation, ctypes.c_int8(1))
        x = self.matrix(b, *((n, k) if b_by_rows else (k, n)))
        y = self.matrix(a, *((k, m) if a_by_rows else (m, k)))
        z = self.matrix(d, n, m)
        preference = self.create("MatmulPreferenceCreate")
        self.set("MatmulPreferenceSetAttribute", preference, MOST_WORKSPACE, ctypes.c_uint64(self.workspace.numel()))

        class Result(ctypes.Structure):
            _fields_ = [("algorithm", ctypes.c_uint64 * (self.of.algorithm_bytes // 8)), ("workspace", ctypes.c_size_t),
                        ("state", ctypes.c_int32), ("waves", ctypes.c_float), ("reserved", ctypes.c_int32 * 4)]

        results, returned = (Result * count)(), ctypes.c_int()
        self.call("MatmulAlgoGetHeuristic", self.handle, product, x, y, z, z, preference, count, results, ctypes.byref(returned))

        def starter(result):
            def start(a, b, d):
                address = lambda tensor: ctypes.c_void_p(tensor.data_ptr())
                self.call("Matmul", self.handle, product, ctypes.byref(self.one), address(b), x, address(a), y, ctypes.byref(self.zero),
                          address(d), z, address(d), z, ctypes.byref(result.algorithm), address(self.workspace),
                          ctypes.c_size_t(self.workspace.numel()), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))

            return start

        return [starter(result) for result in results[: returned.value] if result.state == 0]


def product_by_torch():
    """A function of A, B and D as LtLibrary's, by PyTorch's choice; in fp8 B is by columns."""
    one = torch.ones((), device="cuda")

    def start(a, b, d):
        if a.element_size() == 2:
            return torch.matmul(a, b, out=d)
        return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=d.dtype, out=d, use_fast_accum=True)

    return start
