"""The library of kernels from Python (library/tegula_library.py), with a kernel and a runtime that has no GPU (launches.cpp).

    library.py LIBRARY
"""

import ctypes
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "library"))
import tegula_library  # noqa: E402

KERNEL = "sm_80 bf16 t64x64 kk"
PRODUCT = {"m": 128, "n": 64, "k": 32, "a.data": 1 << 20, "a.row_stride": 32, "a.column_stride": 1, "b.data": 2 << 20, "b.row_stride": 1,
           "b.column_stride": 32, "c.data": 3 << 20, "c.row_stride": 64, "c.column_stride": 1}


def refusal(call, kind=RuntimeError):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError("it is not refused")


def main():
    library = tegula_library.Library(sys.argv[1])
    library.c.last_arguments.restype = ctypes.POINTER(ctypes.c_int64)
    assert library.kernels == [KERNEL] and library.operations == [], library.kernels
    description = library.describe(KERNEL)
    members = {m["name"]: m for m in description["members"]}
    assert members["batch"]["default"] == 1 and members["epilogue.parts[0].alpha"]["default"] == 1, members
    assert members["a.data"] == {"name": "a.data", "type": "pointer", "at": 32, "default": 0}, members["a.data"]
    start = library.prepare_kernel(KERNEL, PRODUCT)
    assert library.c.count_launches() == 0
    start()
    start()
    assert library.c.count_launches() == 2
    assert library.c.last_arguments()[:5] == [128, 64, 32, 1, 1 << 20], library.c.last_arguments()[:5]
    library.release(start)
    assert "batch" in refusal(lambda: library.prepare_kernel(KERNEL, {**PRODUCT, "batch": -1}))
    assert "no member a.pitch; they have m, n, k" in refusal(lambda: library.prepare_kernel(KERNEL, {"a.pitch": 1}), KeyError)
    assert "n is 'wide', which is no int64" in refusal(lambda: library.prepare_kernel(KERNEL, {"n": "wide"}), ValueError)
    assert 'no kernel "gemm"' in refusal(lambda: library.describe("gemm"))
    for call in (lambda: library.prepare("softmax/f64", [1, 1], [None, None]), lambda: library.workspace_bytes("softmax/f64", [1, 1])):
        assert 'softmax/f64: the library has no operation "softmax/f64"; tegula_operations() names all' in refusal(call)
    return 0


if __name__ == "__main__":
    sys.exit(main())
