"""The machine for PTX (machine/*.cpp) in Python: load a .ptx file, give it memory, launch kernels.

The shared library is built by CMake (target test_ptx_machine), or by build() where there is a C++20 compiler.
"""

import ctypes
import subprocess
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent


# Levels of reports, each with those of the levels before it (README.md).
LEVELS = ("error", "portability", "pedantic")


class Fault(Exception):
    """A report of the machine on a wrong program: line, opcode, block, warp and reason."""


def build(folder, compiler="g++"):
    """Compiles the machine into a folder where it is not up to date; the path of the library."""
    library = Path(folder) / "libtegula_ptx_machine.so"
    sources = sorted((HERE / "machine").glob("*.cpp"))
    newest = max(f.stat().st_mtime for f in (HERE / "machine").iterdir())
    if not library.exists() or library.stat().st_mtime < newest:
        library.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                compiler,
                "-std=c++20",
                "-O2",
                "-fPIC",
                "-shared",
                "-frounding-math",
                *map(str, sources),
                "-o",
                str(library),
            ],
            check=True,
        )
    return library


def open_library(path):
    library = ctypes.CDLL(str(Path(path).resolve()))
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
    for name, result, arguments in [
        ("ptx_error", text, []),
        ("ptx_load", pointer, [text]),
        ("ptx_free", None, [pointer]),
        ("ptx_kernels", text, [pointer]),
        ("ptx_counts", text, [pointer]),
        ("ptx_executed", number, [pointer]),
        ("ptx_add_memory", number, [pointer, text, pointer, number, ctypes.c_int]),
        ("ptx_read_memory", ctypes.c_int, [pointer, number, number, pointer, pointer]),
        ("ptx_add_tensor_map", ctypes.c_int, [pointer, pointer, pointer]),
        ("ptx_launch", ctypes.c_int, [pointer, text, text, number, pointer]),
        ("ptx_decode", ctypes.c_int, [pointer, text]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Machine:
    def __init__(self, library, source):
        """`source`: the text of a .ptx file."""
        self.library = library
        self.handle = library.ptx_load(source.encode())
        if not self.handle:
            raise Fault(library.ptx_error().decode())

    def __del__(self):
        if getattr(self, "handle", None):
            self.library.ptx_free(self.handle)

    def check(self, failed):
        if failed:
            raise Fault(self.library.ptx_error().decode())

    def kernels(self):
        return self.library.ptx_kernels(self.handle).decode().split()

    def kernel(self, prefix):
        """The one kernel whose symbol begins so."""
        found = [name for name in self.kernels() if name.startswith(prefix)]
        if len(found) != 1:
            raise ValueError(f"{len(found)} kernels begin with {prefix}")
        return found[0]

    def counts(self):
        """How often each instruction was executed by a warp."""
        return {
            name: int(count)
            for name, count in (
                line.rsplit(" ", 1) for line in self.library.ptx_counts(self.handle).decode().splitlines()
            )
        }

    def executed(self):
        """Instructions of warps in the last launch."""
        return self.library.ptx_executed(self.handle)

    def add(self, name, data, writable=False):
        """Memory with the bytes of an array, or of as many bytes as a number, which nothing has written; its address."""
        if isinstance(data, int):
            return self.library.ptx_add_memory(self.handle, name.encode(), None, data, writable)
        data = numpy.ascontiguousarray(data).view(numpy.uint8).reshape(-1)
        return self.library.ptx_add_memory(self.handle, name.encode(), data.ctypes.data, data.size, writable)

    def read(self, address, size, complete=True):
        """Bytes of memory. Fault where some were never written and `complete` asks for all."""
        data, states = numpy.zeros(size, numpy.uint8), numpy.zeros(size, numpy.uint8)
        self.check(self.library.ptx_read_memory(self.handle, address, size, data.ctypes.data, states.ctypes.data))
        if complete and states.any():
            raise Fault(
                f"{numpy.count_nonzero(states)} of {size} bytes of a result were never written, the first is byte "
                f"{numpy.argmax(states != 0)}"
            )
        return data

    def tensor_map(self, base, type, lengths, strides, box, element_strides=None, swizzle=0, interleave=0, fill=0,
                   pixels=0, lower=(), upper=()):
        """The 128 bytes of a tensor map: the parameters of cuTensorMapEncodeTiled, strides in bytes from dimension 1.

        `pixels`, not 0: those of cuTensorMapEncodeIm2col, `pixels` being the pixels of a column, `box` its channels, and
        `lower` and `upper` the corners of the bounding box in the order of the dimensions: W, H, D.
        """
        rank = len(lengths)
        pad = lambda values, first=(), size=5: [*first, *values] + [0] * (size - len(first) - len(values))  # noqa: E731
        numbers = [
            base,
            type,
            rank,
            interleave,
            swizzle,
            fill,
            *pad(lengths),
            *pad(strides, (0,)),
            *pad(box),
            *pad(element_strides or [1] * rank),
            pixels,
            *pad([x % 2**64 for x in lower], size=3),
            *pad([x % 2**64 for x in upper], size=3),
        ]
        record, data = numpy.array(numbers, numpy.uint64), numpy.zeros(128, numpy.uint8)
        self.check(self.library.ptx_add_tensor_map(self.handle, record.ctypes.data, data.ctypes.data))
        return data.tobytes()

    def decode(self, kernel):
        self.check(self.library.ptx_decode(self.handle, kernel.encode()))

    def launch(self, kernel, grid, block, arguments, shared=0, cluster=1, seed=0, limit=0, behind=False, reports="pedantic"):
        """Runs a kernel to its end. Grid, block and cluster: a number or up to three; `arguments`: the bytes of its parameters.

        The seed chooses the order of blocks and warps, and when asynchronous work completes: seed % 3 is 0 for as late
        as it may, 1 for at once, 2 for anything between. `behind`: another launch, which the kernel waits for. `reports`:
        one of LEVELS.
        """
        three = lambda x: ([x] if isinstance(x, int) else list(x)) + [1] * (
            2 if isinstance(x, int) else 3 - len(x)
        )  # noqa: E731
        options = [shared, seed, limit, behind, LEVELS.index(reports)]
        sizes = numpy.array([*three(grid), *three(block), *three(cluster), *options], numpy.uint64)
        self.check(
            self.library.ptx_launch(self.handle, kernel.encode(), bytes(arguments), len(arguments), sizes.ctypes.data)
        )
