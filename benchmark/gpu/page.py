"""docs/gpu.md from the results of GPUs: benchmark/results/gpu/CARD/DATE/*.json.

    page.py [--check]      writes the page; --check: exit status 1 where it differs from the results
"""

import json
import re
import statistics
import sys
from pathlib import Path

import kernels_seen

TOP = Path(__file__).resolve().parent.parent.parent
RESULTS = TOP / "benchmark" / "results" / "gpu"
PAGE = TOP / "docs" / "gpu.md"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(x) for x in row) + " |" for row in rows])


def table_of_known(head, rows):
    """A table without the columns that no row has something in, as older runs did not record everything."""
    known = [i for i in range(len(head)) if not rows or any(row[i] != "" for row in rows)]
    return table([head[i] for i in known], [[row[i] for i in known] for row in rows])


def read(folder, name):
    file = folder / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else None


def mean(ratios):
    """The geometric mean in words; nothing where there is no ratio."""
    if not ratios:
        return "none"
    return f"{statistics.geometric_mean(ratios):.2f}"


def checks_section(folder):
    data = read(folder, "checks")
    wrong = [r for r in data["results"] if r["wrong"]]
    text = (f"`gpu_checks`: {len(data['results'])} checks, {len(wrong)} wrong. Each launches a kernel for several problems, with odd sizes and "
            "large ones, and compares every element of the results with a formula in double that the GPU evaluates itself. There are "
            "checks of every tile of GEMM in every type and order of operands, of attention in every form, operations on rows, losses, "
            "reductions, convolutions, mixtures of experts, quantised weights and CUDA graphs.")
    if wrong:
        text += "\n\n" + table(["kernel", "wrong"], [[r["name"], r["wrong"]] for r in wrong])
    runs = data.get("sanitizer", [])
    if runs:
        text += ("\n\nUnder compute-sanitizer ran a kernel of each mechanism, with small problems: "
                 + "; ".join(f"{tool} of {count} kernels, {errors} errors" for tool, count, errors in runs) + ".")
    return text


def gemm_tables(results):
    """A table for each type and layout of products that have a ratio."""
    text, by_type = [], {}
    for r in results:
        if r.get("ratio"):
            by_type.setdefault((r["type"], r["layout"]), []).append(r)
    for (kind, layout), rows in by_type.items():
        by_best = f"; with the best tile {mean([r['best_tflops'] / r['vendor_best_tflops'] for r in rows])}" if "tile" in rows[0] else ""
        text.append(f"### {kind} {layout}\n\nGeometric mean of our speed divided by the vendor's: {mean([r['ratio'] for r in rows])}{by_best}.")
        number = lambda r, name, digits: f"{r[name]:.{digits}f}" if r.get(name) is not None else ""
        text.append(table_of_known(
            ["m x n x k", "chosen", "TFLOP/s", "best", "TFLOP/s", "vendor", "ratio", "MHz", "spread", "of roofline"],
            [[f"{r['m']} x {r['n']} x {r['k']}", r.get("tile", ""), number(r, "tflops", 0), r["best_tile"], number(r, "best_tflops", 0),
              number(r, "vendor_best_tflops", 0), number(r, "ratio", 2), number(r, "megahertz", 0), number(r, "spread", 3), number(r, "roofline", 2)]
             for r in rows]))
    return text


def gemm_section(folder):
    data = read(folder, "gemm")
    text = [f"TFLOP/s beside {data['vendor_library']}, the fastest of the first {data['algorithms']} algorithms that its heuristic "
            f"names, with {'/'.join(str(x) for x in data['workspaces_mib'])} MiB of workspace. Ratio: the speed of our chosen tile divided by the vendor's. "
            "In fp8 our tiles of up to 64 rows and those named promoted add their sums to others in f32 every 128 of k. Our other tiles "
            "and the vendor's kernels do not. Past 2048 cubed the card's power limits the clock."]
    return "\n\n".join(text + gemm_tables(data["results"]))


def products_section(folder):
    data = read(folder, "products")
    lt = next((r["vendor_library"] for r in data["results"] if "vendor_library" in r), "no library of the vendor's")
    text = (f"TFLOP/s by `bench.py`, beside {lt}, the fastest of the first 12 algorithms that its heuristic names, with 32 MiB of workspace, and "
            f"torch.matmul of PyTorch {data['pytorch']}; the fastest of them is the vendor here. All in CUDA graphs, in turns. Best is the fastest of all "
            "our tiles; `choose_tile` may take another.")
    return "\n\n".join([text, *gemm_tables(data["results"])])


def roofline(contender):
    """The share of the time that products or memory alone need, where it was measured."""
    return f"{contender['roofline']:.2f}" if "roofline" in contender else ""


def spread(contender):
    """The slowest round less the fastest, divided by the median."""
    return f"{contender['spread']:.3f}" if "spread" in contender else ""


def ours_of(record):
    return {n: c for n, c in record["contenders"].items() if n.startswith("tegula")}


# Rivals of attention by their names in bench.py. Ours are divided by the first that a run has.
ATTENTION = {"cudnn": "cuDNN", "aiter": "AITER", "ck": "Composable Kernel", "aotriton": "AOTriton", "flash": "FlashAttention 2",
             "flash4": "FlashAttention 4"}


def attention_section(folder):
    data = read(folder, "attention")
    there = {name for r in data["results"] for name in r["contenders"]}
    beside = next((name for name in ATTENTION if name in there), "flash")
    by = "PyTorch's FlashAttention" if beside == "flash" else f"{ATTENTION[beside]}'s"
    kernels = ("cuDNN's and FlashAttention's kernels" if beside == "cudnn" else "FlashAttention" if beside == "flash" else
               "AOTriton's and Composable Kernel's kernels")
    # Names of the other contenders, in the order of their columns.
    others = [(name, title) for name, title in ATTENTION.items() if name != beside and name in there]
    text = [f"bf16, TFLOP/s of the products that the mask leaves, beside {kernels} of PyTorch "
            f"{data['pytorch']}; all in CUDA graphs, in turns." + " FlashAttention 3 was not there." * (beside == "cudnn")
            + (f" FlashAttention 4 is the package flash-attn-4 {data['flash4']}, whose kernels for this chip are those of 3 in CuTe DSL."
               if "flash4" in data else "")
            + " AITER is the package amd-aiter." * ("aiter" in there)
            + " A shape is batch x heads of queries : heads of keys x queries x keys."]
    for group, title in (("forward", "Forward"), ("backward", "Backward alone"), ("decode", "One query a sequence, 8192 keys")):
        rows, ratios, ratios4 = [], [], []
        for r in data["results"]:
            words = r["case"].split("/")
            if words[1] != group or not ours_of(r) or beside not in r["contenders"]:
                continue
            # Decode has several tiles and numbers of shares: only those that the library takes count.
            ours = {n: c for n, c in ours_of(r).items() if group != "decode" or n.endswith(r.get("shipped", "chosen"))}
            if not ours:
                continue
            name, best = max(ours.items(), key=lambda x: x[1]["rate"])
            theirs = r["contenders"][beside]["rate"]
            rates = {n: r["contenders"][n]["rate"] for n, _ in others if n in r["contenders"]}
            ratios.append(best["rate"] / theirs)
            ratios4 += [best["rate"] / rates["flash4"]] if "flash4" in rates else []
            kernel = name.removeprefix("tegula ").split("/")[1]
            rows.append([words[2], words[3], words[4].replace("x", " x "), kernel, f"{best['rate'] / 1e12:.0f}", f"{theirs / 1e12:.0f}",
                         *[f"{rates[n] / 1e12:.0f}" if n in rates else "" for n, _ in others], f"{ratios[-1]:.2f}", spread(best), roofline(best)])
        if not rows:
            continue
        text.append(f"### {title}\n\nGeometric mean of our speed divided by {by}: {mean(ratios)}"
                    + (f"; by FlashAttention 4's: {mean(ratios4)}." if ratios4 else "."))
        text.append(table_of_known(["columns", "mask", "shape", "kernel", "ours", by.removesuffix("'s"),
                                    *[title for _, title in others], "ratio", "spread", "of roofline"], rows))
    rows = []
    for r in data["results"]:
        if "/fp8/" not in r["case"]:
            continue
        _, _, columns, mask, shape = r["case"].split("/")
        best = {kind: max((c["rate"], n.split("/")[1]) for n, c in ours_of(r).items() if f"/{kind}" in n)
                for kind in ("fp8", "bf16") if any(f"/{kind}" in n for n in ours_of(r))}
        if len(best) == 2:
            rows.append([columns, mask, shape.replace("x", " x "), best["fp8"][1], *[f"{rate / 1e12:.0f}" for rate, _ in best.values()],
                         f"{best['fp8'][0] / best['bf16'][0]:.2f}"])
    if rows:
        text.append("### Forward in fp8\n\nBeside ours in bf16: PyTorch has no attention in fp8.")
        text.append(table(["columns", "mask", "shape", "kernel", "e4m3", "bf16", "ratio"], rows))
    return "\n\n".join(text)


def rows_section(folder):
    data = read(folder, "rows")
    rows = []
    titles = {"inductor": "Inductor", "pytorch": "PyTorch"}
    if any("aiter" in r["contenders"] for r in data["results"]):
        titles["aiter"] = "AITER"
    for r in data["results"]:
        c = r["contenders"]
        if "tegula" in c and titles.keys() & c.keys():
            rate = lambda name: f"{c[name]['rate'] / 1e9:.0f}" if name in c else ""
            rival = max(c[n]["rate"] for n in titles if n in c)
            rows.append([*r["case"].split("/")[::2], rate("tegula"), *map(rate, titles), f"{c['tegula']['rate'] / rival:.2f}",
                         spread(c["tegula"]), roofline(c["tegula"])])
    ratios = [float(row[-3]) for row in rows]
    return (f"bf16, random data in more memory than the cache holds. GB/s of the bytes that must move: operands read once, results "
            f"written once. Beside PyTorch {data['pytorch']}: its compiler Inductor (max-autotune) and its own kernels. Geometric mean of our speed divided "
            f"by that of the {'fastest of the three' if 'aiter' in titles else 'faster of the two'}: {mean(ratios)}.\n\n"
            + table_of_known(["operation", "shape", "ours", *titles.values(), "ratio", "spread", "of roofline"], rows))


FORMS = {"block_scaled": ("fp8 with block scales", "TFLOP/s"), "cluster_split": ("Products whose k a cluster shares", "TFLOP/s"), "weights": ("Quantised weights", "TFLOP/s"),
         "list": ("Lists of products", "TFLOP/s"), "moe": ("Mixture of experts", "TFLOP/s"), "moe_gated": ("Mixture of gated experts", "TFLOP/s"), "convolution": ("Convolutions", "TFLOP/s"),
         "cross_entropy": ("Losses and gradients of rows", "GB/s")}


def forms_section(folder):
    """A table for each family; the fastest of our tiles beside the fastest of the others."""
    data = read(folder, "forms")
    by_family = {}
    for r in data["results"]:
        family = r["case"].split("/")[0]
        by_family.setdefault(family if family in FORMS else "cross_entropy", []).append(r)
    text = [f"Random data, verified with float64, in CUDA graphs, in turns. Beside cuBLAS, cuDNN and the kernels of PyTorch {data['pytorch']} "
            "and of its compiler Inductor (max-autotune). The fastest of our tiles and the fastest rival count."]
    for family, (title, unit) in FORMS.items():
        rows, ratios = [], []
        for r in by_family.get(family, []):
            ours, theirs = ours_of(r), {n: c for n, c in r["contenders"].items() if not n.startswith("tegula")}
            if not ours:
                continue
            mine, best = max(ours.items(), key=lambda x: x[1]["rate"])
            other, rival = max(theirs.items(), key=lambda x: x[1]["rate"]) if theirs else ("", None)
            rate = lambda c: f"{c['rate'] / (1e12 if 'operations' in r else 1e9):.3g}"
            ratios += [best["rate"] / rival["rate"]] if rival else []
            # The tile is what the operation's name has and the case's has not.
            words = [w for w in mine.removeprefix("tegula ").split("/") if w not in r["case"].split("/")]
            rows.append([r["case"], " ".join(w for w in words if w != "bf16"), rate(best), other, rate(rival) if rival else "",
                         f"{ratios[-1]:.2f}" if rival else "", spread(best), roofline(best)])
        if rows:
            text.append(f"### {title}\n\n" + (f"Geometric mean of our speed divided by the fastest other's: {mean(ratios)}." if ratios
                                              else "No other ran."))
            text.append(table_of_known(["case", "our tile", f"ours, {unit}", "other", f"other's, {unit}", "ratio", "spread", "of roofline"], rows))
    return "\n\n".join(text)


PROFILERS = {"ncu": "Nsight Compute", "rocprofv3": "rocprofv3"}


def profile_section(folder):
    data = read(folder, "profile")
    rounded = lambda value: f"{value:.4g}" if isinstance(value, float) else value
    rows = [[r["kernel"], *(rounded(r.get(name, "")) for name in ("microseconds", "sm_percent", "dram_percent", "registers", "warps_percent",
                                                                  "valu_percent", "bank_conflicts", "memory_stalled")),
             ", ".join(f"{name} {ratio:.3g}" for name, ratio in r.get("stalls", {}).items()), r.get("cause", "")] for r in data["results"]]
    tool = data["results"][0].get("tool", "ncu")
    meaning = ("Stalls: warps that wait, in the mean cycle in which one issues." if tool == "ncu" else
               "DRAM: KiB moved, beside the rate of a copy in the same run.")
    busy, waves = ("multiprocessors %", "warps %") if tool == "ncu" else ("matrix units %", "waves %")
    return (f"{PROFILERS[tool]}, commit {data['commit']}: {data['command']}. {meaning}\n\n"
            + table_of_known(["kernel", "us", busy, "DRAM %", "registers", waves, "vector units %", "bank conflicts %", "memory stalled %", "stalls",
                              "likely cause"], rows))


def sections(folder):
    """Title and text of each kind of results that the folder has."""
    makers = (("checks", "Results", checks_section), ("gemm", "GEMM", gemm_section),
              ("products", "GEMM in one process", products_section), ("attention", "Attention", attention_section),
              ("rows", "Rows", rows_section), ("forms", "Other forms", forms_section), ("profile", "Counters", profile_section))
    return [(title, make(folder)) for name, title, make in makers if read(folder, name)]


def section(folder, newest):
    """A run; of the older ones every heading ends with the date, as headings are addresses."""
    env = read(folder, "env")
    text = [f"## {env['gpu']}, {folder.name}",
            f"Commit {env['commit']}, {env['compiler']}, driver {env['driver']}. Files: "
            f"[benchmark/results/gpu/{folder.parent.name}/{folder.name}](../benchmark/results/gpu/{folder.parent.name}/{folder.name}). {env['note']}"]
    text += [f"### {title}\n\n" + made.replace("### ", "#### ") for title, made in sections(folder)]
    if (folder / "notes.md").exists():
        text.insert(2, "### Findings\n\n" + (folder / "notes.md").read_text().rstrip())
    whole = "\n\n".join(text)
    return whole if newest else re.sub(r"^(###+ .*)$", rf"\1, {folder.name}", whole, flags=re.M)


INTRODUCTION = """# On GPUs

Results and speeds of GPUs. `benchmark/gpu/page.py` writes this page from the files of benchmark/results/gpu, and a test compares
the two. README.md quotes the means; no other page has speeds of a GPU. AMD's GPUs, and NVIDIA's other than those below, have not
run anything yet.

## On your own GPU

    ./dev gpu                      # or smoke, check, bench, profile; --minutes 30 ends in time
    ./dev gpu --resume DIR         # goes on with what has no result in DIR, the folder of an earlier run

It finds the GPUs and builds for their architectures into `build-gpu/`. Then it runs, in this order: a few kernels, every kernel
with small problems, benchmarks, every kernel with large problems, a profile of the slowest cases, every kernel with new data. It
needs CMake 3.25, ninja or make, Python 3.9 or later, and

- for NVIDIA: a CUDA toolkit (nvcc 12.8 or later) with g++. The profile is by `ncu`. If that fails with ERR_NVGPUCTRPERM, the
  driver lets only root read the counters.
- for AMD: ROCm, or Debian's packages clang-22, lld-22, clang-tools-22, libamdhip64-dev and rocm-device-libs, and access to
  `/dev/kfd`. The profile is by `rocprofv3`.

Attention, its gradients, gradients of operations on rows, convolutions, mixtures of experts and quantised weights are measured on
sm_80, sm_90a, sm_100a, sm_120a, gfx942 and gfx950; quantised weights not on sm_100a. Forward attention is measured on gfx90a, too,
GEMM on all but sm_89, sm_103a and gfx1250, operations on rows wherever they are checked. A step says how many cases it leaves out, as
the library of that GPU has no operation for them. It names the forms of kernels that have none, such as attention with masks, lists
or pages.

Benchmarks need PyTorch for that GPU (`pip install torch`; for AMD from PyTorch's index for ROCm). The full benchmark of GEMM,
`bench_gemm` ([performance.md](performance.md#gemm-on-a-gpu)), needs Google Benchmark, CLI11 and nlohmann/json. Without it
`bench.py` measures the same products with fewer shapes; with it, two shapes of each type. If something is missing, it is named and
left out. Rivals beside PyTorch's kernels are cublasLt or hipBLASLt. So are the packages
flash-attn-4 on NVIDIA and amd-aiter on AMD, where they are installed. Building every kernel of sm_90a takes most of an hour on two cores, of gfx942 a quarter; `./dev gpu smoke` builds a
few in minutes, and measures nothing.

A step that hangs or crashes is ended, and the others run. Each result is written at once, as a line of `results.jsonl` in the
folder of the run: `--out DIR`, by default one in `build-gpu/`. At the end `report.html` there has tables and plots, and a summary
is printed. The folder's .json files have the form of those in benchmark/results/gpu. Exit status: 0; 1 where something is wrong;
77 without a GPU.

A machine with a GPU and without compilers takes a pack that is built elsewhere. It needs a driver, Python, and PyTorch for
benchmarks; on AMD also libamdhip64, of the same major version as where the pack was built:

    ./dev gpu pack sm_90a --out pack        # where the compilers are; for AMD such as gfx942
    pack/run all --minutes 30               # where the GPU is, in the copied folder

A pack is built in this order: a few checks, the [library of kernels](library.md), then the programs that use it: `gpu_checks`, and
`bench_gemm` if its libraries are there. It measures cublasLt or hipBLASLt as the loader or PyTorch's packages have it. A pack that was stopped, by --minutes or by you, has what
was built until then.

## How to read the tables

- TN, NN, NT: how the operands of a GEMM lie. TN has k contiguous in A and in B. NN has A and B row-major. NT has A column-major
  and B row-major.
- chosen, best: the tile that `choose_tile` takes for the problem, and the fastest of all tiles.
- ws128x256_2x1: a warp-specialised tile of 128 x 256 elements of C, whose operands clusters of 2 x 1 blocks load
  ([the tiles](gemm.md#warp-specialised-on-sm_90a)). split-K and stream-K share k among several blocks.
- promoted: sums of fp8 are added to others in f32 every 128 of k, since the instruction's own lose digits (on that page, too).
- MHz: the clock of the multiprocessors under the load.
- cublas bf16, hipblas bf16: the product with weights that were widened beforehand. int4pack, int8pack: PyTorch's kernels for weights of 4
  and 8 bits. A list has count x rows (about) x n x k.
- multistage, specialized, few_queries: our [kernels of attention](attention.md#which-kernel). columns: those of Q, K and V.
- of roofline: the time that the products or the memory alone need, at the rates that the card reached in the same run for a
  product of 8192 cubed by PyTorch and for a copy, divided by our time.
- spread: the time of the slowest round less that of the fastest, divided by the median.
- stalls: how many warps wait, for the reason named, in the mean cycle in which a warp issues. The three largest are listed.
- warps: per cent of those that a multiprocessor has room for. registers: of a lane.
- likely cause: what the counters of that kernel point to. Those of ours and of the fastest rival are beside each other."""


def page():
    folders = sorted((f.parent for f in RESULTS.glob("*/*/env.json")), key=lambda f: (f.name, f.parent.name), reverse=True)
    parts = [INTRODUCTION, *(section(f, number == 0) for number, f in enumerate(folders)), kernels_seen.section(folders)]
    return "\n\n".join(filter(None, parts)) + "\n"


def main():
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() == page():
            return 0
        print("docs/gpu.md is not what benchmark/gpu/page.py makes of benchmark/results/gpu; run it")
        return 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
