"""Whether gpu_checks launches everything that is shipped: kernels.json names every tile of every table of tiles for every
architecture and type that has it, each of its kernels for GPUs has a check or a reason, and the checks call every launch of
the library.

    every_kernel.py COMPILER
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import write_checks
from gpus import ARCHITECTURES as GPU_ARCHITECTURES

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include" / "tegula"

WARPS = ["sm_80", "sm_89", "sm_90a", "sm_120a"]
WAVES = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]
TENSOR_CORES = ["sm_100a", "sm_103a"]
# Which architectures each table of tiles is for.
ARCHITECTURES = {
    "gemm_tiles": WARPS + WAVES,
    "weight_tiles": ["sm_80", "sm_89", "sm_90a", "sm_120a", "gfx942", "gfx950"],
    "prologue_tiles": WARPS + WAVES,
    "block_scaled_tiles": ["sm_89", "sm_90a", "gfx942", "gfx950", "gfx1201", "gfx1250"],
    "warp_specialized_tiles": ["sm_90a"],
    "warp_specialized_scaled_tiles": ["sm_90a"],
    "tcgen05_tiles": TENSOR_CORES,
    "tcgen05_scaled_tiles": TENSOR_CORES,
    "microscaled_tiles": ["gfx950"],
    "scaled_wave_tiles": ["gfx1250"],
    "scaled_warp_tiles": ["sm_120a"],
}
# Tiles that only some of them can have, of all their types.
ONLY = {("block_scaled_tiles", "t128x128"): "gfx", ("block_scaled_tiles", "t128x64"): "sm_",
        ("weight_tiles", "t64x128_packed"): "gfx"}
# Tables that attention makes of one tile for its own use.
INNER_TABLES = {"own_tiles", "listed_tiles"}
# Ways to share tiles that only kernels of one kind have: tcgen05_gemm, or warp_specialized_gemm by mixtures of experts.
PARTITIONS_OF_BLACKWELL, PARTITIONS_OF_HOPPER = {"launch_control"}, {"experts"}

# Forms of GEMM that have no check -> the reason.
NO_CHECK = {
    "split_k_sum": "the check of split_k starts it",
    "stream_k_sum": "the check of stream_k starts it",
    "epilogue": "tests on the emulator compare its parts, and device.run_code_objects runs its machine code",
}

# Choosers of a kernel whose kernels are made by their own names, or by a launch.
BY_OTHER_NAMES = {
    "append_and_attend": "append_kernel",  # and attention_split_kernel
    "attention_backward_kernels": "attention_backward_for",
    "attention_fused_backward_kernels": "attention_fused_backward_for",
    "tcgen05_backward_kernels": "tcgen05_backward_for",
    "tcgen05_fused_backward_kernels": "tcgen05_fused_backward_for",
    "warp_specialized_backward_kernels": "warp_specialized_backward_for",
    "warp_specialized_fused_backward_kernels": "warp_specialized_fused_backward_for",
    "grouped_kernels": "grouped_gemm",
    "warp_specialized_kernels": "warp_specialized_gemm",
    "tcgen05_kernels": "tcgen05_gemm",
    "tcgen05_scaled_kernels": "tcgen05_gemm",
}

# Parts of other kernels and of their protocol, and families that choose among kernels which are checked tile by tile.
PARTS = {"convolution_family", "moe_family", "quantized_weights_family", "expert_gemm", "moe_combine", "moe_route_checks",
         "moe_sort_arguments", "persistent_gemm", "reduce_partials", "persistent_convolution", "tensor_copy_attention"}


def written_kernels():
    """The text of each file of gpu_checks, by architecture."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", HERE.parent.parent / "library/write_units.py", "--out", folder], check=True)
        kernels = {}
        for file in sorted(Path(folder).glob("*.cpp")):
            text = re.sub(r".*gpu_library::.*\n", "", file.read_text())  # operations check nothing
            arch = re.search(r"^using target = arch::(\w+);", text, re.M)[1]
            kernels.setdefault(arch, []).append(text)
        return kernels


def tables_of_tiles():
    """name of each table in the library's headers -> its tiles."""
    tables = {}
    for file in sorted(INCLUDE.glob("kernel/**/*.hpp")):
        if "cpu" in file.parts:
            continue
        for found in re.finditer(r"^struct (\w+_tiles)\n\{\n(.*?)^\};", file.read_text(), re.M | re.S):
            public = re.sub(r"^private:.*?^public:", "", found[2], flags=re.M | re.S)
            tiles = re.findall(r"^    using (\w+) =", public, re.M)
            tables[found[1]] = [t for t in tiles if t not in ("atom", "accumulator", "tiles")]
    return {name: tiles for name, tiles in tables.items() if name not in INNER_TABLES}


def conditional_tiles():
    """name of each table -> its tiles that only some targets and types have: those with a member has_TILE."""
    found = {}
    for file in sorted(INCLUDE.glob("kernel/**/*.hpp")):
        if "cpu" not in file.parts:
            for table in re.finditer(r"^struct (\w+_tiles)\n\{\n(.*?)^\};", file.read_text(), re.M | re.S):
                found[table[1]] = re.findall(r"static constexpr bool has_(t\w+|large) =", table[2])
    return {name: tiles for name, tiles in found.items() if tiles}


def assertions_about_gemm(kernels):
    """gemm_tiles has what the rows have: the types that a target multiplies, and the tiles that only some of them have."""
    listed = {}
    for k in kernels:
        if "check" in k["in"] and k["tile"] and k["type"] in write_checks.ELEMENTS and k["schedule"] in ("multistage", ""):
            table = "gemm_tiles" if k["form"] == "plain" else "prologue_tiles" if k["tile"] in ("large", "small") else None
            if table and k["target"] in ARCHITECTURES["gemm_tiles"]:  # others have one tile, which reads element by element
                listed.setdefault((table, k["target"], k["type"]), set()).add(k["tile"])
    for arch in ARCHITECTURES["gemm_tiles"]:
        for kind in set(write_checks.ELEMENTS) - {"f32", "tf32"}:  # which all can have, without a matrix instruction
            element = write_checks.element_of({"type": kind, "target": arch})
            exists = "" if ("gemm_tiles", arch, kind) in listed else "!"
            yield f"{exists}has_matrix_instruction<arch::{arch}, {element}>"
    for (table, arch, kind), tiles in listed.items():
        for tile in conditional_tiles()[table]:
            element = write_checks.element_of({"type": kind, "target": arch})
            yield f"{'' if tile in tiles else '!'}{table}<arch::{arch}, {element}>::has_{tile}"


def assertions_about_attention(kernels):
    """attention_tiles has a tile for each target, type, form and number of columns that a row has, and for no other. Tiles of
    two stages on gfx942 are chosen by no problem, and are in no row."""
    def form_of(k):
        copies = k["schedule"] in ("warp_specialized", "tcgen05")
        if copies and k["form"] in ("latent", "latent_fp8"):
            return "warp_specialized_latent"
        return "warp_specialized" if copies else k["form"] if k["form"] in ("few_queries", "latent") else "multistage"
    listed = {(k["target"], k["type"], form_of(k), int(k["columns"])) for k in kernels if k["family"] == "attention"}
    for arch in GPU_ARCHITECTURES:
        for kind, size in (("bf16", 2), ("f16", 2), ("fp8_e4m3", 1), ("fp8_e5m2", 1)):
            for form in ("multistage", "warp_specialized", "few_queries", "latent", "warp_specialized_latent"):
                latent = form.endswith("latent")
                for columns in (576,) if latent else (64, 128, 256):
                    sizes = f"{size}, {columns}, {512 if latent else columns}"
                    found = f"find_attention_tile(arch::{arch}::chip(), attention_form::{form}, {sizes}).queries"
                    yield f"{found} {'>' if (arch, kind, form, columns) in listed else '=='} 0"


def unchecked(kernels):
    """One sentence for each kernel for GPUs that has neither a check nor a reason. Kernels of programs that choose among tiles
    and forms need checks of these. An order of a GEMM that is not plain needs one of another order."""
    identity = lambda k: tuple(k[field] for field in write_checks.kernels.FIELDS)
    checked = [k for k in kernels if "check" in k["in"]]
    alike = {(k["family"], k["target"], k["type"]) for k in checked}
    known = {identity(k) for k in checked}
    orders = {(*identity(k), order) for k in checked for order in k["orders"]}
    for k in kernels:
        if k["target"].startswith("x86") or k["form"] in NO_CHECK:
            continue
        if not (k["tile"] or k["columns"] or k["form"]):
            found = (k["family"], k["target"], k["type"]) in alike
        elif k["form"] == "plain":
            found = identity(k) in known and all((*identity(k), order) in orders for order in k["orders"])
        else:
            found = identity(k) in known
        if not found:
            yield f"{write_checks.kernels.name_of(k)} has no check; give its row the word check, or NO_CHECK the reason"


def missing_forwards(kernels):
    """One sentence for each backward pass whose forward kernel, which its check starts by name, is in no row."""
    own = {"plain", "masked", "scores", "dropout"}
    fields = lambda k, form: (k["target"], k["type"], k["columns"], form)
    checked = [k for k in kernels if "check" in k["in"]]
    forwards = {fields(k, k["form"]) for k in checked if (k["family"], k["schedule"]) == ("attention", "multistage")}
    return [f"{write_checks.kernels.name_of(k)} has no {form} attention of the multistage schedule to check it with" for k in checked
            if k["family"] == "attention_backward" for form in [k["form"] if k["form"] in own else "causal"]
            if fields(k, form) not in forwards]


def compare_tables(compiler, kernels):
    """The compiler's errors about what the rows and the tables of tiles do not have in common."""
    lines = ["#include <tegula/attention.hpp>", "#include <tegula/convolution.hpp>", "#include <tegula/gemm.hpp>",
             "using namespace tegula;"]
    lines += [f"static_assert({x});" for x in (*assertions_about_gemm(kernels), *assertions_about_attention(kernels))]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tables.cpp"
        source.write_text("\n".join(lines) + "\n")
        run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", INCLUDE.parent, source], capture_output=True,
                             text=True)
    errors = run.stderr.splitlines()
    return [f"{error.partition('error: ')[2]}: {line.strip(' |0123456789')}" for error, line in zip(errors, errors[1:] + [""])
            if "error: " in error]


def choosers():
    """Types of the library's headers that choose a kernel for arguments."""
    names = set()
    for file in INCLUDE.glob("kernel/**/*.hpp"):
        if "cpu" not in file.parts:
            names |= set(re.findall(r"^(?:struct|using) (\w+_kernels)\b(?!<)", file.read_text(), re.M))
    return names


def followers():
    """Kernels that say how they are launched (kernel/protocol.hpp), but the parts that several have in common."""
    names = set()
    for file in INCLUDE.glob("kernel/**/*.hpp"):
        if "cpu" not in file.parts:
            for part in re.split(r"^(?=struct )", file.read_text(), flags=re.M)[1:]:
                if re.search(r"status launches\(|static constexpr const char\* name =", part):
                    names.add(re.match(r"struct (\w+)", part)[1])
    return {name for name in names if not name.endswith(("_protocol", "_picker"))} - PARTS


def missing(kernels, tables, called):
    """One sentence for each thing that no check launches."""
    found, conditional = [], conditional_tiles()
    for name in sorted(tables.keys() ^ ARCHITECTURES.keys()):
        found.append(f"{name} is {'' if name in tables else 'no longer '}a table of tiles; tell ARCHITECTURES")
    for name in sorted(tables.keys() & ARCHITECTURES.keys()):
        for arch in ARCHITECTURES[name]:
            texts = [text for text in kernels.get(arch, []) if re.search(rf"\b{name}<", text)]
            for tile in tables[name]:
                if tile in conditional.get(name, []):
                    continue  # compare_tables looks at each type
                if arch.startswith(ONLY.get((name, tile), "")) and not any(
                    re.search(rf"::{tile}\b", text) for text in texts
                ):
                    found.append(f"{name}::{tile} of {arch} is in no row of kernels.json for gpu_checks")
    for arch, texts in kernels.items():
        # launch.gpu.cpp and graph.gpu.cpp have those of sm_80 and gfx942.
        if arch not in ("sm_80", "gfx942") and not any("add_function_objects<" in text for text in texts):
            found.append(f"function objects and graphs of {arch} are in no row of kernels.json with the family launches")
    sharing = (INCLUDE / "kernel/gemm/warp_specialized/work.hpp").read_text()
    for partition in re.findall(r"\w+", re.search(r"enum class work_partition\s*\{([^}]*)\}", sharing)[1]):
        for arch in TENSOR_CORES + ["sm_90a"]:
            if partition == "tiles" or partition in (PARTITIONS_OF_BLACKWELL if arch == "sm_90a" else PARTITIONS_OF_HOPPER):
                continue
            word = {"list": "add_mapped_list<", "experts": "add_moe<warp_specialized_tiles<"}.get(partition, f"work_partition::{partition}")
            if not any(word in text for text in kernels.get(arch, [])):
                found.append(f"work_partition::{partition} of {arch} is in no row of kernels.json for gpu_checks")
    for name in sorted(choosers() | followers()):
        if not re.search(rf"\b{BY_OTHER_NAMES.get(name, name)}\b", called):
            found.append(f"{name} is in no check of test/gpu")
    return found


def main():
    kernels = written_kernels()
    tables = tables_of_tiles()
    called = "".join(file.read_text() for file in sorted(HERE.glob("*.hpp"))) + "".join(sum(kernels.values(), []))
    listed = write_checks.kernels.read_kernels()
    found = missing(kernels, tables, called) + [*unchecked(listed)] + missing_forwards(listed) + compare_tables(sys.argv[1], listed)
    found += [f"ARCHITECTURES of gpus.py has no {arch}" for arch in kernels if arch not in GPU_ARCHITECTURES]
    # It sees what is left out: a tile, an architecture, a launch, a type of GEMM, attention's tiles of a target.
    assert any("t64x64 of gfx942" in x for x in missing({**kernels, "gfx942": []}, tables, called))
    assert any("t1x1 of sm_90a" in x for x in missing(kernels, {**tables, "gemm_tiles": ["t1x1"]}, called))
    assert len(missing_forwards([k for k in listed if k["family"] != "attention"])) > 100
    fewer = [k for k in listed if (k["family"], k["form"]) != ("attention", "scores")]
    assert any("sm_90a f16 warp_specialized 128 scores has no scores attention" in x for x in missing_forwards(fewer))
    dropped = [{**k, "in": [w for w in k["in"] if w != "check"]} if k["form"] == "dropout" or k["family"] == "moe" else k for k in listed]
    lost = [*unchecked(dropped)]
    assert any("attention_backward sm_90a bf16 multistage 128 dropout has no check" in x for x in lost), lost
    assert any(x.startswith("moe sm_80 f16 has no check") for x in lost), lost
    fewer = [k for k in listed if (k["family"], k["target"]) != ("attention", "gfx950") and
             (k["family"], k["target"], k["type"]) != ("gemm", "gfx942", "int8")]
    found_missing = compare_tables(sys.argv[1], fewer)
    assert any("arch::gfx942, std::int8_t" in x for x in found_missing), found_missing
    assert any("arch::gfx950::chip(), attention_form::few_queries" in x for x in found_missing), found_missing
    assert any("topk_kernels is" in x for x in missing(kernels, tables, re.sub(r"\btopk_kernels\b", "", called)))
    print("\n".join(found) or f"{sum(map(len, kernels.values()))} files for {len(kernels)} architectures")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
