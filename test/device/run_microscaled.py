"""Runs the machine code of gemm_microscaled.cpp on a machine without a GPU: products of Microscaling operands by gfx950's
instructions with block scales, ragged in m, n and k, and the kernel that quantises.

Products are compared with float64, the quantised with the rule of OCP's "Microscaling Formats (MX) Specification", 6.3,
in NumPy. What lies between rows must stay as it was. Memory is late and waves take turns from either end.
"""

import argparse
import math
import struct
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent / "isa"))
import machine  # noqa: E402

STEP, SPAN = 128, 512  # k of an instruction, and of a register of scales: kernel/gemm/microscaled/layout.hpp
# Bits, those of the mantissa, the exponent's bias.
FORMATS = {"float8_e4m3": (8, 3, 7), "float8_e5m2": (8, 2, 15), "float6_e2m3": (6, 3, 1), "float4_e2m1": (4, 1, 1)}


def values_of(form):
    """The value of each code; NaN where that is none."""
    bits, mantissa, bias = FORMATS[form]
    code = numpy.arange(1 << bits)
    exponent, fraction = code >> mantissa & ((1 << (bits - 1 - mantissa)) - 1), code & ((1 << mantissa) - 1)
    value = numpy.where(exponent > 0, (1 + fraction / 2**mantissa) * 2.0 ** (exponent - bias),
                        fraction / 2**mantissa * 2.0 ** (1 - bias))
    value = numpy.where(code >> (bits - 1), -value, value)
    if form == "float8_e4m3":
        value[[0x7f, 0xff]] = numpy.nan
    if form == "float8_e5m2":
        value[(code & 0x7f) >= 0x7c] = numpy.nan  # infinities too
    return value


def packed(codes, bits):
    """Rows of elements as bytes, k padded by zeros; 16 more bytes than a row has lie between two."""
    rows, k = codes.shape
    ones = numpy.zeros((rows, -(-k // STEP) * STEP, bits), numpy.uint8)
    ones[:, :k] = codes[..., None] >> numpy.arange(bits) & 1
    data = numpy.packbits(ones.reshape(rows, -1), axis=1, bitorder="little")
    return numpy.concatenate([data, numpy.full((rows, 16), 0xff, numpy.uint8)], 1)


def scale_offsets(rows, k):
    """Where the scale of [row, block of 32 k] is."""
    row, block = numpy.arange(rows)[:, None], numpy.arange(-(-k // 32))[None]
    return (block // 16 * rows + row) * 16 + block % 4 * 4 + block // 4 % 4


def stored(array):
    data = numpy.ascontiguousarray(array)
    memory = machine.DeviceMemory(data.nbytes)
    memory.write(data.tobytes())
    return memory


class Operand:
    """Random rows: their values, and their bytes and scales in memory."""

    def __init__(self, rng, form, rows, k):
        table, bits = values_of(form), FORMATS[form][0]
        codes = rng.choice(numpy.flatnonzero(numpy.isfinite(table)), (rows, k))
        scales = rng.integers(122, 133, (rows, -(-k // 32))).astype(numpy.uint8)
        self.values = table[codes] * numpy.repeat(2.0 ** (scales.astype(int) - 127), 32, 1)[:, :k]
        data = packed(codes, bits)
        self.stride, self.memory = data.shape[1], stored(data)
        places = numpy.full(-(-k // SPAN) * rows * 16, 0xff, numpy.uint8)  # of no block: NaN
        places[scale_offsets(rows, -(-k // STEP) * STEP)] = 127  # of what pads k
        places[scale_offsets(rows, k)] = scales
        self.scales = stored(places)


def symbol_of(code, kernel, form):
    found, = [name for name in code.metadata
              if name.startswith(f"_ZN6tegula{len(kernel)}{kernel}I") and form in name.split("_format")[0]]
    return found


def check_product(code, rng, kernel, form, tile, size, policy, order):
    (m, n, k), (block_m, block_n) = size, tile
    a, b = Operand(rng, form, m, k), Operand(rng, form, n, k)
    columns = -(-n // 4) * 4 + 4
    before = rng.standard_normal((m, columns)).astype(numpy.float32)
    c = stored(before)
    argument = struct.pack("<4q", m, n, k, 1)
    argument += struct.pack("<Q3q", a.memory.addr, a.stride, 1, 0) + struct.pack("<Q3q", b.memory.addr, 1, b.stride, 0)
    argument += struct.pack("<Q3q", c.addr, columns, 1, 0)
    argument += struct.pack("<f4x Q3qf4x Q i4x", 1.5, 0, 0, 0, 0, 0.0, 0, 0)  # epilogue::linear: alpha, no C, no bias
    argument += struct.pack("<2Q2q", a.scales.addr, b.scales.addr, 0, 0)
    shared = 160 * 1024
    blocks = -(-m // block_m) * -(-n // block_n)
    code.kernel(symbol_of(code, kernel, form)).launch((blocks,), (256,), [argument], shared, policy, order)
    got = numpy.frombuffer(c.read(), numpy.float32).reshape(m, columns)
    bound = 1.5 * (k + 3) * 2.0**-24 * (abs(a.values) @ abs(b.values).T)
    wrong = ~(abs(got[:, :n] - 1.5 * (a.values @ b.values.T)) <= bound)
    problems = [f"{kernel} of {form}, {size}: {numpy.count_nonzero(wrong)} elements are wrong"] if wrong.any() else []
    if (got[:, n:] != before[:, n:]).any():
        problems.append(f"{kernel} of {form}, {size}: what lies between rows was written")
    return problems


def check_quantize(code, rng, form, policy, order):
    """Blocks of all scales, subnormal ones too, with zeros, values beyond the largest of the format, ties, an infinity and a
    NaN, which make their blocks NaN."""
    rows, k = 30, 300
    blocks = -(-k // 32)
    powers = 2.0 ** (rng.permutation(rows * blocks) % 277 - 149)
    x = rng.standard_normal((rows, k))
    x[:, ::7] = rng.integers(-16, 17, x[:, ::7].shape) / 4
    x = (x * numpy.repeat(powers.reshape(rows, blocks), 32, 1)[:, :k]).clip(-3e38, 3e38).astype(numpy.float32)
    x[0, :32], x[1, 40], x[2, 70], x[3, 101] = 0, 1e30, numpy.inf, numpy.nan
    table, (bits, _, _) = values_of(form), FORMATS[form]
    largest, padded = numpy.nanmax(table), -(-k // STEP) * STEP
    stride = padded * bits // 8
    values, scales = stored(numpy.zeros((rows, stride), numpy.uint8)), stored(numpy.zeros(rows * 16, numpy.uint8))
    source = stored(x)
    argument = struct.pack("<Q4qQqQf4x", source.addr, rows, k, k, 1, values.addr, stride, scales.addr, 1.0)
    code.kernel(symbol_of(code, "quantize", form)).launch((-(-rows * -(-k // SPAN) * 64 // 256),), (256,), [argument], 0,
                                                          policy, order)
    data = numpy.frombuffer(values.read(), numpy.uint8).reshape(rows, stride)
    codes = (data if bits == 8 else numpy.stack([data & 15, data >> 4], 2).reshape(rows, -1))[:, :k]
    got = table[codes]
    at = numpy.frombuffer(scales.read(), numpy.uint8)[scale_offsets(rows, k)]
    problems = []
    for row in range(rows):
        for block in range(at.shape[1]):
            part = x[row, 32 * block:32 * block + 32].astype(float)
            most = abs(part).max()
            if not math.isfinite(most):
                right = at[row, block] == 255
            else:
                # The exponent of the largest element less that of the format's largest number.
                exponent = int(at[row, block]) - 127
                wanted = max(math.frexp(most)[1] - math.frexp(largest)[1], -127) if most else -127
                scaled = numpy.clip(part / 2.0**exponent, -largest, largest)
                finite = numpy.unique(table[numpy.isfinite(table)])
                errors, here = abs(scaled[:, None] - finite), slice(32 * block, 32 * block + len(part))
                nearest = errors.min(1)
                is_tie = (errors == nearest[:, None]).sum(1) > 1
                error = abs(scaled - got[row, here])
                right = ((not most or exponent == wanted) and (error <= nearest).all() and
                         (codes[row, here][is_tie] % 2 == 0).all() and
                         (numpy.signbit(got[row, here]) == numpy.signbit(part)).all())
            if not right:
                problems.append(f"quantize of {form}: block {block} of row {row}, scale {at[row, block]}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    if reason := machine.reason_to_skip():
        print(reason)
        return 77
    code, problems = machine.CodeObject(arguments.file), []
    products = [("product_256x128", "float8_e4m3", (256, 128), (270, 100, 1100)),
                ("product_256x128", "float4_e2m1", (256, 128), (70, 131, 1100)),
                ("product_small", "float6_e2m3", (128, 128), (130, 37, 700))]
    quantised = ("float8_e4m3", "float8_e5m2", "float4_e2m1")
    for policy, order in (("late", 0), ("late", 1)):
        rng = numpy.random.default_rng(order)
        for product in products:
            problems += check_product(code, rng, *product, policy, order)
        for form in quantised:
            problems += check_quantize(code, rng, form, policy, order)
    print("\n".join(problems) if problems else
          f"{len(products)} products and {len(quantised)} quantisations, every result right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
