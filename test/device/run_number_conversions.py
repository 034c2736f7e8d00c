"""Runs the machine code of number_conversions.cpp on a machine without a GPU: all codes of 8 bits to float, floats of every
exponent to 8 bits. What they should be is computed here, from the formats' definitions.
"""

import argparse
import bisect
import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "isa"))
import machine  # noqa: E402

FORMATS = {"e4m3": (4, 3), "e5m2": (5, 2)}
# Every sign, exponent and four bits of the mantissa, with what lies behind: ties of all formats and their neighbours.
SWEEP = [high << 19 | low for high in range(8192) for low in (0, 1, 0x40000, 0x7ffff)]


def floats(patterns):
    return struct.unpack(f"<{len(patterns)}f", struct.pack(f"<{len(patterns)}I", *patterns))


def value_of(code, exponent_bits, fnuz):
    """The number of a code of 8 bits."""
    mantissa_bits = 7 - exponent_bits
    bias = (1 << (exponent_bits - 1)) - 1 + fnuz
    exponent, mantissa = code >> mantissa_bits & ((1 << exponent_bits) - 1), code & ((1 << mantissa_bits) - 1)
    sign = -1.0 if code >> 7 else 1.0
    if fnuz:
        if code == 0x80:
            return math.nan
    elif exponent_bits == 4 and code & 0x7f == 0x7f:
        return math.nan
    elif exponent_bits == 5 and exponent == 31:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)


class Encoder:
    """The nearest code of a float, ties to the even one, saturated."""

    def __init__(self, exponent_bits, fnuz):
        self.fnuz = fnuz
        values = [value_of(code, exponent_bits, fnuz) for code in range(128)]
        self.values = [x for x in values if math.isfinite(x)]
        self.middles = [(a + b) / 2 for a, b in zip(self.values, self.values[1:])]
        self.most = self.values[-1]

    def code(self, x):
        """None for NaN, of which OCP's formats have several."""
        if math.isnan(x):
            return 0x80 if self.fnuz else None
        magnitude = abs(x)
        code = bisect.bisect_left(self.middles, magnitude)
        if code < len(self.middles) and self.middles[code] == magnitude:
            code += code % 2
        negative = math.copysign(1, x) < 0
        return code if not negative else 0 if self.fnuz and code == 0 else code | 0x80


def run(code, name, threads, words, *arrays):
    """What the kernel writes, that many words; arrays of bytes are its other arguments."""
    memory = [machine.DeviceMemory(4 * words)]
    for data in arrays:
        memory.append(machine.DeviceMemory(len(data)))
        memory[-1].write(data)
    assert threads % code.lanes == 0
    code.kernel(name).launch((threads // code.lanes,), (code.lanes,), memory)
    return memory[0].read()


def check_encoding(code, name, fnuz):
    encoder = Encoder(FORMATS[name][0], fnuz)
    data = struct.pack(f"<{len(SWEEP)}I", *SWEEP)
    threads = len(SWEEP) // 4
    got = run(code, f"encode_{name}", threads, 3 * threads, data)
    problems, numbers = [], floats(SWEEP)
    for i, x in enumerate(numbers):
        expected = encoder.code(x)
        lane, byte = divmod(i, 4)
        ways = [got[12 * lane + 4 * way + byte] for way in range(3)]
        if not (math.isnan(x) or abs(x) <= encoder.most):
            ways.pop() # the last is for numbers in range
        for way, found in enumerate(ways):
            right = found == expected if expected is not None else math.isnan(value_of(found, FORMATS[name][0], fnuz))
            if not right:
                problems.append(f"{name} of {SWEEP[i]:#010x} ({x}), way {way}: {found:#04x}, expected {expected}")
    return problems


def check_decoding(code, name, fnuz):
    got = struct.unpack("<512f", run(code, f"decode_{name}", 64, 512, bytes(range(256))))
    problems = []
    for c in range(256):
        expected = value_of(c, FORMATS[name][0], fnuz)
        for way in range(2):
            found = got[c // 4 * 8 + 4 * way + c % 4]
            right = math.isnan(found) if math.isnan(expected) else (
                found == expected and math.copysign(1, found) == math.copysign(1, expected))
            if not right:
                problems.append(f"{name} code {c:#04x}, way {way}: {found}, expected {expected}")
    return problems


def check(code):
    fnuz = int(code.arch == "gfx942")
    problems = []
    for name in FORMATS:
        problems += check_decoding(code, name, fnuz) + check_encoding(code, name, fnuz)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    reason = machine.reason_to_skip()
    if reason:
        print(reason)
        return 77
    problems = [f"{file}: {problem}" for file in arguments.files for problem in check(machine.CodeObject(file))]
    for problem in problems[:40]:
        print(problem)
    print(f"{len(problems)} wrong" if problems else f"{len(arguments.files)} files, every number right")
    return 1 if problems else 0


sys.exit(main())
