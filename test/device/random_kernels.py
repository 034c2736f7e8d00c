"""Random GEMM kernels that kernels.json does not name, as machine code: compiled for the device, checked as built-in ones are, and
executed.

Each of them is a tile, an element type, an order of the operands and a form, drawn by --seed. A program of a few lines describes
them to the scripts: tiles, threads and members of the argument. For AMD GPUs the code objects are compiled by
examples/gemm/code_objects.py, which refuses spills, then read by wait_check.py and executed by run_code_objects.py. For NVIDIA
GPUs nvcc writes PTX and a cubin. check_isa.py reads both, and the machine of test/ptx executes the PTX. Results are compared with
NumPy. Status 77: a compiler or a machine is not there.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import random
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(SOURCE / "test/ptx"))

TYPES = {
    "gfx942": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
    "gfx950": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
    "gfx1201": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
    "sm_80": ["bf16", "f16", "tf32", "f32", "int8"],
    "sm_90a": ["bf16", "f16", "tf32", "f32", "int8", "fp8"],
}
# What a form takes besides any type and order; on NVIDIA GPUs the first four alone.
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


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", required=True, choices=TYPES)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="a folder for what is compiled")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--clang", help="clang for HIP")
    parser.add_argument("--clang-flag", action="append", default=[])
    parser.add_argument("--objdump", help="llvm-objdump")
    parser.add_argument("--nvcc")
    parser.add_argument("--nvdisasm")
    parser.add_argument("--machine", help="the library of the machine for PTX")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


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
    rows = [k for k in kernel_list.read_kernels() if k["family"] == "gemm" and k["target"] == arch and k["schedule"] == "multistage"]
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


class Skipped(Exception):
    pass


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode == 77:
        raise Skipped(result.stdout.strip())
    if result.returncode != 0:
        said = "\n".join(line for line in (result.stdout + result.stderr).splitlines() if "  ok  " not in line)
        raise RuntimeError(f"{' '.join(Path(str(word)).name for word in command[:3])}: {said[-3000:]}")
    return result.stdout


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
    source, program = arguments.out / "list.cpp", arguments.out / "list"
    source.write_text(text)
    run(arguments.cxx, "-std=c++20", "-O0", "-DTEGULA_EMULATOR_ELSEWHERE", "-I", SOURCE / "include", "-I", SOURCE, source,
        SOURCE / "examples/gemm/launch_plan.cpp", "-o", program)
    return program


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


def compile_cuda(arguments, number, records):
    """Compiles some kernels and checks their machine code; the path of the PTX."""
    stem = arguments.out / f"kernels_{number}"
    orders = {"k": "k_contiguous", "row": "row_contiguous", "any": "any"}
    lines = ['#include "examples/gemm/shipped.hpp"', ""]
    for r in records:
        words = ", ".join([f"{r['type'].removesuffix('_e4m3')}_inputs<tegula::arch::{r['arch']}>", f"{r['tile']}_tile", f"{r['form']}_form",
                           *(f"operand_order::{orders[r[x]]}" for x in ("order_a", "order_b"))])
        name = r["symbol"]
        lines += [f"namespace gemm_example {{ using {name}_kernel = shipped_kernel<{words}>::kernel; }}",
                  f'extern "C" __global__ void TEGULA_LAUNCH_BOUNDS(gemm_example::{name}_kernel::block_threads)',
                  f"    {name}(const __grid_constant__ gemm_example::{name}_kernel::arguments args)",
                  f"{{ tegula::run_kernel<tegula::arch::{r['arch']}>(gemm_example::{name}_kernel{{}}, args); }}", ""]
    source = stem.with_suffix(".cu")
    source.write_text("\n".join(lines))
    words = [arguments.nvcc, "-std=c++20", "-O3", f"-arch={arguments.arch}", "-ccbin", arguments.cxx, "-I", SOURCE / "include", "-I", SOURCE,
             source]
    run(*words, "-ptx", "-o", stem.with_suffix(".ptx"))
    report = subprocess.run([str(w) for w in (Path(arguments.nvcc).parent / "ptxas", "-v", f"-arch={arguments.arch}", stem.with_suffix(".ptx"),
                                              "-o", stem.with_suffix(".cubin"))], capture_output=True, text=True, check=True)
    stem.with_suffix(".txt").write_text(report.stdout + report.stderr)
    disassembler = ["--nvdisasm", arguments.nvdisasm, "--object", stem.with_suffix(".cubin")] if arguments.nvdisasm else []
    run(sys.executable, "-B", HERE / "check_isa.py", "--source", source, "--target", arguments.arch, "--isa", stem.with_suffix(".ptx"),
        "--report", stem.with_suffix(".txt"), *disassembler)
    return stem.with_suffix(".ptx")


def run_nvidia(arguments, program):
    records = json.loads(run(program))
    groups = [records[i:i + PER_FILE] for i in range(0, len(records), PER_FILE)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        texts = list(pool.map(lambda item: compile_cuda(arguments, *item), enumerate(groups)))
    wrong = []
    for path, group in zip(texts, groups):
        wrong += execute_ptx(arguments, path, group)
    print(f"{len(records)} kernels for {arguments.arch}, {len(wrong)} wrong")
    return wrong


def execute_ptx(arguments, path, records):
    """Runs kernels of a file on the machine for PTX, two problems each; what is wrong."""
    from kernels import Kernels, sizes
    from machine import open_library
    for r in records:
        r.update(name=r["symbol"], file=path.stem, threads=r["block"][0], shared=r["dynamic_shared_bytes"])
    kernels = Kernels(open_library(arguments.machine), {r["name"]: r for r in records}, lambda file, arch: path)
    wrong = []
    for number, record in enumerate(records):
        for size in sizes(record, full=True):
            try:
                results = kernels.run(record["name"], size, number, spread=size[3] > 1)
                wrong += [f"{record['name']} {size}: {output} is {error} off, the bound is {bound}"
                          for output, (error, bound, right) in results.items() if not right]
            except Exception as fault:  # of the machine: the report says it
                wrong.append(f"{record['name']} {size}: {type(fault).__name__}: {fault}")
    return wrong


def main():
    arguments = read_arguments()
    amd = arguments.arch.startswith("gfx")
    missing = not arguments.clang if amd else not (arguments.nvcc and arguments.machine)
    if missing:
        print(f"skipped: no compiler, or no machine, for {arguments.arch}")
        return 77
    arguments.out.mkdir(parents=True, exist_ok=True)
    drawn = draw(arguments.arch, arguments.count, arguments.seed)
    try:
        program = build_list(arguments, drawn)
        wrong = run_amd(arguments, program) if amd else run_nvidia(arguments, program)
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
