"""Random kernels of GEMM by tcgen05.mma, for random_kernels.py: a tile, an element type, an order of the operands, a type of C
and a form. A program of a few lines describes them and prepares their launches, as test/ptx/arguments.cpp does for built-in
ones. check_isa.py reads the machine code, and the machine of test/ptx executes the PTX."""

import json
import random

import _random_gemm as gemm
from _random_tools import compile_groups, compile_list, run

TYPES = {"bf16": "bfloat16", "f16": "half", "tf32": "tfloat32", "int8": "std::int8_t", "fp8_e4m3": "float8_e4m3"}
RESULTS = {"bf16": ["float", "bfloat16"], "f16": ["float", "half"], "tf32": ["float"], "int8": ["std::int32_t"],
           "fp8_e4m3": ["float", "bfloat16", "half"]}
# Rows, columns and blocks of a cluster; those of tcgen05_tiles are the first four.
TILES = {"tc256x256_2x1": (256, 256, 2), "tc128x256": (128, 256, 1), "tc128x128": (128, 128, 1), "tc128x64": (128, 64, 1),
         "tc256x128_2x1": (256, 128, 2), "tc256x64_2x1": (256, 64, 2), "tc128x32": (128, 32, 1)}
PARTITIONS = {"split_k": "split_k", "stream_k": "stream", "launch_control": "launch_control", "list": "list"}
WEIGHTS = {"int8_weights": "quantized<std::int8_t>", "int4_weights": "quantized<int4x2, 64>",
           "uint4_weights": "quantized<uint4x2, 64, float, std::uint8_t>"}
FORMS = ["plain", "direct", *PARTITIONS, *WEIGHTS]
ORDERS = {"k": "k_contiguous", "r": "row_contiguous"}
PER_FILE = 4  # kernels that are compiled together


def is_possible(element, tile, form, order):
    """Whether the library has the kernel; it refuses others when they are compiled."""
    if form in WEIGHTS:
        # A comes along k. Weights are made in 16 bits.
        if element not in ("bf16", "f16") or order[0] != "k":
            return False
        # Zero points leave too few registers beside 256 columns.
        return form != "uint4_weights" or TILES[tile][1] < 256
    # Elements of 4 bytes are multiplied along k alone.
    return element != "tf32" or order == "kk"


def draw(arch, count, seed):
    """(element, tile, form, order, C) of kernels that no row of kernels.json has; a row without orders has all."""
    rows = [k for k in gemm.kernel_list.read_kernels()
            if k["family"] == "gemm" and k["target"] == arch and k["schedule"] == "tcgen05"]
    listed = {(k["type"], k["tile"], k["form"], order) for k in rows for order in k["orders"] or ("kk", "kr", "rk", "rr")}
    rng, drawn = random.Random(seed), []
    while len(drawn) < count:
        element = rng.choice(list(TYPES))
        kernel = element, rng.choice(list(TILES)), rng.choice(FORMS), rng.choice(gemm.ORDERS), rng.choice(RESULTS[element])
        if is_possible(*kernel[:4]) and kernel[:4] not in listed and kernel not in drawn:
            drawn.append(kernel)
    return drawn


def type_of(kernel):
    """The kernel in C++."""
    element, tile, form, order, result = kernel
    t, (m, n, blocks) = TYPES[element], TILES[tile]
    cut = f"tcgen05_tile<target, {t}, {t}, accumulator_of<{t}>, {m}, {n}, 128 / sizeof({t}), {blocks}>"
    a, b = (f"operand_order::{ORDERS[x]}" for x in order)
    if form in WEIGHTS:
        return (f"persistent_quantized_kernels<{cut}, {WEIGHTS[form]}, {result}, epilogue::chain<epilogue::scale_columns<>>>"
                f"::kernel<{str(order[1] == 'k').lower()}, {a}, output_store::tensor_copies>")
    epilogue = "epilogue::none" if element == "int8" else f"epilogue::linear<{result}>"
    store = "direct" if form == "direct" else "tensor_copies"
    return (f"tcgen05_gemm<{cut}, {a}, {b}, {result}, {epilogue}, output_store::{store}, "
            f"work_partition::{PARTITIONS.get(form, 'tiles')}>")


def name_of(kernel):
    """The machine's problems tell from it which C a kernel takes, and what is split."""
    return ".".join(kernel).replace("::", "_")


HEADERS = """#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>
"""


def build_list(arguments, drawn):
    calls = []
    for kernel in drawn:
        element, _, form, order, _ = kernel
        weights = f', "{form}"' if form in WEIGHTS else ""
        words = f"{type_of(kernel)}, {TYPES[element]}, {ORDERS[order[1]]}, {ORDERS[order[0]]}"
        calls.append(f'    list_kernel<random_kernel, {words}>(\n        prints, "{name_of(kernel)}", "", "{arguments.arch}", "{element}"{weights});')
    return compile_list(arguments, HEADERS, f"""int main(int count, char** words)
{{
    const bool prints = count == 1;
{chr(10).join(calls)}
    return prints ? 0 : print_plan(words[2]);
}}""")


def text_of(kernels):
    """A file of kernels, and of the sums of their parts."""
    kept = []
    for kernel in kernels:
        kept.append(f"    *kept++ = reinterpret_cast<const void*>(random_kernel<{type_of(kernel)}>);")
        if kernel[2] in ("split_k", "stream_k"):
            kept.append(f"    *kept++ = reinterpret_cast<const void*>(summing<{type_of(kernel)}>);")
    return f"""#include "test/device/keep.hpp"

{HEADERS}
namespace tegula {{

using target = arch::TEGULA_TEST_TARGET;

TEGULA_KEEP(random_kernel)

template <class Kernel>
__global__ void summing(const __grid_constant__ typename Kernel::arguments args)
{{
    run_kernel<target>(reduce_partials<split_k_reduction<Kernel>>{{}}, args);
}}

void keep_all(const void** kept)
{{
{chr(10).join(kept)}
}}

}} // namespace tegula
"""


def check(arguments):
    """Compiles, checks and runs random kernels; sentences on what is wrong."""
    drawn = draw(arguments.arch, arguments.count, arguments.seed)
    program = build_list(arguments, drawn)
    records = {record["name"]: record for record in map(json.loads, run(program).splitlines())}
    groups, wrong = compile_groups(arguments, drawn, PER_FILE, "kernels", text_of)
    groups = [(path, [records[name_of(kernel)] for kernel in group]) for path, group in groups]
    return wrong + gemm.execute_ptx(arguments, groups, program)
