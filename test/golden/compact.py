#!/usr/bin/env python3
"""Writes golden.json, the register layouts the instruction table is tested against, from the published data files.

    compact.py FOLDER > golden.json      FOLDER holds amd.json, nvidia.json and instructions.json

Nothing is lost: records become rows of columns, and an array becomes nested repetitions, [count, step, unit] for
`count` copies of `unit`, copy i raised by i * step (-1, an empty slot, stays); the expansion is compared here.
"""

import json
import pathlib
import sys


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


def main():
    folder = pathlib.Path(sys.argv[1])
    files = [json.loads((folder / name).read_text()) for name in ("amd.json", "nvidia.json")]
    layouts = {key: values for file in files for key, values in file["layouts"].items()}
    packed = {key: pack(values) for key, values in layouts.items()}
    assert all(expand(packed[key]) == values for key, values in layouts.items())
    records = [record for file in files for record in file["records"]]
    print("{")
    print('"layouts":{')
    print(",\n".join(f'"{key}":' + json.dumps(value, separators=(",", ":")) for key, value in sorted(packed.items())))
    print("},")
    write("records", table(records, ("id", "vendor", "source_atom")), ",")
    write("instructions", table(json.loads((folder / "instructions.json").read_text())), "")
    print("}")


if __name__ == "__main__":
    main()
