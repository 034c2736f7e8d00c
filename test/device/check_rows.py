"""Kernels <prefix><Index> of a unit that compiles the rows of one architecture: each is one instruction, its row's.

The rows come from tegula-inspect. The Index of a kernel, the first integer of its template arguments, is the row's place
in the table, so that kernels in ascending order are the architecture's rows as listed. A target arch-wave64 has the rows
of that wave alone; RDNA's others are those of wave32. The rows of sm_90a are those of warpgroups.
"""

import json
import re
import subprocess

MATRIX = re.compile(r"^v_(mfma|wmma)_|\b((mma|ldmatrix|stmatrix)\.sync|wgmma\.mma_async)\b")


def rows_of(program, target):
    arch, _, wave = target.partition("-wave")
    wave = int(wave or (32 if arch.startswith("gfx1") else 0))
    listed = json.loads(subprocess.run([program, "mma", arch, "--list", "--json"], capture_output=True,
                                       check=True).stdout)
    return [row for row in listed if wave in (0, row["wave"])]


FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")  # of f8f6f4: cbsz is the number of A's, blgp of B's; gfx1250 names them


def is_row(line, row):
    """Whether the line is the instruction of the row, in the row's form."""
    if not re.match(rf"(@?\S+ )?{re.escape(row['instruction'])}(?![\w.])", line):
        return False
    if row["instruction"].endswith("f8f6f4"):
        if row["instruction"].startswith("v_wmma"):
            chosen = [re.search(rf"matrix_{operand}_fmt:MATRIX_FMT_(\w+)", line) for operand in "ab"]
            return "_".join(found.group(1).lower() if found else FORMATS[0] for found in chosen) == row["variant"]
        chosen = [re.search(rf"{modifier}:(\d)", line) for modifier in ("cbsz", "blgp")]
        return "_".join(FORMATS[int(found.group(1)) if found else 0] for found in chosen) == row["variant"]
    return ("op_sel:[0,0,1]" in line) == (row.get("variant") == "opsel_hi")


def check_rows(kernels, program, target, prefix):
    """Adds to the problems of each kernel; returns those of the unit as a whole."""
    rows = rows_of(program, target)
    numbered = [(int(match.group(1)), kernel) for kernel in kernels
                if (match := re.search(rf"{prefix}ILi(\d+)E", kernel.symbol))]
    numbered.sort(key=lambda pair: pair[0])
    if len(numbered) != len(rows) or not rows:
        return [f"{target}: {len(numbered)} kernels {prefix} for {len(rows)} rows of the table"]
    for (_, kernel), row in zip(numbered, rows):
        found = [line for line in kernel.lines if MATRIX.search(line)]
        if len(found) != 1 or not is_row(found[0], row):
            kernel.problems.append(f"expected {row['instruction']} {row.get('variant', '')} once, found {found}")
    return []
