#!/usr/bin/env python3
"""Draws the results of bench_cpu: for every product and operation its speed divided by that of the fastest other library.

plot.py RESULTS.json --out PICTURE.svg
"""

import argparse
import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

LINE, BARS, LEFT, MOST = 15, 400, 270, 2.0  # pixels; the ratio at which bars end


def name_of(record):
    operation = record.get("operation", "gemm")
    m, n, k, count = record["m"], record["n"], record["k"], record.get("batch", 1)
    if operation in ("softmax", "layernorm", "transpose", "sum"):
        return f"{operation} {m} x {n}"
    size = f"{m} cubed" if m == n == k else f"{m} x {n} x {k}"
    what = {"gemm": record["type"], "bias_gelu": "bias, gelu"}[operation]
    return f"{what} {size}" + (f", {count} of them" if count > 1 else "") + \
        (", B by columns" if record["b"] == "column" else "")


def draw(run):
    records = [record for record in run["results"] if "ratio" in record]
    if not records:
        sys.exit("plot.py: the file has no ratios; build bench_cpu with OpenBLAS, oneDNN or Eigen")
    threads = "1 thread" if run["threads"] == 1 else f'{run["threads"] or "all"} threads'
    limit = ", AVX2 alone" if run.get("instructions", "all") != "all" else ""
    title = f'{run["machine"]}, {threads}{limit}, {run["date"]}: speed by that of the fastest other'
    height = LINE * len(records) + 45
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + BARS + 190}" height="{height}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="100%" height="100%" fill="white"/><text x="10" y="18" font-size="13">{escape(title)}</text>']
    for i, record in enumerate(records):
        y = 30 + LINE * i
        ratio = record["ratio"]
        width = BARS * min(ratio, MOST) / MOST
        color = "#4477aa" if ratio >= 1 else "#cc8844"
        lines.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{escape(name_of(record))}</text>'
                     f'<rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" height="{LINE - 4}" fill="{color}"/>'
                     f'<text x="{LEFT + width + 5:.1f}" y="{y + 11}">{ratio:.2f} of {record["fastest_other"]}</text>')
    at = LEFT + BARS / MOST
    lines.append(f'<path d="M{at} 28V{height - 12}" stroke="black" stroke-dasharray="3 2"/></svg>')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    Path(arguments.out).write_text(draw(json.loads(Path(arguments.results).read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
