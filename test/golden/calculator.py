"""Asks AMD's Matrix Instruction Calculator for the instructions that the published data have no record of.

    calculator.py CALCULATOR FOLDER > calculator.json

CALCULATOR is matrix_calculator.py of ROCm/amd_matrix_instruction_calculator, which needs the Python package tabulate;
FOLDER holds amd.json and instructions.json. The file has their form, and compact.py reads it beside them.
"""

import csv
import json
import pathlib
import re
import subprocess
import sys

ARCHS = ("gfx908", "gfx90a", "gfx942", "gfx1100", "gfx1200")
REGISTER = re.compile(r"(?:v|a)\[?(\d+)(?::\d+)?\]?\{(\d+)\}(?:\.\[(\d+):(\d+)\])?")
BITS = {"f64": 64, "f32": 32, "i32": 32, "xf32": 32, "f16": 16, "bf16": 16, "iu4": 4, "i4": 4, "u4": 4}


def ask(calculator, record, matrix):
    """The calculator's table of one operand: rows of cells, block after block."""
    command = [sys.executable, calculator, "-a", record["arch"], "-i", record["instruction"], "-R", "--csv", matrix]
    if record["arch"].startswith("gfx1"):
        command += ["--wavefront", str(record["wave"])]
    if record.get("variant") == "opsel_hi" and matrix == "-D":
        command += ["--opsel", "4"]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode:
        return None
    return [row[1:] for row in csv.reader(answer.stdout.splitlines()) if row and row[0].isdigit()]


def layout(rows, record, bits, columns):
    """[lane][slot] -> element, -1 for none."""
    slots = {}
    for number, cell in enumerate(cell for row in rows for cell in row[:columns]):
        for register, lane, high, low in REGISTER.findall(cell):
            first = int(register) * 32 + min(int(high or 0), int(low or 0))
            slots[int(lane), first // bits] = number
    per_word = max(1, 32 // bits)
    count = 1 + max(slot for _, slot in slots)
    count = -(-count // per_word) * per_word
    return [slots.get((lane, slot), -1) for lane in range(record["wave"]) for slot in range(count)], count


def fill(record, calculator, layouts):
    shape = {"A": ("m", "k"), "B": ("k", "n"), "C": ("m", "n")}
    for operand, (rows, columns) in shape.items():
        table = ask(calculator, record, "-D" if operand == "C" else f"-{operand}")
        if table is None:
            return False
        low = operand.lower()
        bits = BITS.get(record[f"{low}_type"], 8)
        values, count = layout(table, record, bits, record[columns])
        assert len(table) == record["blocks"] * record[rows], record
        elements = record["blocks"] * record[rows] * record[columns]
        used = [value for value in values if value >= 0]
        assert sorted(set(used)) == list(range(elements)), record
        key = f"calculator/{record['id']}/{operand}"
        layouts[key] = values
        unused = len(values) - len(used)
        record |= {operand: key, f"{low}_bits": bits, f"{low}_elems_per_lane": count,
                   f"{low}_regs": count * bits // 32, f"{low}_copies": len(used) // elements}
        if unused:
            record[f"{low}_unused_slots"] = unused
    return True


def main():
    calculator, folder = sys.argv[1], pathlib.Path(sys.argv[2])

    def identity(record):
        return record["arch"], record["instruction"], record["wave"], record.get("variant")

    known = {identity(record) for record in json.loads((folder / "amd.json").read_text())["records"]}
    records, layouts = [], {}
    for record in json.loads((folder / "instructions.json").read_text()):
        if record["arch"] not in ARCHS or identity(record) in known:
            continue
        record["id"] = "/".join(str(part) for part in identity(record) if part)
        if fill(record, calculator, layouts):
            records.append(record)
        else:
            print("not known:", record["id"], file=sys.stderr)
    json.dump({"format": 1, "layouts": layouts, "records": records}, sys.stdout)


if __name__ == "__main__":
    main()
