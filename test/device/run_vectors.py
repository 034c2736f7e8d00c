"""Runs the machine code of vectors.cpp on a machine without a GPU: every exchange between lanes, sums, scans and sorts."""

import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "isa"))
import machine  # noqa: E402

PREFIX = "_ZN6tegula"


def launch(code, name, suffix, *arrays):
    """The first array after the kernel has run on one wave."""
    memory = []
    for kind, values in arrays:
        memory.append(machine.DeviceMemory(4 * len(values)))
        memory[-1].write(struct.pack(f"<{len(values)}{kind}", *values))
    code.kernel(f"{PREFIX}{len(name)}{name}{suffix}").launch((1,), (code.lanes,), memory)
    kind, values = arrays[0]
    return list(struct.unpack(f"<{len(values)}{kind}", memory[0].read()))


def check(code):
    lanes, problems = code.lanes, []
    numbers = [random.randrange(1 << 31) for _ in range(lanes)]
    got = launch(code, "exchange", "EPiPKi", ("i", [0] * lanes * lanes), ("i", numbers))
    for mask in range(lanes):
        if got[mask * lanes:(mask + 1) * lanes] != [numbers[lane ^ mask] for lane in range(lanes)]:
            problems.append(f"an exchange with mask {mask}")

    # Whole numbers, whose sums are exact in any order.
    row = [random.randrange(-1000, 1000) for _ in range(8 * lanes)]
    if launch(code, "sum_all", "EPf", ("f", row)) != [x - sum(row) for x in row]:
        problems.append("the sum of floats")
    if launch(code, "sum_integers", "EPi", ("i", row)) != [x - sum(row) for x in row]:
        problems.append("the sum of integers")
    if launch(code, "scan_row", "EPf", ("f", row)) != [sum(row[:i + 1]) for i in range(len(row))]:
        problems.append("the scan")
    if launch(code, "sort_row", "EPf", ("f", row)) != sorted(row):
        problems.append("the sort")
    if launch(code, "top_of_row", "EPf", ("f", row))[:4] != sorted(row, reverse=True)[:4]:
        problems.append("the largest four")
    return problems


random.seed(1)
sys.exit(machine.run_files(check, "result"))
