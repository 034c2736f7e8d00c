#!/usr/bin/env python3
"""Compilers must vectorise the functions that a CPU's source computes an element at a time. An activation that a comparison
keeps scalar takes nine times as long, and gives the same numbers. The test compiles each for AVX2 and AVX-512 and looks at
the machine code.

    vectors.py COMPILER INCLUDE_DIRECTORY
"""

import re
import subprocess
import sys

FUNCTIONS = {
    "gelu": "gelu<arch::x86_avx2>(x[i])",
    "silu": "silu<arch::x86_avx2>(x[i])",
    "relu": "x[i] < 0 ? 0 : x[i]",
    "exp2": "arch::x86_avx2::exp2(x[i])",
    "greatest": "arch::x86_avx2::max_number(x[i], 0.5f)",
}
REGISTERS = {"AVX2": "ymm", "AVX512": "zmm"}


def source():
    text = "#include <tegula/gemm_cpu.hpp>\nusing namespace tegula;\n"
    for region in REGISTERS:
        text += f"TEGULA_X86_BEGIN(TEGULA_X86_{region})\n"
        for name, expression in FUNCTIONS.items():
            text += (f'extern "C" [[gnu::flatten]] void {name}_{region}(float* x)\n'
                     f"{{ for (int i = 0; i < 64; ++i) x[i] = {expression}; }}\n")
        text += "TEGULA_X86_END()\n"
    return text


def problems(assembly):
    for region, register in REGISTERS.items():
        for name in FUNCTIONS:
            body = re.search(rf"^{name}_{region}:(.*?)\.cfi_endproc", assembly, re.M | re.S)
            if body is None:
                yield f"{name}_{region} is not in the assembly"
                continue
            alone = re.findall(r"\bv(?:fn?m\w+|add|sub|mul|div|max|min)ss\b.*", body[1])
            if alone:
                yield f"{name} on {region}: element by element, as in '{alone[0]}'"
            if not re.search(rf"\bv\w+.*%{register}", body[1]):
                yield f"{name} on {region}: no register of the full width"


def main():
    compiler, include = sys.argv[1:]
    run = subprocess.run([compiler, "-std=c++20", "-O3", "-S", "-x", "c++", "-", "-I", include, "-o", "-"],
                         input=source(), capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    found = list(problems(run.stdout))
    print("\n".join(found) or f"{len(FUNCTIONS) * len(REGISTERS)} functions, all in vectors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
