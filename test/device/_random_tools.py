"""Tools for random kernels of every family: compilers, checks of machine code, and the machines that run it."""

import concurrent.futures
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]


class Skipped(Exception):
    """A compiler or a machine is not there."""


def run(*command):
    """Returns what a command prints. Raises Skipped for status 77, RuntimeError for another that is not 0."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode == 77:
        raise Skipped(result.stdout.strip())
    if result.returncode != 0:
        lines = (result.stdout + result.stderr).splitlines()
        said = [line for line in lines if line.startswith("FAILED")] or [line for line in lines if "  ok  " not in line]
        text = "\n".join(said)
        raise RuntimeError(f"{' '.join(Path(str(word)).name for word in command[:3])}: {text[-3000:]}")
    return result.stdout


def find_modules(arch):
    """Makes `import machine` find the machine of the target: isa and test/ptx have one each."""
    folders = [HERE / "isa" if arch.startswith("gfx") else SOURCE / "test/ptx", HERE, SOURCE / "test/programs"]
    sys.path[:0] = [str(folder) for folder in folders]


def compile_program(arguments, source, *more):
    """A program of the host's that describes kernels to the scripts."""
    program = source.with_suffix("")
    run(arguments.cxx, "-std=c++20", "-O0", "-DTEGULA_EMULATOR_ELSEWHERE", "-I", SOURCE / "include", "-I", SOURCE, source, *more,
        "-o", program)
    return program


def compile_list(arguments, headers, main):
    """That program from `main`, a function in C++ which names kernels random_kernel<KERNEL> of `target`."""
    source = arguments.out / "list.cpp"
    source.write_text(f"""#include "test/ptx/arguments.hpp"
{headers}
namespace tegula {{
template <class>
struct random_kernel;
}}
using namespace tegula;
using namespace ptx_arguments;
using target = arch::{arguments.arch};

{main}
""")
    return compile_program(arguments, source)


def compile_ptx(arguments, source):
    """Compiles a file for an NVIDIA GPU and checks its machine code; the path of the PTX."""
    ptx, cubin, report = (source.with_suffix(x) for x in (".ptx", ".cubin", ".txt"))
    run(arguments.nvcc, "-x", "cu", "-std=c++20", "-O3", f"-arch={arguments.arch}", "-ccbin", arguments.cxx, "-I",
        SOURCE / "include", "-I", SOURCE, f"-DTEGULA_TEST_TARGET={arguments.arch}", source, "-ptx", "-o", ptx)
    words = Path(arguments.nvcc).parent / "ptxas", "-v", f"-arch={arguments.arch}", ptx, "-o", cubin
    made = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    report.write_text(made.stdout + made.stderr)
    disassembler = ["--nvdisasm", arguments.nvdisasm, "--object", cubin] if arguments.nvdisasm else []
    run(sys.executable, "-B", HERE / "check_isa.py", "--source", source, "--target", arguments.arch, "--isa", ptx,
        "--report", report, *disassembler)
    return ptx


def compile_amd(arguments, source):
    """Compiles a file for an AMD GPU and checks its machine code; the path of the code object."""
    isa, code, report = (source.with_suffix(x) for x in (".s", ".co", ".txt"))
    # The driver of clang 22 writes no dependencies where it compiles for a device alone.
    dependencies = [x for word in ("-dependency-file", f"{isa}.d", "-MT", isa) for x in ("-Xclang", word)]
    words = (arguments.clang, *arguments.clang_flag, "-x", "hip", "-std=c++20", "-O3", f"--offload-arch={arguments.arch}",
             "-I", SOURCE / "include", "-I", SOURCE, f"-DTEGULA_TEST_TARGET={arguments.arch}", "--offload-device-only",
             "--no-gpu-bundle-output", *dependencies, "-S", source, "-o", isa)
    made = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    report.write_text(made.stdout + made.stderr)
    if made.returncode != 0:
        raise RuntimeError(f"{source.name}: {made.stderr[-2000:]}")
    run(arguments.clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={arguments.arch}", isa, "-o", code)
    run(sys.executable, "-B", HERE / "check_isa.py", "--source", source, "--target", arguments.arch, "--isa", isa, "--report",
        report, "--object", code)
    return code


def compile_groups(arguments, kernels, per_file, name, text_of):
    """[(path of the machine code, its kernels)] of text_of(kernels), so many kernels a file, and sentences on the files that
    do not compile or pass their checks. A kernel is any value."""
    groups = [kernels[i:i + per_file] for i in range(0, len(kernels), per_file)]
    build = compile_amd if arguments.arch.startswith("gfx") else compile_ptx

    def compiled(item):
        source = arguments.out / f"{name}_{item[0]}.cpp"
        source.write_text(text_of(item[1]))
        try:
            return build(arguments, source)
        except RuntimeError as problem:
            return f"{source.name}: {problem}"

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        made = list(pool.map(compiled, enumerate(groups)))
    return ([(path, group) for path, group in zip(made, groups) if isinstance(path, Path)],
            [text for text in made if isinstance(text, str)])
