"""A kernel in a device pass of another architecture than its target's does not compile, and the message names both;
in a program for several architectures it is a trap; in a pass of its own it is the kernel. Never is it empty.

    check.py amd CLANG [FLAG...]      check.py nvidia NVCC [FLAG...]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INCLUDE = FOLDER.parents[2] / "include"
SEVERAL = "-DTEGULA_SEVERAL_ARCHITECTURES"

# Target of the kernel, architecture it is compiled for ("" for the compiler's default), name of that in the message.
AMD = [("gfx942", "gfx90a", "gfx90a"), ("gfx1100", "gfx1101", "gfx1101"), ("gfx90a", "gfx942", "gfx942"),
       ("sm_80", "gfx942", "gfx942")]
NVIDIA = [("sm_90a", "", "__CUDA_ARCH__"), ("sm_90a", "sm_90", "__CUDA_ARCH__"), ("sm_90a", "sm_100", "__CUDA_ARCH__"),
          ("gfx942", "sm_80", "__CUDA_ARCH__")]
OWN = {"amd": [("gfx942", "gfx942")], "nvidia": [("sm_80", "sm_80"), ("sm_80", "sm_90a"), ("sm_90a", "sm_90a")]}
TRAP = {"amd": "s_trap 2", "nvidia": "trap;"}
WORK = {"amd": "global_store", "nvidia": "st.global"}


def compile_for(vendor, compiler, target, arch, *options):
    """(status, messages, text of the machine code)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "kernel.s"
        if vendor == "amd":
            command = [*compiler, "-x", "hip", "-nogpuinc", "-nogpulib", "--offload-device-only",
                       "--no-gpu-bundle-output", f"--offload-arch={arch}", "-S"]
        else:
            command = [*compiler, "-x", "cu", "-ptx"] + [f"-arch={arch}"] * bool(arch)
        command += ["-std=c++20", "-O2", f"-I{INCLUDE}", f"-DTEGULA_TEST_TARGET={target}", *options,
                    str(FOLDER / "kernel.cpp"), "-o", str(out)]
        result = subprocess.run(command, capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr, out.read_text() if out.exists() else ""


def main():
    vendor, *compiler = sys.argv[1:]
    problems = []

    def expect(holds, what):
        print(("ok      " if holds else "FAILED  ") + what)
        problems.extend([] if holds else [what])

    for target, arch, name in AMD if vendor == "amd" else NVIDIA:
        case = f"{target} compiled for {arch or 'the default'}"
        status, messages, _ = compile_for(vendor, compiler, target, arch)
        expect(status != 0 and "this pass compiles for" in messages and name in messages and
               "kernel_is_for_this_pass<" in messages and target in messages, f"{case} does not compile")
        status, messages, code = compile_for(vendor, compiler, target, arch, SEVERAL)
        expect(status == 0 and TRAP[vendor] in code and WORK[vendor] not in code,
               f"{case}, one of several, is a trap" + messages)
    if vendor == "nvidia":  # -arch=sm_90a would have a pass for compute_90, too
        _, messages, _ = compile_for(vendor, compiler, "sm_90a", "sm_90")
        advice = re.search(r"-gencode arch=compute_90a,code=sm_90a", messages)
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([*compiler, "-x", "cu", "-c", "-std=c++20", f"-I{INCLUDE}",
                                   *(advice[0].split() if advice else []), "-DTEGULA_TEST_TARGET=sm_90a",
                                   str(FOLDER / "kernel.cpp"), "-o", str(Path(folder) / "kernel.o")])
        expect(made.returncode == 0, "sm_90a is a whole object with the flags that the message names")
    for target, arch in OWN[vendor]:
        for options in ([], [SEVERAL]):
            status, messages, code = compile_for(vendor, compiler, target, arch, *options)
            expect(status == 0 and TRAP[vendor] not in code and WORK[vendor] in code,
                   f"{target} compiled for {arch} {' '.join(options)} is the kernel {messages}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
