"""Random kernels of GEMM by multistage tiles, for random_kernels.py.

Each of them is a tile, an element type, an order of the operands and a form. A program of a few lines describes them to the
scripts: tiles, threads and members of the argument. For AMD GPUs the code objects are compiled by
examples/gemm/code_objects.py, which refuses spills, then read by wait_check.py and executed by run_code_objects.py. For NVIDIA
GPUs nvcc writes PTX and a cubin. check_isa.py reads both, and the machine of test/ptx executes the PTX."""

import importlib.util
import json
import random
import sys

from _random_tools import HERE, SOURCE, compile_groups, compile_program, run

TYPES = {
    "gfx942": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
    "gfx950": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
    "gfx1201": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
    "sm_80": ["bf16", "f16", "tf32", "f32", "int8"],
    "sm_90a": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
}
# Forms, with the types and orders of those that do not take all. NVIDIA GPUs have the first four forms alone.
FORMS = {
    "plain": {},
    "narrow": {"types": ["bf16", "f16"]},
    "grouped": {},
    "any": {},
    "split_k": {},
    "stream_k": {},
    "epilogue": {"types": ["bf16", "f16", "int8"]},
    "int8_weights": {"types": ["bf16", "f16"]},
    "int4_weights": {"types": ["bf16", "f16"], "orders": ["kk", "kr"]},
}
ORDERS = ["kk", "kr", "rk", "rr"]
PER_FILE = 5  # kernels that nvcc compiles together


def load_list():
    """cmake/kernels.py; test/ptx has a module of that name, too."""
    spec = importlib.util.spec_from_file_location("kernel_list", SOURCE / "cmake/kernels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kernel_list = load_list()


def is_possible(arch, kernel):
    """Whether the library has the kernel; it refuses others when they are compiled."""
    element, tile, _, order = kernel
    # The element-wise kernel of a large tile is that of t128x128.
    if order == "any":
        return tile in ("t128x128", "t64x64", "t32x128")
    # Weights, and f32 beside a form's own values, need registers of which tiles of 256 rows leave too few.
    if tile.startswith("t256") and (kernel[2].endswith("_weights") or (element == "f32" and kernel[2] != "plain")):
        return False
    # So does a grouped product in the largest tile of 128 rows.
    if tile == "t128x256" and kernel[2] == "grouped":
        return False
    # Reads that transpose are of 16 bits.
    return arch != "gfx950" or order == "kk" or element in ("bf16", "f16") or not tile.startswith("t256")


def draw(arch, count, seed):
    """(type, tile, form, order) of kernels that no row of kernels.json has."""
    rows = [k for k in kernel_list.read_kernels()
            if k["family"] == "gemm" and k["target"] == arch and k["schedule"] == "multistage"]
    tiles = {element: {"t128x128", "t64x64"} for element in TYPES[arch]}
    for k in rows:
        if k["form"] == "plain":
            tiles.setdefault(k["type"].split("_")[0], set()).add(k["tile"])
    listed = {(k["type"].split("_")[0], k["tile"], k["form"], order) for k in rows for order in k["orders"]}
    forms = [form for form in FORMS if arch.startswith("gfx") or list(FORMS).index(form) < 4]
    rng, drawn = random.Random(seed), []
    while len(drawn) < count:
        form = rng.choice(forms)
        element = rng.choice([t for t in FORMS[form].get("types", TYPES[arch]) if t in TYPES[arch]])
        order = "any" if form == "any" else rng.choice(FORMS[form].get("orders", ORDERS))
        kernel = (element, rng.choice(sorted(tiles[element])), "plain" if form == "any" else form, order)
        if is_possible(arch, kernel) and kernel not in listed and kernel not in drawn:
            drawn.append(kernel)
    return drawn


def shipped(kernel, form):
    element, tile, _, order = kernel
    return f"shipped_kernel<{element}_inputs<target>, {tile}_tile, {form}_form, {kernel_list.order_pair(order)}>"


def forms_of(kernel):
    """The form, and the sum of the parts that it leaves."""
    return [kernel[2], f"{kernel[2]}_sum"] if kernel[2] in ("split_k", "stream_k") else [kernel[2]]


def build_list(arguments, drawn):
    """The program that describes the kernels, as `gemm --list-kernels` does."""
    rows = ",\n    ".join(shipped(kernel, form) for kernel in drawn for form in forms_of(kernel))
    text = f"""#include "examples/gemm/shipped_rows.hpp"

using namespace gemm_example;
using target = tegula::arch::{arguments.arch};

int main()
{{
    add_shipped_rows<target>(type_list<
    {rows}>{{}});
    list_shipped("");
}}
"""
    source = arguments.out / "list.cpp"
    source.write_text(text)
    return compile_program(arguments, source, SOURCE / "examples/gemm/launch_plan.cpp")


def run_amd(arguments, program):
    folder = arguments.out / "code_objects"
    flags = [f"--clang-flag={flag}" for flag in arguments.clang_flag]
    print(run(sys.executable, "-B", SOURCE / "examples/gemm/code_objects.py", "--gemm", program, "--clang", arguments.clang, *flags,
              "--out", folder, "--jobs", arguments.jobs).splitlines()[-1])
    if arguments.objdump:
        run(sys.executable, "-B", HERE / "wait_check.py", "--objdump", arguments.objdump, "--manifest", folder / "manifest.json")
    # Its last line counts the kernels.
    print(run(sys.executable, "-B", HERE / "run_code_objects.py", "--manifest", folder / "manifest.json", "--jobs",
              arguments.jobs).splitlines()[-1])


def text_of(arch, records):
    """A file of kernels for NVIDIA GPUs."""
    orders = {"k": "k_contiguous", "row": "row_contiguous", "any": "any"}
    lines = ['#include "examples/gemm/shipped.hpp"', ""]
    for r in records:
        words = ", ".join([f"{r['type'].removesuffix('_e4m3')}_inputs<tegula::arch::{arch}>", f"{r['tile']}_tile",
                           f"{r['form']}_form", *(f"operand_order::{orders[r[x]]}" for x in ("order_a", "order_b"))])
        name = r["symbol"]
        lines += [f"namespace gemm_example {{ using {name}_kernel = shipped_kernel<{words}>::kernel; }}",
                  f'extern "C" __global__ void TEGULA_LAUNCH_BOUNDS(gemm_example::{name}_kernel::block_threads)',
                  f"    {name}(const __grid_constant__ gemm_example::{name}_kernel::arguments args)",
                  f"{{ tegula::run_kernel<tegula::arch::{arch}>(gemm_example::{name}_kernel{{}}, args); }}", ""]
    return "\n".join(lines)


def run_nvidia(arguments, program):
    records = json.loads(run(program))
    for r in records:
        r.update(name=r["symbol"], threads=r["block"][0], shared=r["dynamic_shared_bytes"])
    groups, wrong = compile_groups(arguments, records, PER_FILE, "kernels", lambda group: text_of(arguments.arch, group))
    return wrong + execute_ptx(arguments, groups)


def execute_ptx(arguments, groups, program=None):
    """Runs kernels of files on the machine for PTX, two problems each; what is wrong. program: see kernels.Kernels."""
    from kernels import Kernels, sizes
    from machine import open_library
    library, wrong, count = open_library(arguments.machine), [], 0
    for path, records in groups:
        for r in records:
            r["file"] = path.stem
        kernels = Kernels(library, {r["name"]: r for r in records}, lambda file, arch, path=path: path, program)
        for record in records:
            for size in sizes(record, full=True):
                try:
                    results = kernels.run(record["name"], size, count, spread=size[3] > 1)
                    wrong += [f"{record['name']} {size}: {output} is {error} off, the bound is {bound}"
                              for output, (error, bound, right) in results.items() if not right]
                except Exception as fault:  # of the machine: the report says it
                    wrong.append(f"{record['name']} {size}: {type(fault).__name__}: {fault}")
            count += 1
    print(f"{count} kernels for {arguments.arch}, {len(wrong)} wrong")
    return wrong


def check(arguments):
    """Compiles, checks and runs random kernels; sentences on what is wrong."""
    program = build_list(arguments, draw(arguments.arch, arguments.count, arguments.seed))
    return run_amd(arguments, program) if arguments.arch.startswith("gfx") else run_nvidia(arguments, program)
