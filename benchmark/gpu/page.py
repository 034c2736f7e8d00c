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
    text = ["bf16, TFLOP/s of the products that the mask leaves, beside cuDNN's and FlashAttention's kernels of PyTorch "
            f"{data['pytorch']}; all in CUDA graphs, in turns. FlashAttention 3 was not there."]
    for group, title in (("forward", "Forward"), ("backward", "Backward alone"), ("decode", "One query a sequence, 8192 keys")):
        rows, ratios = [], []
        for r in data["results"]:
            words = r["case"].split("/")
            if words[1] != group or not ours_of(r) or "cudnn" not in r["contenders"]:
                continue
            ours = {n: c for n, c in ours_of(r).items() if group != "decode" or n.endswith("chosen")}
            name, best = max(ours.items(), key=lambda x: x[1]["rate"])
            theirs = r["contenders"]["cudnn"]["rate"]
            flash = r["contenders"].get("flash")
            ratios.append(best["rate"] / theirs)
            kernel = name.removeprefix("tegula ").split("/")[1]
            rows.append([words[2], words[3], words[4].replace("x", " x "), kernel, f"{best['rate'] / 1e12:.0f}", f"{theirs / 1e12:.0f}",
                         f"{flash['rate'] / 1e12:.0f}" if flash else "", f"{ratios[-1]:.2f}"])
        text.append(f"### {title}\n\nGeometric mean of ours by cuDNN's: {mean(ratios)}.")
        text.append(table(["columns", "mask", "batch x heads : of keys x queries x keys", "kernel", "ours", "cuDNN", "FlashAttention 2", "ratio"], rows))
    return "\n\n".join(text)


def rows_section(folder):
    data = read(folder, "rows")
    rows = []
    for r in data["results"]:
        c = r["contenders"]
        if "tegula" in c:
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
             ", ".join(f"{name} {ratio}" for name, ratio in r["stalls"].items())] for r in data["results"]]
    return (f"Nsight Compute, commit {data['commit']}: {data['command']}. Stalls: warps a cycle in which one is issued.\n\n"
            + table(["kernel", "us", "multiprocessors %", "DRAM %", "registers", "warps %", "stalls"], rows))


def section(folder):
    env = read(folder, "env")
    text = [f"## {env['gpu']}, {folder.name}",
            f"Commit {env['commit']}, {env['compiler']}, driver {env['driver']}. Files: "
            f"[benchmark/results/gpu/{folder.parent.name}/{folder.name}](../benchmark/results/gpu/{folder.parent.name}/{folder.name}). {env['note']}"]
    for name, title, make in (("checks", "Results", checks_section), ("gemm", "GEMM", gemm_section),
                              ("attention", "Attention", attention_section), ("rows", "Rows", rows_section),
                              ("profile", "Counters", profile_section)):
        if read(folder, name):
            text.append(f"### {title}\n\n" + make(folder).replace("### ", "#### "))
    if (folder / "notes.md").exists():
        text.insert(2, "### Findings\n\n" + (folder / "notes.md").read_text().rstrip())
    return "\n\n".join(text)


INTRODUCTION = """# On GPUs

Results and speeds of GPUs, from the files of benchmark/results/gpu. `benchmark/gpu/page.py` writes this page, and a test compares
it with them. No other page has speeds of a GPU. AMD's GPUs, and NVIDIA's other than these, have not run anything yet.

On your own GPU:

    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DTEGULA_GPU_KERNELS=sm_90a -DTEGULA_GPU_TEST_ALL_KERNELS=sm_90a
    cmake --build build --target gpu_checks tegula_bench
    python3 test/gpu/run_checks.py build/bin/gpu_checks --out checks --shards 16          # every kernel
    python3 benchmark/gpu/bench.py build/benchmark/libtegula_bench.so --out bench.jsonl     # attention and rows; needs PyTorch

For AMD's GPUs write gfx942 or another for sm_90a; libtegula_bench has rows there, and no attention yet. `sh test/gpu/first_day.sh
sm_90a` does the first three commands and more checks. `bench_gemm` ([performance.md](performance.md#gemm-on-a-gpu)) measures GEMM."""


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
