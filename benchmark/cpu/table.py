#!/usr/bin/env python3
"""The tables of docs/cpu.md from results: ratios of our speed to that of the others.

table.py RESULTS.json AGAIN.json                  of two runs of bench_cpu, or of bench_attention_cpu.py without and with --avx2
table.py RESULTS.json AGAIN.json --check PAGE.md  whether the page has them so; status 1 and the first row that it has not
"""

import argparse
import json
import sys
from pathlib import Path

from plot import name_of

SIDES = {"row": "by rows", "column": "by columns"}
PLAIN = ("f32", "f64", "bf16", "f16", "int8")


def key_of(record):
    return tuple(record.get(field) for field in ("type", "m", "n", "k", "b", "operation", "batch"))


def span(numbers):
    """Two decimals: of the least and the greatest."""
    least, most = (f"{number:.2f}" for number in (min(numbers), max(numbers)))
    return least if least == most else f"{least} to {most}"


def row_of(*cells):
    return f"| {' | '.join(cells)} |"


def table_of(head, rows):
    return [row_of(*head), row_of(*["---"] * len(head)).replace(" ", ""), *(row_of(*row) for row in rows)] if rows else []


def size_of(record):
    return name_of(record | {"b": "row"}).split(" ", 1)[1]


def tables(runs):
    """Lists of lines: products to the fastest other; f32 and int8 to each other; one row to reading B; the rest. A cell has the least and
    the greatest of the runs."""
    measured = {}
    for run in runs:
        for record in run["results"]:
            measured.setdefault(key_of(record), []).append(record)
    plain = [records for records in measured.values() if "operation" not in records[0]]
    kinds = [kind for kind in PLAIN if any(records[0]["type"] == kind for records in plain)]
    sizes = list(dict.fromkeys(size_of(records[0]) for records in plain))
    found = {(size_of(records[0]), records[0]["type"], records[0]["b"]): records for records in plain}

    def cell(size, kind, side, number):
        numbers = [x for x in map(number, found.get((size, kind, side), [])) if x is not None]
        return span(numbers) if numbers else "-"

    head = ["", *(f"{kind}, {SIDES[side]}" for kind in kinds for side in SIDES)]
    yield table_of(head, [[size, *(cell(size, kind, side, lambda r: r.get("ratio")) for kind in kinds for side in SIDES)]
                          for size in sizes])

    # In 16 bits PyTorch's products are oneDNN's.
    others = [(kind, other) for kind in ("f32", "int8") for other in ("PyTorch", "oneDNN", "Eigen")
              if any(other in records[0]["gflops"] for records in plain if records[0]["type"] == kind)]

    def to_each(size, kind, other):
        return ", ".join(cell(size, kind, side, lambda r: r["gflops"]["tegula"] / r["gflops"][other] if other in r["gflops"] else None)
                         for side in SIDES)
    yield table_of(["by rows, by columns", *(f"{kind} to {other}" for kind, other in others)],
                   [[size, *(to_each(size, kind, other) for kind, other in others)] for size in sizes])

    def read(record):
        return record.get("of_read")
    one_row = next((size for size in sizes if any(cell(size, kind, "row", read) != "-" for kind in kinds)), None)
    yield table_of(["1 x 4096 x 4096", "B read alone, GB/s, by rows, by columns", "ratio of the product, by rows, by columns"],
                   [[kind, ", ".join(cell(one_row, kind, side, lambda r: r["read_gbytes_per_second"]) for side in SIDES),
                     ", ".join(cell(one_row, kind, side, read) for side in SIDES)] for kind in kinds if one_row])

    def rest():
        for records in (x for x in measured.values() if "operation" in x[0]):
            rates = records[0].get("gflops") or records[0]["gbytes_per_second"]
            unit = "GFLOP/s" if "gflops" in records[0] else "GB/s"
            other = records[0]["fastest_other"]
            yield [name_of(records[0]), f"{rates['tegula']:.1f} {unit}", f"{rates[other]:.1f}, {other}",
                   span([r["ratio"] for r in records])]
    yield table_of(["", "ours", "fastest other", "ratio"], list(rest()))


def attention_tables(runs):
    """Ratios of the types, by all instructions and by AVX2."""
    kinds = list(runs[0]["results"][0]["ratio"])
    head = ["", "ours bf16, GFLOP/s", "PyTorch's", *(f"{kind} ratio" for kind in kinds), *(f"by AVX2, {kind}" for kind in kinds)]
    rows = []
    for wide, narrow in zip(runs[0]["results"], runs[1]["results"], strict=True):
        assert wide["case"] == narrow["case"], (wide["case"], narrow["case"])
        rows.append([wide["case"], f"{wide['gflops']['ours bf16']:.0f}", f"{wide['gflops']['PyTorch bf16']:.0f}",
                     *(f"{run['ratio'][kind]:.2f}" for run in (wide, narrow) for kind in kinds)])
    yield table_of(head, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs=2, type=Path)
    parser.add_argument("--check", type=Path)
    arguments = parser.parse_args()
    runs = [json.loads(file.read_text()) for file in arguments.results]
    of_attention = runs[0]["benchmark"] == "bench_attention_cpu"
    made = [lines for lines in (attention_tables if of_attention else tables)(runs) if lines]
    if not arguments.check:
        print("\n\n".join("\n".join(lines) for lines in made))
        return 0
    page = arguments.check.read_text()
    for lines in made:
        if "\n".join(lines) + "\n" not in page:
            row = next((line for line in lines if line not in page.splitlines()), lines[0])
            print(f"{arguments.check} has not this row of a table of {arguments.results[0]}: {row}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
