#!/usr/bin/env python3
"""Writes golden.json, the register layouts the instruction table is tested against, from the published data files.

    compact.py FOLDER > golden.json      FOLDER holds the files named below

Read are the published amd.json, nvidia.json and instructions.json; calculator.json and cute.json, which calculator.py
and cute.cpp wrote; and of amd_new.json and blackwell.json the instructions that the table has.

Nothing is lost: records become rows of columns, and an array becomes nested repetitions, [count, step, unit] for
`count` copies of `unit`, copy i raised by i * step (-1, an empty slot, stays); the expansion is compared here.
"""

import json
import pathlib
import sys

# The files, and of which instructions the records are taken; None: all of them.
SOURCES = {"amd.json": None, "nvidia.json": None, "calculator.json": None, "cute.json": None,
           "amd_new.json": lambda r: r["arch"] in ("gfx950", "gfx1250"),
           "blackwell.json": lambda r: r["kind"] == "mma"}
OPERANDS = {"A", "B", "C", "R"}
FIELDS = OPERANDS | {"id", "kind", "arch", "instruction", "m", "n", "k", "blocks", "wave", "variant",
                     "a_type", "b_type", "c_type"} | {f"{x}_{what}" for x in "abc" for what in (
                         "bits", "elems_per_lane", "regs", "copies", "unused_slots")}

def repetition(values):
    """The shortest unit that gives `values` when repeated with a constant step: (count, step, unit) or None."""
    for length in range(1, len(values) // 2 + 1):
        if len(values) % length:
            continue
        pairs = list(zip(values, values[length:]))
        steps = {b - a for a, b in pairs if a >= 0 and b >= 0}
        if len(steps) <= 1 and all((a < 0) == (b < 0) for a, b in pairs):
            return len(values) // length, steps.pop() if steps else 0, values[:length]
    return None


def pack(values):
    found = repetition(values)
    if not found:
        return values[0] if len(values) == 1 else {"list": [pack(half) for half in halves(values)]}
    count, step, unit = found
    return [count, step, pack(unit)]


def halves(values):
    middle = len(values) // 2
    return values[:middle], values[middle:]


def expand(packed):
    if isinstance(packed, int):
        return [packed]
    if isinstance(packed, dict):
        return [value for part in packed["list"] for value in expand(part)]
    count, step, unit = packed
    return [value if value < 0 else value + i * step for i in range(count) for value in expand(unit)]


def table(records, dropped=()):
    fields = sorted({key for record in records for key in record} - set(dropped))
    return {"fields": fields, "rows": [[record.get(field) for field in fields] for record in records]}


def write(name, value, end):
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value["rows"])
    fields = json.dumps(value["fields"], separators=(",", ":"))
    print(f'"{name}":{{"fields":{fields},"rows":[\n{lines}\n]}}{end}')


def read(folder):
    """All records, each with a source, and the arrays that they name, one name an array."""
    records, layouts, names = [], {}, {}
    for name, wanted in SOURCES.items():
        file = json.loads((folder / name).read_text())
        for record in file["records"]:
            if wanted and not wanted(record):
                continue
            arrays = {operand: file["layouts"][record[operand]] for operand in OPERANDS if record.get(operand)}
            arrays |= {operand: record[f"values_{operand.lower()}"]
                       for operand in "ABC" if f"values_{operand.lower()}" in record}
            record = {field: value for field, value in record.items() if not wanted or field in FIELDS}
            for operand, values in arrays.items():
                own = record.get(operand) or f"{pathlib.Path(name).stem}{len(names)}"
                record[operand] = names.setdefault(tuple(values), own)
                layouts[record[operand]] = values
            records.append(record | {"source": pathlib.Path(name).stem})
    return records, layouts


def main():
    folder = pathlib.Path(sys.argv[1])
    records, layouts = read(folder)
    packed = {key: pack(values) for key, values in layouts.items()}
    assert all(expand(packed[key]) == values for key, values in layouts.items())
    print("{")
    print('"layouts":{')
    print(",\n".join(f'"{key}":' + json.dumps(value, separators=(",", ":")) for key, value in sorted(packed.items())))
    print("},")
    write("records", table(records, ("id", "vendor", "source_atom", "values_a", "values_b", "values_c")), ",")
    write("instructions", table(json.loads((folder / "instructions.json").read_text())), "")
    print("}")


if __name__ == "__main__":
    main()
