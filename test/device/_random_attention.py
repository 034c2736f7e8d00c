"""Random kernels of attention's forward pass, for random_kernels.py: their C++, and how their machine code is checked and run.

A kernel is a form, an element type, columns of Q and K and of V, and two or more changes of its scores or of where keys lie.
The results of run_attention.py's problems are compared with NumPy in float64."""

import random
import subprocess
import sys
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]

# By target: forms, and element types of test/device/attention_words.hpp.
FORMS = {"gfx942": ["multistage", "shares"], "gfx950": ["multistage", "shares"], "gfx1201": ["multistage", "shares"],
         "sm_80": ["multistage", "shares"], "sm_90a": ["multistage", "shares", "by_roles", "by_roles"],
         "sm_100a": ["multistage", "shares", "by_roles", "by_roles"]}
WITH_FP8 = ("gfx942", "gfx950", "gfx1201")
COLUMNS = ((64, 64), (96, 64), (128, 128), (192, 128), (256, 256))
PER_FILE = 4  # kernels that are compiled together


def draw_changes(rng, form):
    """The words of a variant and whether a soft cap comes with it; at least two differ from the plain kernel."""
    while True:
        lists = [] if form != "multistage" else ["lists"]
        caches = ["contiguous"] if form == "by_roles" else ["contiguous", "contiguous", "paged", "paged_by_key"]
        words = (rng.choice(["none", "band", "boolean"] + lists), rng.choice(["none", "tensor", "alibi"]),
                 rng.choice(["all", "dropped"]), rng.choice(caches), "packed" if form == "shares" and rng.random() < 0.5 else "apart")
        cap = rng.random() < 0.3
        if form == "by_roles":
            any_length = rng.random() < 0.4
        else:
            any_length = False
        plain = ("none", "none", "all", "contiguous", "apart")
        if sum(a != b for a, b in zip(words, plain)) + cap + any_length >= 2:
            return words, cap, any_length


def is_possible(arch, form, element, columns, words, cap):
    """Whether the library has the kernel; it refuses others when they are compiled."""
    mask, bias, weights, *_ = words
    changed = mask in ("boolean", "lists") or bias != "none" or weights == "dropped" or cap
    if form == "by_roles":
        # The output of more columns leaves no registers on sm_90a.
        return element in ("half", "bfloat16") and not (arch == "sm_90a" and max(columns) > 192 and changed)
    return True


def draw(arch, count, seed):
    rng, drawn = random.Random(seed), []
    while len(drawn) < count:
        form = rng.choice(FORMS[arch])
        element = rng.choice(["half", "bfloat16"] + (["e4m3"] if arch in WITH_FP8 and form == "multistage" else []))
        columns = rng.choice(COLUMNS)
        words, cap, any_length = draw_changes(rng, form)
        kernel = form, element, columns, words, cap, any_length
        if is_possible(arch, form, element, columns, words, cap) and kernel not in drawn:
            drawn.append(kernel)
    return drawn


def type_of(kernel):
    """The kernel in C++."""
    form, element, (head, value), (mask, bias, weights, cache, heads), cap, any_length = kernel
    variant = (f"attention_variant<attention_mask::{mask}, attention_bias::{bias}, attention_weights::{weights}, "
               f"attention_cache::{cache}, attention_heads::{heads}>")
    score = "soft_cap<target>" if cap else "unchanged_score"
    result = "half" if element == "e4m3" else element
    if form == "by_roles":
        return f"by_roles<{element}, {head}, {value}, {variant}, {score}, {str(any_length).lower()}>"
    if form == "shares":
        return f"attention_split_kernel<decoding_tile_for<target, {element}, {head}, {value}>, {result}, {variant}, {score}>"
    return f"attention_kernel<attention_tile_for<target, {element}, {head}, {value}, {variant}, {score}>, {result}, {variant}, {score}>"


def text_of(kernels):
    kept = "\n".join(f"    *kept++ = reinterpret_cast<const void*>(random_kernel<{type_of(kernel)}>);" for kernel in kernels)
    by_roles = """
template <class T, index_t D, index_t ValueDim, class Variant, class Score, bool AnyLength>
constexpr auto kernel_of()
{
    constexpr auto sequences = AnyLength ? attention_sequences::of_any_length : attention_sequences::of_one_length;
    if constexpr (target::chip().tensor_columns > 0)
        return tcgen05_attention<tcgen05_attention_tile_for<target, T, D, ValueDim, tcgen05_exponentials, Variant, Score>, T,
                                 Variant, Score, sequences>{};
    else
        return warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D, ValueDim, Variant, Score>, T,
                                          Variant, Score, sequences>{};
}
template <class T, index_t D, index_t ValueDim, class Variant, class Score, bool AnyLength>
using by_roles = decltype(kernel_of<T, D, ValueDim, Variant, Score, AnyLength>());
"""
    return f"""#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>
#if defined(__CUDACC__)
#include <tegula/kernel/attention/tcgen05/kernel.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>
#endif

namespace tegula {{

#if defined(__CUDACC__)
#define GRID_CONSTANT __grid_constant__{by_roles}#else
#define GRID_CONSTANT
#endif

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    random_kernel(const GRID_CONSTANT typename Kernel::arguments args)
{{
    run_kernel<target>(Kernel{{}}, args);
}}

void keep_all(const void** kept)
{{
{kept}
}}

}} // namespace tegula
"""


def compile_amd(arguments, run, source):
    """Compiles a file and checks its machine code; the path of the code object."""
    isa, code = source.with_suffix(".s"), source.with_suffix(".co")
    report = subprocess.run([str(word) for word in (
        arguments.clang, *arguments.clang_flag, "-x", "hip", "-std=c++20", "-O3", f"--offload-arch={arguments.arch}", "-I",
        SOURCE / "include", "-I", SOURCE, f"-DTEGULA_TEST_TARGET={arguments.arch}", "--offload-device-only",
        "--no-gpu-bundle-output", "-S", source, "-o", isa)], capture_output=True, text=True)
    source.with_suffix(".txt").write_text(report.stdout + report.stderr)
    if report.returncode != 0:
        raise RuntimeError(f"{source.name}: {report.stderr[-2000:]}")
    run(arguments.clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={arguments.arch}", isa, "-o", code)
    run(sys.executable, "-B", HERE / "check_isa.py", "--source", source, "--target", arguments.arch, "--isa", isa, "--report",
        source.with_suffix(".txt"), "--object", code)
    if arguments.objdump:
        run(sys.executable, "-B", HERE / "wait_check.py", "--objdump", arguments.objdump, code)
    return code


def compile_cuda(arguments, run, source):
    """Compiles a file and checks its machine code; the path of the PTX."""
    from random_kernels import assemble_and_check
    run(arguments.nvcc, "-x", "cu", "-std=c++20", "-O3", f"-arch={arguments.arch}", "-ccbin", arguments.cxx, "-I",
        SOURCE / "include", "-I", SOURCE, f"-DTEGULA_TEST_TARGET={arguments.arch}", source, "-ptx", "-o", source.with_suffix(".ptx"))
    assemble_and_check(arguments, source)
    return source.with_suffix(".ptx")


def execute(arguments, path):
    """Sentences on what is wrong with the results of a file's kernels."""
    sys.path[:0] = [str(HERE / "isa"), str(HERE), str(HERE.parent / "programs")]
    if arguments.arch.startswith("gfx"):
        import machine
        import run_attention
        try:
            return run_attention.check_kernels(run_attention.Run(path, "late", 0), numpy.random.default_rng(arguments.seed))
        except (machine.Fault, machine.Unknown, ValueError) as fault:
            return [str(fault)]
    import attention_kernels
    from machine import open_library
    return attention_kernels.check(open_library(arguments.machine), arguments.arch, path.read_text(), arguments.seed)
