"""Every instruction of the table is drawn, as a picture and as text: each element of each operand in registers once.

Tiles longer than 64 are drawn in part and say so. A wgmma exists for many widths; three of them are drawn. The operands
of tcgen05.mma are drawn as they lie in tensor memory: C, and A where its elements have 8 bits or more.
"""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

PROGRAM = Path(os.environ["TEGULA_BIN"]) / "tegula-inspect"
SVG_TEXT = "{http://www.w3.org/2000/svg}text"
LIMIT = 64


def operands(record):
    """Rows, columns and blocks of what the instruction has in registers."""
    if record["kind"] == "copy":
        return [(8 * record["matrices"], 8, 1)]
    m, n, k, blocks = (record[x] for x in ("m", "n", "k", "blocks"))
    return [(m, k, blocks), (m, n, blocks)] + ([(k, n, blocks)] if record["kind"] == "mma" else [])


def problem_with(record, file):
    """Returns what is wrong with the drawings of one record, or nothing."""
    arguments = ["mma", record["arch"], record["instruction"], "--wave", str(record["wave"])]
    if "variant" in record:
        arguments += ["--variant", record["variant"]]
    result = subprocess.run([PROGRAM, *arguments, "--ascii", "--svg", file], capture_output=True, text=True)
    if result.returncode != 0 or result.stderr:
        return f"status {result.returncode}, {result.stderr}"
    shapes = operands(record)
    letters = "R" if record["kind"] == "copy" else "ABC" if record["kind"] == "mma" else "AC"
    if record["kind"] == "tcgen05" and record["a_type"] in ("f6e2m3", "f6e3m2", "f4e2m1"):
        letters = "C"
    if not all(f"{letter} of {record['instruction']}" in result.stdout for letter in letters):
        return "an operand has no table"
    texts = list(xml.parse(file).getroot().iter(SVG_TEXT))
    if any(max(shape) > LIMIT for shape in shapes):
        whole = "".join("".join(text.itertext()) for text in texts)
        return None if "drawn: the first" in whole and "drawn: the first" in result.stdout else "no word of the rest"
    cells = sum(len(text) for text in texts if text.get("class") == "lane")
    wanted = sum(rows * columns * blocks for rows, columns, blocks in shapes)
    return None if cells == wanted else f"{cells} cells for {wanted} elements"


def main():
    if not PROGRAM.exists():
        print("skipped: tegula-inspect is not built")
        return 77
    listed = json.loads(subprocess.run([PROGRAM, "mma", "--list", "--json"], capture_output=True, check=True).stdout)
    chosen = [record for record in listed if record["kind"] != "wgmma" or record["n"] in (8, 64, 256)]
    wrong, drawn = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for index, record in enumerate(chosen):
            problem = problem_with(record, str(Path(folder) / f"drawing{index}.svg"))
            drawn += 1
            if problem:
                wrong += 1
                print(f"{record['arch']} {record['instruction']} {record.get('variant', '')}: {problem}")
    print(f"{drawn} instructions drawn, {wrong} wrong")
    return 1 if wrong or drawn < 250 else 0


if __name__ == "__main__":
    sys.exit(main())
