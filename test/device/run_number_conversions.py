"""Runs the machine code of number_conversions.cpp on a machine without a GPU: all codes of 8 bits to float, floats of every
exponent to 8 bits, and weights of 8 and 4 bits by scales. The expected numbers are computed here, from the formats'
definitions.
"""

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


def rounded(x):
    """To float, to nearest even."""
    if math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


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
    """Runs a kernel and returns the `words` words that it writes. Arrays of bytes are its other arguments."""
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


def to_bf16(x):
    if math.isnan(x):
        return None
    pattern = struct.unpack("<I", struct.pack("<f", x))[0]
    return (pattern + 0x7fff + (pattern >> 16 & 1)) >> 16


def to_f16(x):
    if math.isnan(x):
        return None
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0xfc00 if x < 0 else 0x7c00


def is_nan(pattern, to):
    return pattern & 0x7fff > (0x7f80 if to is to_bf16 else 0x7c00)


# Patterns of float (f) and of f16 (e): ordinary ones, ties, subnormal, the largest, infinity, NaN with the longest payload.
SCALES = {"f": [0x3f800000, 0x3dcccccd, 0xbf7f8000, 0x3f808000, 0x40490fdb, 0x00000123, 0x00800001, 0x7f7fffff, 0xff7fffff,
                0x7f800000, 0x7fffffff, 0xffffffff, 0x80000000, 0x3c23d70a, 0x477fe000, 0xc2f6e979],
          "e": [0x3c00, 0x2e66, 0xbbff, 0x3c01, 0x4248, 0x0001, 0x03ff, 0x7bff, 0xfbff, 0x7c00, 0x7fff, 0xffff, 0x8000, 0x1400,
                0x0400, 0xd7a3]}
# Kernel: bits of a weight, whether signed, scales, zero points, rounding of the result.
WEIGHTS = {"int8_bf16": (8, True, None, None, to_bf16), "uint8_f16": (8, False, None, None, to_f16),
           "int4_f16": (4, True, "e", None, to_f16), "uint4_f16_zeros": (4, False, "e", "B", to_f16),
           "int8_f16_zeros": (8, True, "e", "b", to_f16), "uint4_bf16_zeros": (4, False, "f", "B", to_bf16),
           "int4_bf16_float_zeros": (4, True, "e", "f", to_bf16), "int8_bf16_scaled": (8, True, "f", None, to_bf16)}
ZEROS = {"B": [0, 8, 255, 15], "b": [0, -128, 127, 5], "f": [0.0, 7.5, -1e9, 0.1]}


def check_weights(code, name):
    bits, signed, scale_kind, zero_kind, to = WEIGHTS[name]
    runs = 256 // (8 if bits == 8 else 4)  # of eight elements; 4 bits: two of them a byte, so that all bytes are there
    patterns = SCALES[scale_kind] if scale_kind else [0]
    zeros = ZEROS[zero_kind] if zero_kind else [0]
    cases = [(r, s, z) for s in range(len(patterns)) for z in range(len(zeros)) for r in range(runs)]
    cases += cases[:-len(cases) % 64]  # whole waves
    step = 8 * bits // 8
    data = b"".join(bytes((r * step + i) * 37 % 256 for i in range(step)) for r, _, _ in cases)
    scale_width = {"f": "I", "e": "H", None: "I"}[scale_kind]
    scale_data = struct.pack(f"<{len(cases)}{scale_width}", *(patterns[s] for _, s, _ in cases))
    zero_data = struct.pack(f"<{len(cases)}{zero_kind or 'I'}", *(zeros[z] for _, _, z in cases))
    got = struct.unpack(f"<{8 * len(cases)}H", run(code, f"weights_{name}", len(cases), 4 * len(cases), data, scale_data, zero_data))
    values = struct.unpack(f"<{len(patterns)}{scale_kind}", struct.pack(f"<{len(patterns)}{scale_width}", *patterns)) \
        if scale_kind else [1.0]
    problems = []
    for n, (_, s, z) in enumerate(cases):
        packed = data[n * step:(n + 1) * step]
        for i in range(8):
            q = packed[i] if bits == 8 else packed[i // 2] >> 4 * (i % 2) & 15
            q -= (1 << bits) if signed and q >> (bits - 1) else 0
            zero = rounded(zeros[z]) if zero_kind == "f" else zeros[z]
            expected = to(rounded(rounded(q - zero) * values[s]))
            found = got[8 * n + i]
            if not (is_nan(found, to) if expected is None else found == expected):
                problems.append(f"{name}: ({q} - {zero}) * {values[s]}: {found:#06x}, expected {expected}")
    return problems


def check(code):
    fnuz = int(code.arch == "gfx942")
    problems = []
    for name in FORMATS:
        problems += check_decoding(code, name, fnuz) + check_encoding(code, name, fnuz)
    for name in WEIGHTS:
        problems += check_weights(code, name)
    return problems


sys.exit(machine.run_files(check, "number"))
