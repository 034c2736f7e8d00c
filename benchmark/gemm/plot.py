"""Draws the results of bench_gemm: for every type and layout the speeds of ours and of the vendor's library, and below
them the ratio.

plot.py RESULTS.json --out PICTURE.svg      (or .png, .pdf)
"""

import argparse
import json
import sys
from pathlib import Path


def label(result):
    m, n, k = result["m"], result["n"], result["k"]
    return str(m) if m == n == k else f"{m}x{n}x{k}"


def series_of(results):
    """The results of each type and layout, in the order of the file; those without any speed are left out."""
    series = {}
    for result in results:
        if result["tflops"] or result["vendor_best_tflops"]:
            series.setdefault(f'{result["type"]} {result["layout"]}', []).append(result)
    return series


def draw_speeds(axes, results):
    lines = (("tflops", "ours", "C0o-"), ("vendor_first_tflops", "vendor, first", "C1x:"),
             ("vendor_best_tflops", "vendor, best", "C2s--"))
    for key, name, style in lines:
        points = [(i, r[key]) for i, r in enumerate(results) if r[key]]
        if points:
            axes.plot(*zip(*points), style, markersize=3, linewidth=1, label=name)
    axes.set_ylabel("TFLOP/s")
    axes.set_ylim(bottom=0)
    axes.set_xticks([])
    axes.legend(fontsize="small")


def draw_ratios(axes, results):
    points = [(i, r["ratio"]) for i, r in enumerate(results) if r["ratio"]]
    if points:
        axes.bar(*zip(*points), width=0.7)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel("ours / best")
    axes.set_ylim(0, 1.1 * max([1] + [ratio for _, ratio in points]))
    axes.set_xlim(-0.7, len(results) - 0.3)
    axes.set_xticks(range(len(results)), [label(r) for r in results], rotation=90, fontsize=5)


def draw(run):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    series = series_of(run["results"])
    if not series:
        sys.exit("plot.py: the file has no speed to draw; run bench_gemm on a GPU")
    figure, axes = pyplot.subplots(2 * len(series), 1, figsize=(10, 5 * len(series)), squeeze=False,
                                   height_ratios=[2, 1] * len(series), layout="constrained")
    for row, (name, results) in enumerate(series.items()):
        above, below = axes[2 * row][0], axes[2 * row + 1][0]
        above.set_title(name)
        draw_speeds(above, results)
        draw_ratios(below, results)
        above.set_xlim(below.get_xlim())
    figure.suptitle(f'{run["gpu"]}, {run["vendor_library"]}, driver {run["driver"]}\n{run["date"]}, {run["commit"]}: '
                    f'{run["command"]}', fontsize="medium")
    return figure


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    draw(json.loads(Path(arguments.results).read_text())).savefig(arguments.out, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
