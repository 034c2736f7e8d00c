"""Random kernels that kernels.json does not name: compiled, checked as built-in ones are, and executed.

--family and --arch choose the module that draws them by --seed: _random_gemm.py, for sm_100a _random_tcgen05.py, or
_random_attention.py. Results are compared with NumPy in float64. Status 77: a compiler or a machine is not there.
test/programs/gemm_on_demand.py draws those of the CPU.
"""

import argparse
import os
import sys
from pathlib import Path

from _random_tools import Skipped, find_modules

TARGETS = ("gfx942", "gfx950", "gfx1201", "sm_80", "sm_90a", "sm_100a", "x86_avx2")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", required=True, choices=TARGETS)
    parser.add_argument("--family", choices=["gemm", "attention"], default="gemm")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="a folder for what is compiled")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--clang", help="clang for HIP")
    parser.add_argument("--clang-flag", action="append", default=[])
    parser.add_argument("--objdump", help="llvm-objdump")
    parser.add_argument("--nvcc")
    parser.add_argument("--nvdisasm")
    parser.add_argument("--machine", help="the library of the machine for PTX; for the CPU tegula_jit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def module_of(arch, family):
    """The module that draws and checks the kernels."""
    if arch == "x86_avx2":
        import _random_cpu
        return _random_cpu
    if family == "attention":
        import _random_attention
        return _random_attention
    if arch == "sm_100a":
        import _random_tcgen05
        return _random_tcgen05
    import _random_gemm
    return _random_gemm


def main():
    arguments = read_arguments()
    needed = {"gfx": [arguments.clang], "sm_": [arguments.nvcc, arguments.machine], "x86": [arguments.machine]}
    if not all(needed[arguments.arch[:3]]):
        print(f"skipped: no compiler, or no machine, for {arguments.arch}")
        return 77
    arguments.out.mkdir(parents=True, exist_ok=True)
    find_modules(arguments.arch)
    try:
        wrong = module_of(arguments.arch, arguments.family).check(arguments)
    except Skipped as reason:
        print(reason)
        return 77
    except RuntimeError as problem:
        wrong = [str(problem)]
    for text in wrong or ():
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
