"""Kernels compiled on demand from Python: the library tegula_jit by ctypes, on arrays of NumPy; and its header in C."""

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from _jit_library import Memory, compile_kernel, open_library, run
from _program import check, problems, program

SOURCE = Path(os.environ["TEGULA_SOURCE_DIR"])
LIBRARY = program("libtegula_jit.so").parent.parent / "libtegula_jit.so"
os.environ["TEGULA_INCLUDE"] = str(SOURCE / "include")
TEXT = """#include <tegula/arch/target.hpp>
struct saxpy
{
    using target = tegula::jit::target;
    static constexpr int block_threads = 64;
    TEGULA_HOST_DEVICE void operator()(float a, const float* x, float* y, long n) const
    {
        const long i = 64 * target::block_id()[0] + target::thread_id();
        if (i < n)
            y[i] += a * x[i];
    }
};
"""


def check_saxpy(library, target):
    kernel, message = compile_kernel(library, source=TEXT, kernel="saxpy", target=target, device="emulator")
    check(kernel is not None, f"{target}: {message}")
    if kernel is None:
        return
    types = library.tegula_jit_parameters(kernel).decode()
    check(types == "float32, pointer, pointer, int64", types)
    rng = numpy.random.default_rng(3)
    x, y = rng.standard_normal((2, 200)).astype("float32")
    expected = y + numpy.float32(2.5) * x
    values = [ctypes.c_float(2.5), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data), ctypes.c_longlong(len(x))]
    memory = [Memory(x.ctypes.data, x.nbytes, b"x", 0), Memory(y.ctypes.data, y.nbytes, b"y", 1)]
    message = run(library, kernel, "saxpy", 4, values, types, memory)
    check(message == "" and numpy.allclose(y, expected, rtol=1e-6), f"{target}: {message}")
    message = run(library, kernel, "saxpy", 4, values, "float32, pointer, pointer, int32", memory)
    check("the kernel takes (float32, pointer, pointer, int64)" in message, message)
    message = run(library, kernel, "saxpy", -1, values, types, memory)
    check("a grid of -1 blocks" in message, message)
    library.tegula_jit_release(kernel)


def check_header(folder):
    (folder / "use.c").write_text("#include <tegula/jit/c_interface.h>\nint main(void)\n{\n    tegula_jit_release(0);\n    return 0;\n}\n")
    words = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", SOURCE / "include", "-c", "use.c"]
    result = subprocess.run(["cc", *words], cwd=folder, capture_output=True, text=True)
    check(result.returncode == 0, result.stderr)


if not LIBRARY.exists():
    print("skipped: the library tegula_jit is not built")
    sys.exit(77)
library = open_library(LIBRARY)
for target in ("gfx942", "sm_90a"):
    check_saxpy(library, target)
for words, needed in (({"device": "tpu", "target": "gfx942"}, "emulator, gpu or cpu"), ({"device": "emulator", "target": "gfx1"}, "gfx1")):
    kernel, message = compile_kernel(library, source=TEXT, kernel="saxpy", **words)
    check(kernel is None and needed in message and "\n" not in message, f"{words}: {message}")
with tempfile.TemporaryDirectory() as name:
    check_header(Path(name))
print(f"2 targets, {len(problems)} problems")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
