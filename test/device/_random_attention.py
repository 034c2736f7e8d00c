"""Random kernels of attention's forward pass, for random_kernels.py: their C++, and how their machine code is checked and run.

A kernel is a form, an element type, columns of Q and K and of V, and two or more changes of its scores or of where keys lie.
The results of run_attention.py's problems are compared with NumPy in float64."""

import random
import time

import numpy

from _random_tools import Skipped, compile_groups

# By target: forms, and element types of test/device/attention_words.hpp.
FORMS = {"gfx942": ["multistage", "shares"], "gfx950": ["multistage", "shares"], "gfx1201": ["multistage", "shares"],
         "sm_80": ["multistage", "shares"], "sm_90a": ["multistage", "shares", "by_roles", "by_roles"],
         "sm_100a": ["multistage", "shares", "by_roles", "by_roles"], "x86_avx2": ["multistage", "shares"]}
WITH_FP8 = ("gfx942", "gfx950", "gfx1201", "sm_90a")
COLUMNS = ((64, 64), (96, 64), (128, 128), (192, 128), (256, 256))
# Kernels with two changes or more that kernels.json names, whatever their type and columns: words, soft cap, sequences of any
# length. test/gpu/attention_form_checks.hpp and examples/attention/problem.hpp have them by name.
SHIPPED = ((("band", "tensor", "all", "contiguous", "apart"), False, False),
           (("band", "tensor", "dropped", "contiguous", "apart"), False, False),
           (("boolean", "tensor", "dropped", "contiguous", "apart"), False, False),
           (("band", "tensor", "all", "paged", "apart"), False, False),
           (("band", "tensor", "all", "paged_by_key", "apart"), False, False),
           (("band", "alibi", "all", "paged", "apart"), True, False),
           (("band", "none", "all", "contiguous", "packed"), False, False),
           (("band", "none", "all", "contiguous", "apart"), False, True))
PER_FILE = 4  # kernels that are compiled together


def draw_changes(rng, form):
    """The words of a variant and whether a soft cap comes with it; at least two differ from the plain kernel."""
    while True:
        lists = [] if form != "multistage" else ["lists"]
        caches = ["contiguous"] if form == "by_roles" else ["contiguous", "contiguous", "paged", "paged_by_key"]
        words = (rng.choice(["none", "band", "boolean"] + lists), rng.choice(["none", "tensor", "alibi"]),
                 rng.choice(["all", "dropped"]), rng.choice(caches),
                 "packed" if form == "shares" and rng.random() < 0.5 else "apart")
        cap = rng.random() < 0.3
        any_length = form == "by_roles" and rng.random() < 0.4
        plain = ("none", "none", "all", "contiguous", "apart")
        if sum(a != b for a, b in zip(words, plain)) + cap + any_length >= 2:
            return words, cap, any_length


def is_possible(arch, form, columns, words, cap):
    """Whether the library has the kernel; it refuses others when they are compiled."""
    mask, bias, weights, cache, _ = words
    # Random bits beside a band leave too few registers, and the kernel spills.
    if (arch, form, mask, weights) == ("gfx1201", "shares", "band", "dropped"):
        return False
    # So does a boolean mask beside more than 128 columns.
    if (arch, form, mask) == ("sm_80", "shares", "boolean") and max(columns) > 128:
        return False
    changed = mask in ("boolean", "lists") or bias != "none" or weights == "dropped" or cap
    # The output of more columns leaves no registers for changes of the scores.
    return not (arch == "sm_90a" and form == "by_roles" and max(columns) > 192 and changed)


def draw(arch, count, seed):
    rng, drawn = random.Random(seed), []
    while len(drawn) < count:
        form = rng.choice(FORMS[arch])
        element = rng.choice(["half", "bfloat16"] + (["e4m3"] if arch in WITH_FP8 and form == "multistage" else []))
        columns = rng.choice(COLUMNS)
        words, cap, any_length = draw_changes(rng, form)
        kernel = form, element, columns, words, cap, any_length
        shipped = (words, cap, any_length) in SHIPPED
        if not shipped and is_possible(arch, form, columns, words, cap) and kernel not in drawn:
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
    tile = f"attention_tile_for<target, {element}, {head}, {value}, {variant}, {score}>"
    return f"attention_kernel<{tile}, {result}, {variant}, {score}>"


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


def execute(arguments, path):
    """Sentences on what is wrong with the results of a file's kernels."""
    if arguments.arch.startswith("gfx"):
        import machine
        import run_attention
        if reason := machine.reason_to_skip():
            raise Skipped(reason)
        try:
            return run_attention.check_kernels(run_attention.Run(path, "late", 0), numpy.random.default_rng(arguments.seed))
        except (machine.Fault, machine.Unknown, ValueError) as fault:
            return [str(fault)]
    import machine
    import attention_kernels
    return attention_kernels.check(machine.open_library(arguments.machine), arguments.arch, path.read_text(), arguments.seed)


def check(arguments):
    """Compiles, checks and runs random kernels; sentences on what is wrong."""
    kernels = draw(arguments.arch, arguments.count, arguments.seed)
    groups, wrong = compile_groups(arguments, kernels, PER_FILE, "attention", text_of)
    for path, group in groups:
        start = time.process_time()
        wrong += [f"{path.stem}: {text}" for text in execute(arguments, path)]
        print(f"{path.stem}: {len(group)} kernels, {time.process_time() - start:.0f} s of a processor", flush=True)
    print(f"{len(kernels)} kernels of attention for {arguments.arch}, {len(wrong)} wrong")
    return wrong
