#!/usr/bin/env python3
"""Writes the sources that instantiate the kernels of kernels.json for a consumer: a program, or a part of one.

    kernels.py FAMILY... --consumer emulator --out build/examples/gemm   # sources and emulator.cmake
    kernels.py FAMILY... --recipes build/examples/gemm                   # how a program adds kernels on demand
    kernels.py --list [FAMILY...]                                        # a line a kernel

CMake calls it; by hand --list is of use. A row of kernels.json is a product: each of its fields is a list of words, separated by
blanks, and each combination is a kernel. Only `orders` and `in` are not multiplied: a kernel has all of them. No kernel may be in
two rows.

    family       gemm, attention, attention_backward, rows, shapes, convolution, moe, launches
    target       gfx942, sm_90a, x86_avx512 ...
    type         of the inputs, as --type of the programs has it
    schedule     multistage, warp_specialized, tcgen05 or blocked (a CPU's); of attention_backward also fused: the kernels
                 of warp_specialized_fused_backward_for or, on AMD, of attention_fused_backward_for
    tile         of a GEMM, as the C++ tables name it
    columns      of attention's tile: the most columns of Q, K and V
    orders       of a GEMM's operands, a letter for A and one for B: k if its neighbours along k lie side by side, r if
                 those along the rows of A or the columns of B do; any: a kernel that reads element by element
    form         plain, split_k (in programs with stream-K), dropout ...
    in           its consumers: emulator, gpu and cpu (the programs), code_object, bench (bench_gemm and bench.py), check (gpu_checks,
                 which alone has the family launches). library/write_units.py writes the sources of both. And words
                 about them. demo: `./dev demo` has it, too. sample: it is in the GPU code of every build. quick: bench_gemm
                 has it where TEGULA_GPU_KERNELS names no architecture. soon: test_gpu has it

With --built-in one_type a program for the emulator and the CPU has the kernels of one element type a family, those with the
word demo, and those that it cannot compile when it runs. With sample it has of these types those of CPUs and of a few GPUs
alone. It compiles the others on demand.

Kernels of one target that share code are together in a file, as many as compile in about 20 s. CONSUMER.cmake sets
tegula_units to lines NAME:TARGET:WORDS, where WORDS are those of demo, sample and quick that hold. A file is written only if
its text changes.
"""

import argparse
import itertools
import json
import pathlib

LIST = pathlib.Path(__file__).parent.parent / "kernels.json"
FIELDS = ("family", "target", "type", "schedule", "tile", "columns", "form")
ELEMENTS = {"f64": "double", "f32": "float", "tf32": "float", "f16": "tegula::half", "bf16": "tegula::bfloat16",
            "int8": "std::int8_t", "fp8_e4m3": "tegula::float8_e4m3", "fp8_e5m2": "tegula::float8_e5m2"}
FORMATS = {"mxfp8_e4m3": "tegula::mx_format<tegula::float8_e4m3>", "mxfp6_e2m3": "tegula::mx_format<tegula::float6_e2m3>",
           "mxfp4": "tegula::mx_format<tegula::float4_e2m1>", "nvfp4": "tegula::nvfp4_format"}
# Words of `in` that a consumer's CMake file gives beside each unit.
NOTES = {"emulator": ("demo",), "cpu": ("demo",), "gpu": ("sample",), "bench": ("sample", "quick"), "code_object": ()}
# Forms that bench_gemm measures, and bench.py by the kernels' names. Other forms with the word bench are operations of the library.
BENCH_FORMS = ("plain", "split_k")
# The element type of a family that programs have with --built-in one_type and sample.
BUILT_IN = {"gemm": "bf16", "attention": "bf16", "attention_backward": "bf16", "rows": "f32", "shapes": "f32",
            "convolution": "f32", "moe": "f32"}
# The GPU of a sample: programs compile kernels for the others on demand. What it does not show, such as tensor copies, the
# tests of kernels do. Two tiles of another GPU show how a program chooses between schedules.
SAMPLE = dict.fromkeys(BUILT_IN, ("gfx942",))
SAMPLE_TILES = {"sm_90a": ("t64x64", "ws16x128")}
ORDERS = {"k": "operand_order::k_contiguous", "r": "operand_order::row_contiguous"}


def read_kernels(path=LIST):
    """One dictionary a kernel, in the order of the list; `orders` and `in` stay lists."""
    kernels = []
    for number, row in enumerate(json.loads(path.read_text())):
        unknown = set(row) - set(FIELDS) - {"orders", "in"}
        if unknown:
            raise SystemExit(f"{path.name}: row {number} has the unknown field {sorted(unknown)[0]}")
        axes = [row.get(field, "").split() or [""] for field in FIELDS]
        for words in itertools.product(*axes):
            kernels.append(dict(zip(FIELDS, words), orders=row.get("orders", "").split(), **{"in": row["in"].split()}))
    seen = set()
    for name in map(name_of, kernels):
        if name in seen:
            raise SystemExit(f"{path.name} has {name} twice")
        seen.add(name)
    return kernels


def name_of(k):
    return " ".join([k[f] for f in FIELDS if k[f]] + k["orders"])


class Unit:
    """A source file: kernels of one target, and what they cost a compiler, in about half a second of g++."""

    def __init__(self, kernels=(), cost=0):
        self.kernels, self.cost = list(kernels), cost


def cost_of(k):
    if k["family"] == "gemm":
        each = 4 if k["target"].startswith("x86_amx") else 1
        if k["form"] == "split_k":
            each *= 2
        return each * max(1, len(k["orders"]))
    if k["family"].startswith("attention"):
        return 6 if k["columns"] == "256" and k["target"].startswith("sm_") else 5
    # On sm_90a families choose among tiles by wgmma, too.
    return 36 if k["family"] in ("convolution", "moe") and k["target"] == "sm_90a" and k["type"] != "f32" else 12


def is_in_demo(k, consumer):
    return "demo" in k["in"] and consumer in ("emulator", "cpu")


def is_on_demand(k):
    """Whether programs compile the kernel when they need it: it has a recipe. The others are always built in."""
    return k["type"] != "f64"


def is_built_in(k, choice):
    if choice == "all" or "demo" in k["in"] or not is_on_demand(k):
        return True
    if choice == "sample" and not k["target"].startswith("x86") and k["target"] not in SAMPLE[k["family"]]:
        if k["tile"] not in SAMPLE_TILES.get(k["target"], ()) or k["form"] != "plain":
            return False
    return k["type"] == BUILT_IN[k["family"]] or k["form"] == "block_scaled"


def group_of(k, consumer):
    """Kernels with equal groups share code, and are in one file."""
    by = [k["family"], k["target"], k["type"], is_in_demo(k, consumer)]
    if consumer == "bench":
        by += [k["schedule"], k["form"], k["orders"], "quick" in k["in"]]
        return str(by)
    if consumer == "gpu":
        by += [k["schedule"], k["tile"], k["columns"], k["form"] in ("few_queries", "split_k")]
    elif k["family"].startswith("attention"):
        by += [k["schedule"], k["form"]]
    elif k["family"] != "gemm" and cost_of(k) < 36:
        by[2] = ""
    return tuple(by)


def make_units(kernels, consumer):
    """Groups of one target, the next ones while a file stays below the cost; a GPU's compilers take one each."""
    most = {"gpu": 0, "bench": 0, "code_object": 10000}.get(consumer, 36)
    groups = {}
    for k in kernels:
        groups.setdefault(group_of(k, consumer), []).append(k)
    units = []
    for group in sorted(groups.values(), key=lambda g: (g[0]["family"], g[0]["target"], not is_in_demo(g[0], consumer))):
        cost = sum(map(cost_of, group))
        last = units[-1].kernels[0] if units else None
        alike = last and all(last[f] == group[0][f] for f in ("target", "family")) and \
            is_in_demo(last, consumer) == is_in_demo(group[0], consumer)
        if alike and units[-1].cost + cost <= most:
            units[-1].kernels += group
            units[-1].cost += cost
        else:
            units.append(Unit(group, cost))
    return units


# For each family the headers of its file, and the call that adds kernels. Each function takes the kernels that one call adds.

def write_gemm(k, consumer, alike):
    inputs = f"{k['type'].split('_')[0]}_inputs<target>"
    tiles = ", ".join(f"{x['tile']}_tile" for x in alike)
    by_roles = k["schedule"] in ("warp_specialized", "tcgen05")
    if consumer == "code_object":
        shipped = ", ".join(f"shipped_kernel<{inputs}, {x['tile']}_tile, {k['form']}_form, {order_pair(o)}>"
                            for x in alike for o in x["orders"])
        return "shipped_rows.hpp", f"add_shipped_rows<target>(type_list<{shipped}>{{}})"
    if consumer == "cpu":
        if k["form"] == "block_scaled":
            return "cpu_mx.hpp", f"add_cpu_block_scaled<target, {FORMATS[k['type']]}>(\"{k['type']}\")"
        if k["type"] == "f64":
            return "cpu_f64.hpp", "add_cpu_f64<target>()"
        name, header = ("add_cpu_split_k", "cpu_split_k.hpp") if k["form"] == "split_k" else ("add_cpu_kernels", "cpu.hpp")
        return header, f"{name}<target, {ELEMENTS[k['type']]}>(\"{k['type']}\")"
    if k["form"] == "block_scaled":
        return "emulated_block_scaled.hpp", \
            f"add_block_scaled<target, {FORMATS[k['type']]}, {tiles}>(\"{k['type']}\")"
    run = "emulated" if consumer == "emulator" else "on_gpu"
    header = f"{run}_warp_specialized.hpp" if by_roles or k["orders"] == ["any"] else f"{run}.hpp"
    way = "_warp_specialized" if by_roles else "_element_wise" if k["orders"] == ["any"] else ""
    add = f"add_{run}" + ("_warp_specialized" if by_roles else "")
    kind = f"emulated{way}" if consumer == "emulator" else f"{way[1:]}_on_gpu".lstrip("_")
    if k["form"] == "split_k":
        kind = f"emulated{way}_split_k" if consumer == "emulator" else f"{way[1:]}_split_k_on_gpu"
    return header, f"{add}<{kind}, {inputs}, {tiles}>()"


def write_bench(k, alike):
    """Lines of bench_gemm: layouts are named as BLAS does."""
    element = ELEMENTS[k["type"]] + ("_fnuz" if k["type"].startswith("fp8") and k["target"] == "gfx942" else "")
    layouts = ", ".join("layout::" + {"kk": "tn", "kr": "nn", "rr": "nt"}[order] for order in k["orders"])
    by_roles = k["schedule"] in ("warp_specialized", "tcgen05")
    table = f"tegula::{k['schedule'] if by_roles else 'gemm'}_tiles<target, {element}>"
    add = "add_persistent" if by_roles else "add_tile" if k["form"] == "plain" else "add"
    calls = []
    for tile in (x["tile"] for x in alike):
        names = f'"{tile}"'
        if k["form"] == "split_k":
            names = f'"{tile} split-K", "{tile} stream-K"'
        calls.append(f"{add}{'_split_k' if k['form'] == 'split_k' else ''}<{table}::{tile}, {layouts}>({names})")
    return "persistent_kernels.hpp" if by_roles else "tile_kernels.hpp", ",\n    ".join(calls)


def order_pair(order):
    return "operand_order::any, operand_order::any" if order == "any" else f"{ORDERS[order[0]]}, {ORDERS[order[1]]}"


def write_attention(k, consumer, alike):
    element, by = ELEMENTS[k["type"]], {"emulator": "emulated", "gpu": "gpu", "cpu": "cpu"}[consumer]
    header = {"emulator": "emulated.hpp", "gpu": "on_gpu.hpp", "cpu": "on_cpu.hpp"}[consumer]
    columns = ", ".join(x["columns"] for x in alike)
    what = {"plain": "kernels", "few_queries": "decoding"}.get(k["form"], k["form"])
    if k["schedule"] in ("warp_specialized", "tcgen05"):
        what = "warp_specialized_pages" if k["form"] == "pages" else "warp_specialized"
        if k["schedule"] == "tcgen05":
            header = [header, "tiles_sm_100a.hpp"]
    return header, f"add_{by}_{what}<target, {element}, {columns}>(\"{k['type']}\")"


def write_backward(k, consumer, alike):
    header = {"emulator": "emulated_backward.hpp", "gpu": "on_gpu_backward.hpp", "cpu": "on_cpu_backward.hpp"}[consumer]
    by = {"emulator": "emulated", "gpu": "gpu", "cpu": "cpu"}[consumer]
    names = {"plain": "plain_backward", "scores": "changing_backward", "dropout": "dropping_backward"}
    way = f"{k['schedule']}_" if k["schedule"] in ("tcgen05", "warp_specialized") else ""
    kernels = ", ".join(f"{way}{names[x['form']]}<target, {ELEMENTS[x['type']]}, {x['columns']}>" for x in alike)
    return [header, "tiles_sm_100a.hpp"] if way == "tcgen05_" else header, f"add_{by}_backward<{kernels}>(\"{k['type']}\")"


def write_operations(k, consumer, alike):
    problem, kernels = {"rows": ("row_problem", "row_kernels"), "shapes": ("shape_problem", "shape_kernels"),
                        "convolution": ("convolution_problem", "convolution_kernels"),
                        "moe": ("moe_problem", "moe_layer_kernels")}[k["family"]]
    by = {"emulator": "emulated", "gpu": "on_gpu", "cpu": "on_cpu"}[consumer]
    types = ", ".join(ELEMENTS[x["type"]] for x in alike)
    return [f"{k['family']}_kernels.hpp", f"{by}.hpp"], f"add_{by}<{problem}, {kernels}, target, {types}>()"


PROGRAM_FAMILIES = {
    "gemm": ("gemm", write_gemm, ("target", "type", "schedule", "form")),
    "attention": ("attention", write_attention, ("target", "type", "schedule", "form")),
    "attention_backward": ("attention", write_backward, ("target", "type", "schedule")),
    **{f: ("ops", write_operations, ("target", "family")) for f in ("rows", "shapes", "convolution", "moe")},
}


def text_of(unit, consumer):
    """The source of a unit; consecutive kernels that agree in the family's fields are one call's."""
    folder, write, fields = PROGRAM_FAMILIES[unit.kernels[0]["family"]]
    headers, calls = [], []

    def key(k):
        return tuple(k[f] for f in fields) + (k["orders"] == ["any"],)

    for _, alike in itertools.groupby(unit.kernels, key):
        alike = list(alike)
        included, call = write_bench(alike[0], alike) if consumer == "bench" else write(alike[0], consumer, alike)
        for header in [included] if isinstance(included, str) else included:
            if header not in headers:
                headers.append(header)
        if call not in calls:
            calls.append(call)
    space = "gemm_benchmark" if consumer == "bench" else f"{folder}_example"
    folder = "benchmark/gemm" if consumer == "bench" else f"examples/{folder}"
    lines = [f'#include "{folder}/{h}"' for h in sorted(headers)]
    lines += ["", f"using namespace {space};", f"using target = tegula::arch::{unit.kernels[0]['target']};", "",
              "static const bool added[] = {"]
    lines += [f"    {call}," for call in calls] + ["};"]
    if consumer == "cpu":
        lines = ["#if defined(__x86_64__)", ""] + lines + ["", "#endif"]
    return "\n".join(["// Written by cmake/kernels.py from kernels.json.", ""] + lines) + "\n"


# Words in the place of a kernel's own, which a program replaces when it compiles one on demand. The type has two parts,
# since inputs are named by the first.
TYPE = "@short@_@rest@"
ANY = {"target": "@target@", "type": TYPE, "tile": "@tile@", "columns": "@columns@"}


def text_of_recipes(kernels):
    """A line of C++ for each way to add kernels: family, consumer, schedule, form, tiles or columns, elements, headers, call.
    The elements are the types in C++, as TYPE=ELEMENT."""
    elements = " ".join(f"{name}={element}" for name, element in (ELEMENTS | FORMATS).items())
    ELEMENTS[TYPE] = FORMATS[TYPE] = "@element@"
    kernels = [k for k in kernels if k["family"] in PROGRAM_FAMILIES]
    # A form of a GEMM takes every tile that its schedule has in any form.
    tiles = {}
    for k in kernels:
        if k["form"] != "block_scaled" and set(k["in"]) & {"emulator", "gpu"}:
            tiles.setdefault((k["family"], k["schedule"]), set()).add(k["tile"])
    choices = {}
    for k in kernels:
        if not is_on_demand(k) or k["orders"] == ["any"]:  # what a plain recipe compiles has this order, too
            continue
        folder, write, _ = PROGRAM_FAMILIES[k["family"]]
        for consumer in set(k["in"]) & {"emulator", "gpu", "cpu"}:
            any_kernel = {**k, **ANY}
            included, call = write(any_kernel, consumer, [any_kernel])
            headers = " ".join(f"examples/{folder}/{h}" for h in ([included] if isinstance(included, str) else included))
            row = (k["family"], consumer, k["schedule"], k["form"], headers, call.replace('"', '\\"'))
            known = tiles.get((k["family"], k["schedule"]), set()) if k["tile"] else set()
            choices.setdefault(row, set()).update(known | {k["tile"] or k["columns"]})
    lines = []
    for row, known in sorted(choices.items()):
        ordered = sorted(known, key=lambda word: (int(word) if word.isdigit() else 0, word))
        lines.append("{" + ", ".join(f'"{word}"' for word in row[:4] + (" ".join(ordered), elements) + row[4:]) + "},")
    return "\n".join(["// Written by cmake/kernels.py from kernels.json.", *lines]) + "\n"


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def text_of_choices(kernels, choice):
    """A line of C++ for each kernel that a program does not have built in, and compiles on demand."""
    lines = []
    for k in kernels:
        for consumer in ("emulator", "cpu"):
            if consumer in k["in"] and not is_built_in(k, choice):
                by_roles = k["family"] != "gemm" and k["schedule"] in ("warp_specialized", "tcgen05")
                form = "warp-specialized" + ("-pages" if k["form"] == "pages" else "") if by_roles else k["form"]
                words = (k["family"], consumer, k["target"], k["type"], k["tile"] or k["columns"], form)
                lines.append("{" + ", ".join(f'"{word}"' for word in words) + "},")
    return "\n".join(["// Written by cmake/kernels.py from kernels.json.", *lines]) + "\n"


def write_units(kernels, consumer, out):
    """The sources and CONSUMER.cmake in `out`; files of an earlier list are removed."""
    out.mkdir(parents=True, exist_ok=True)
    suffix = ".gpu.cpp" if consumer in ("gpu", "bench") else ".cpp"
    numbers, described = {}, []
    for unit in make_units(kernels, consumer):
        first = unit.kernels[0]
        stem = f"{consumer}_{first['family']}_{first['target']}"
        numbers[stem] = numbers.get(stem, 0) + 1
        name = f"{stem}_{numbers[stem]}{suffix}"
        write_if_changed(out / name, text_of(unit, consumer))
        words = [w for w in NOTES[consumer] if w in first["in"]]
        described.append(f"{name}:{first['target']}:{','.join(words)}")
    write_list(out, consumer, described)


def write_list(out, consumer, units, more=""):
    """CONSUMER.cmake, which lists the sources of a consumer, with more lines behind; files of an earlier list are removed."""
    names = {unit.split(":")[0] for unit in units}
    for old in out.glob(f"{consumer}_*.cpp"):
        if old.name not in names:
            old.unlink()
    write_if_changed(out / f"{consumer}.cmake", "set(tegula_units\n  " + "\n  ".join(units) + ")\n" + more)


def main():
    parser = argparse.ArgumentParser(description="Sources from kernels.json.")
    parser.add_argument("families", nargs="*", help="of these families [all]", metavar="FAMILY")
    parser.add_argument("--consumer", action="append", choices=("emulator", "gpu", "cpu", "code_object", "bench"), default=[])
    parser.add_argument("--out", type=pathlib.Path, help="the folder of the sources")
    parser.add_argument("--recipes", type=pathlib.Path, metavar="FOLDER",
                        help="a folder for recipes.inc, how a program adds a kernel, and on_demand.inc, which it adds so")
    parser.add_argument("--built-in", choices=("all", "one_type", "sample"), default="all", help="emulator and cpu: what "
                        "programs have without a compiler")
    parser.add_argument("--list", action="store_true", help="print a line a kernel")
    options = parser.parse_args()
    for family in options.families:
        if family not in PROGRAM_FAMILIES:
            parser.error(f"there is no family {family}; there are {', '.join(PROGRAM_FAMILIES)}")
    kernels = [k for k in read_kernels() if not options.families or k["family"] in options.families]
    if options.list:
        for k in kernels:
            print(f"{name_of(k)}: {' '.join(k['in'])}")
        return
    if options.recipes:
        write_if_changed(options.recipes / "recipes.inc", text_of_recipes(kernels))
        write_if_changed(options.recipes / "on_demand.inc", text_of_choices(kernels, options.built_in))
        return
    if not options.out or not options.consumer:
        parser.error("name a --consumer and a folder with --out, --recipes or --list")
    for consumer in options.consumer:
        choice = options.built_in if consumer in ("emulator", "cpu") else "all"
        write_units([k for k in kernels if consumer in k["in"] and is_built_in(k, choice) and
                     (consumer != "bench" or k["form"] in BENCH_FORMS)], consumer, options.out)


if __name__ == "__main__":
    main()
