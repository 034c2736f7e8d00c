"""docs/gpu.md from the results of GPUs: benchmark/results/gpu/CARD/DATE/*.json.

    page.py [--check]      writes the page; --check: exit status 1 where it differs from the results
"""

import json
import statistics
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
RESULTS = TOP / "benchmark" / "results" / "gpu"
PAGE = TOP / "docs" / "gpu.md"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(x) for x in row) + " |" for row in rows])


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
    text = (f"`gpu_checks`: {len(data['results'])} checks, {len(wrong)} wrong. Each launches a kernel for several problems, ragged and large, "
            "and compares all of every result with a formula in double that the GPU evaluates itself. Every tile of GEMM in every type "
            "and order of operands, attention in every form, rows, losses, reductions, convolutions, experts, quantised weights and "
            "graphs are among them.")
    if wrong:
        text += "\n\n" + table(["kernel", "wrong"], [[r["name"], r["wrong"]] for r in wrong])
    runs = data.get("sanitizer", [])
    if runs:
        text += ("\n\ncompute-sanitizer, small problems, a kernel of each mechanism: "
                 + "; ".join(f"{tool} {count} kernels, {errors} errors" for tool, count, errors in runs) + ".")
    return text


def gemm_section(folder):
    data = read(folder, "gemm")
    by_type = {}
    for r in data["results"]:
        by_type.setdefault((r["type"], r["layout"]), []).append(r)
    text = [f"TFLOP/s beside {data['vendor_library']}, the fastest of its first {data['algorithms']} heuristics with "
            f"{'/'.join(str(x) for x in data['workspaces_mib'])} MiB of workspace. `chosen`: the tile that choose_tile takes; `best`: the fastest of all "
            "tiles. fp8 of ours is promoted every 128 of k, the vendor's is not. Clock: of the multiprocessors under the load; past "
            "2048 cubed the card's power limits it."]
    for (kind, layout), results in by_type.items():
        ratios = [r["ratio"] for r in results if r["ratio"]]
        if not ratios:
            continue
        best = [r["best_tflops"] / r["vendor_best_tflops"] for r in results if r["ratio"]]
        text.append(f"### {kind} {layout}\n\nGeometric mean of ours by the vendor's: {mean(ratios)}; with the best tile {mean(best)}.")
        text.append(table(["m x n x k", "chosen", "TFLOP/s", "best", "TFLOP/s", "vendor", "ratio", "MHz"],
                          [[f"{r['m']} x {r['n']} x {r['k']}", r["tile"], f"{r['tflops']:.0f}", r["best_tile"],
                            f"{r['best_tflops']:.0f}", f"{r['vendor_best_tflops']:.0f}", f"{r['ratio']:.2f}", f"{r['megahertz']:.0f}"]
                           for r in results if r["ratio"]]))
    return "\n\n".join(text)


def ours_of(record):
    return {n: c for n, c in record["contenders"].items() if n.startswith("tegula")}


def attention_section(folder):
    data = read(folder, "attention")
    # PyTorch's FlashAttention is Composable Kernel or AITER on AMD.
    beside = "cudnn" if any("cudnn" in r["contenders"] for r in data["results"]) else "flash"
    by = {"cudnn": "cuDNN's", "flash": "PyTorch's FlashAttention"}[beside]
    kernels = {"cudnn": "cuDNN's and FlashAttention's kernels", "flash": "FlashAttention"}[beside]
    text = [f"bf16, TFLOP/s of the products that the mask leaves, beside {kernels} of PyTorch "
            f"{data['pytorch']}; all in CUDA graphs, in turns." + " FlashAttention 3 was not there." * (beside == "cudnn")]
    for group, title in (("forward", "Forward"), ("backward", "Backward alone"), ("decode", "One query a sequence, 8192 keys")):
        rows, ratios = [], []
        for r in data["results"]:
            words = r["case"].split("/")
            if words[1] != group or not ours_of(r) or beside not in r["contenders"]:
                continue
            ours = {n: c for n, c in ours_of(r).items() if group != "decode" or n.endswith("chosen")}
            if not ours:
                continue
            name, best = max(ours.items(), key=lambda x: x[1]["rate"])
            theirs = r["contenders"][beside]["rate"]
            flash = r["contenders"].get("flash")
            ratios.append(best["rate"] / theirs)
            kernel = name.removeprefix("tegula ").split("/")[1]
            rows.append([words[2], words[3], words[4].replace("x", " x "), kernel, f"{best['rate'] / 1e12:.0f}", f"{theirs / 1e12:.0f}",
                         *[f"{flash['rate'] / 1e12:.0f}" if flash else ""] * (beside == "cudnn"), f"{ratios[-1]:.2f}"])
        if not rows:
            continue
        text.append(f"### {title}\n\nGeometric mean of ours by {by}: {mean(ratios)}.")
        text.append(table(["columns", "mask", "batch x heads : of keys x queries x keys", "kernel", "ours", by.removesuffix("'s"),
                           *["FlashAttention 2"] * (beside == "cudnn"), "ratio"], rows))
    return "\n\n".join(text)


def rows_section(folder):
    data = read(folder, "rows")
    rows = []
    for r in data["results"]:
        c = r["contenders"]
        if "tegula" in c and {"pytorch", "inductor"} & c.keys():
            rate = lambda name: f"{c[name]['rate'] / 1e9:.0f}" if name in c else ""
            rival = max(c[n]["rate"] for n in ("pytorch", "inductor") if n in c)
            rows.append([*r["case"].split("/")[::2], rate("tegula"), rate("inductor"), rate("pytorch"), f"{c['tegula']['rate'] / rival:.2f}"])
    ratios = [float(row[-1]) for row in rows]
    return (f"bf16, GB/s of the bytes that must move, random data, sets past the cache, beside PyTorch {data['pytorch']}: Inductor (max-autotune) "
            f"and its own kernels. Geometric mean of ours by the faster of the two: {mean(ratios)}.\n\n"
            + table(["operation", "shape", "ours", "Inductor", "PyTorch", "ratio"], rows))


def profile_section(folder):
    data = read(folder, "profile")
    rows = [[r["kernel"], r["microseconds"], r["sm_percent"], r["dram_percent"], r["registers"], r["warps_percent"],
             ", ".join([f"{name} {ratio}" for name, ratio in r["stalls"].items()] + list(filter(None, [r.get("cause")])))] for r in data["results"]]
    return (f"Nsight Compute, commit {data['commit']}: {data['command']}. Stalls: warps a cycle in which one is issued.\n\n"
            + table(["kernel", "us", "multiprocessors %", "DRAM %", "registers", "warps %", "stalls"], rows))


def sections(folder):
    """Title and text of each kind of results that the folder has."""
    makers = (("checks", "Results", checks_section), ("gemm", "GEMM", gemm_section), ("attention", "Attention", attention_section),
              ("rows", "Rows", rows_section), ("profile", "Counters", profile_section))
    return [(title, make(folder)) for name, title, make in makers if read(folder, name)]


def section(folder):
    env = read(folder, "env")
    text = [f"## {env['gpu']}, {folder.name}",
            f"Commit {env['commit']}, {env['compiler']}, driver {env['driver']}. Files: "
            f"[benchmark/results/gpu/{folder.parent.name}/{folder.name}](../benchmark/results/gpu/{folder.parent.name}/{folder.name}). {env['note']}"]
    text += [f"### {title}\n\n" + made.replace("### ", "#### ") for title, made in sections(folder)]
    if (folder / "notes.md").exists():
        text.insert(2, "### Findings\n\n" + (folder / "notes.md").read_text().rstrip())
    return "\n\n".join(text)


INTRODUCTION = """# On GPUs

Results and speeds of GPUs, from the files of benchmark/results/gpu. `benchmark/gpu/page.py` writes this page, and a test compares
it with them. No other page has speeds of a GPU. AMD's GPUs, and NVIDIA's other than these, have not run anything yet.

## On your own GPU

    ./dev gpu                      # or smoke, check, bench, profile; --minutes 30 ends in time
    ./dev gpu --resume DIR         # goes on with what has no result there

It finds the GPUs, builds for their architectures into `build-gpu/`, and runs, in this order, a few kernels, every kernel with
small problems, benchmarks, every kernel with large ones, counters of the slowest cases, and every kernel with new data. It
needs CMake 3.25, ninja or make, Python 3.9 or later, and

- for NVIDIA: a CUDA toolkit (nvcc 12.8 or later) with g++. Counters come from `ncu`, whose use the driver may leave to root
  (ERR_NVGPUCTRPERM).
- for AMD: ROCm, or Debian's packages clang-22, lld-22, clang-tools-22, libamdhip64-dev and rocm-device-libs, and access to
  `/dev/kfd`. `rocprofv3` gives times and registers. Attention's benchmarks are of gfx942.

Benchmarks need PyTorch for that GPU (`pip install torch`, from PyTorch's index for ROCm on AMD). GEMM's, `bench_gemm`
([performance.md](performance.md#gemm-on-a-gpu)), need Google Benchmark, CLI11 and nlohmann/json. It leaves out
what is missing, and names it. Building every kernel takes about an hour on two cores; `./dev gpu smoke` builds a few in minutes.

A step that hangs or crashes is ended and costs itself alone. Each result is a line of `results.jsonl` in the folder of the run
(`--out DIR`, by default in `build-gpu/`), at once. At the end `report.html` has tables and plots, and ten lines are printed.
Exit status: 0; 1 where something is wrong; 77 without a GPU. The .json files beside the page have the form of
benchmark/results/gpu.

For a machine without compilers, build elsewhere and take the folder along. It needs a driver, Python, and PyTorch for benchmarks;
on AMD libamdhip64 too, of the same major version as where it was built:

    ./dev gpu pack sm_90a --out pack        # of AMD's: gfx942
    pack/run all --minutes 30               # there

A pack that was stopped (or by `--minutes`) has what was built until then: a few checks first, the benchmarks, every check."""


def page():
    folders = sorted((f.parent for f in RESULTS.glob("*/*/env.json")), key=lambda f: (f.name, f.parent.name), reverse=True)
    return "\n\n".join([INTRODUCTION, *map(section, folders)]) + "\n"


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
