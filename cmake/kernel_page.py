#!/usr/bin/env python3
"""docs/kernels.md, the shipped kernels as tables, from kernels.json.

    kernel_page.py           # writes the page
    kernel_page.py --check   # says whether it is up to date, and whether docs/gemm.md's tables have the tiles of the list
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import kernels  # noqa: E402

DOCS = kernels.LIST.parent / "docs"
PAGE = DOCS / "kernels.md"
SHIPPED = {"emulator", "gpu", "cpu", "code_object", "check"}
OPERATIONS = {"convolution": "convolution", "moe": "mixtures of experts", "rows": "rows: softmax, norms, losses, reductions",
              "shapes": "tensors of any shape: elementwise, moves, reductions"}
COLUMNS = ("targets", "types", "schedule", "tiles", "forms")
HEAD = """# Shipped kernels

The programs, the code objects, `bench_gemm`, the checks for GPUs and the tests of all orders of GEMM's tiles are built from one list,
[kernels.json](../kernels.json). These are its rows; [cmake/kernel_page.py](../cmake/kernel_page.py) writes this page. Other
instances [compile on demand](jit.md). [gemm.md](gemm.md) and [attention.md](attention.md) say what the forms are.
"""


def in_order(words, known):
    return ", ".join(sorted(words, key=known.index))


def table(listed, families, value, heads):
    """Rows of equal values in a row of the table: targets, types, schedule, tiles or columns, forms."""
    targets, types = ([*dict.fromkeys(k[field] for k in listed)] for field in ("target", "type"))
    found = {}  # (target, type, schedule) -> (tiles, forms), in the order of the list
    for k in listed:
        if k["family"] in families:
            schedule = k["schedule"] or ("blocked" if k["target"].startswith("x86") else "multistage")
            tiles, forms = found.setdefault((k["target"], k["type"], schedule), ({}, {}))
            tiles.update(dict.fromkeys([k[value]] if k[value] and "tiles" in heads else []))
            forms.update(dict.fromkeys([k["form"]] if k["form"] and "forms" in heads else []))
    by_type = {}
    for (target, kind, schedule), (tiles, forms) in found.items():
        by_type.setdefault((target, schedule, tuple(sorted(tiles)), tuple(sorted(forms))), []).append(kind)
    by_target = {}
    for (target, *same), kinds in by_type.items():
        by_target.setdefault((in_order(kinds, types), *same), []).append(target)
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    rows = []
    for (kinds, schedule, tiles, forms), archs in by_target.items():
        cells = [in_order(archs, targets), kinds, schedule, ", ".join(sorted(tiles, key=size_of)), ", ".join(forms)]
        rows.append((min(map(targets.index, archs)), [c for c, head in zip(cells, COLUMNS) if head in heads]))
    return lines + ["| " + " | ".join(cells) + " |" for _, cells in sorted(rows)]


def size_of(name):
    """Larger tiles first; a number of columns by itself."""
    numbers = [int(number) for number in re.findall(r"\d+", name)]
    return (-numbers[0] * numbers[1], name) if len(numbers) > 1 else (sum(numbers), name)


def text():
    listed = [k for k in kernels.read_kernels() if SHIPPED & set(k["in"])]
    lines = [HEAD, "## GEMM", "", *table(listed, ["gemm"], "tile", COLUMNS)]
    for title, family in (("Attention", "attention"), ("Gradients of attention", "attention_backward")):
        lines += ["", f"## {title}", "", "Tiles are named by the most columns of Q, K and V.", "",
                  *table(listed, [family], "columns", COLUMNS)]
    for family, title in OPERATIONS.items():
        heads = COLUMNS[:3 if family in ("convolution", "moe") else 2]
        lines += ["", f"## {title[0].upper()}{title[1:]}", "", *table(listed, [family], "tile", heads)]
    return "\n".join(lines) + "\n"


def wrong_tables():
    """Differences between docs/gemm.md's tables of tiles and the list, in both directions."""
    known = {}
    for k in kernels.read_kernels():
        if k["family"] == "gemm" and SHIPPED & set(k["in"]) and k["type"] not in kernels.FORMATS and \
                k["schedule"] in ("warp_specialized", "tcgen05") and k["form"] in ("plain", "block_scaled"):
            known.setdefault((k["schedule"], k["form"]), set()).add(k["tile"])
    tables = []
    for part in re.findall(r"^\| tile \|.*\n(?:\|.*\n)+", (DOCS / "gemm.md").read_text(), re.M):
        cells = [line.split("|")[1] for line in part.splitlines()[2:]]
        tables.append(set(re.findall(r"`(\w+)`", " ".join(cells))))
    for key, tiles in known.items():
        if tiles not in tables:
            closest = max(tables, key=lambda t: len(t & tiles), default=set())
            yield f"docs/gemm.md: no table has the tiles of {' '.join(key)}; missing {sorted(tiles - closest)}, " \
                f"extra {sorted(closest - tiles)}"


def main():
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(text())
        return 0
    problems = list(wrong_tables())
    if not PAGE.exists() or PAGE.read_text() != text():
        problems.append("docs/kernels.md is not what kernels.json says: run python3 cmake/kernel_page.py")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
