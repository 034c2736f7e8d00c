"""Block-scaled kernels on the machine: operands and scales as bytes, results against a product in float64 of what the bytes
stand for by the formats' definitions (NVFP4: e2m1 with a scale e4m3 without sign for each 16; Microscaling: e4m3, e2m3 or
e2m1 with a power of two for each 32; atoms of 128 rows by 4 scales)."""

import struct

import numpy


def decoded(codes, width, exponent_bits):
    """Numbers of one bit of sign, exponent bits and mantissa bits, of the usual bias and without infinities."""
    mantissa_bits = width - 1 - exponent_bits
    exponent = codes >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = codes & (1 << mantissa_bits) - 1
    step = 2.0 ** (numpy.maximum(exponent, 1) - (1 << exponent_bits - 1) + 1 - mantissa_bits)
    value = (numpy.where(exponent > 0, 1 << mantissa_bits, 0) + mantissa) * step
    return numpy.where(codes >> width - 1, -value, value)


# bits of an element, of its exponent, elements of a block
FORMATS = {"nvfp4": (4, 2, 16), "mxfp4": (4, 2, 32), "mxfp6_e2m3": (6, 2, 32), "mxfp8_e4m3": (8, 4, 32)}


class Operand:
    """A matrix [rows, k]: packed bytes, scales in atoms, and its numbers without the scale of the tensor."""

    def __init__(self, rng, rows, k, form):
        width, exponent_bits, block = FORMATS[form]
        padded, blocks = -(-k // 128) * 128, -(-k // (4 * block)) * 4
        codes = rng.integers(0, 1 << width, (rows, padded))
        if width == 8:
            codes[codes & 0x7F == 0x7F] = 0  # NaN
        codes[:, k:] = 0
        bits = codes[:, :, None] >> numpy.arange(width) & 1
        packed = numpy.packbits(bits.reshape(rows, -1).astype(numpy.uint8), axis=1, bitorder="little")
        self.stride = -(-packed.shape[1] // 32) * 32
        self.values = numpy.pad(packed, ((0, 0), (0, self.stride - packed.shape[1])))
        scales = rng.integers(*((0x28, 0x48) if form == "nvfp4" else (124, 131)), (-(-rows // 128) * 128, blocks))
        row, column = numpy.indices(scales.shape)
        self.scales = numpy.zeros(scales.size, numpy.uint8)
        atom = row // 128 * (blocks // 4) + column // 4
        self.scales[atom * 512 + row % 32 * 16 + row % 128 // 32 * 4 + column % 4] = scales
        factors = decoded(scales, 8, 4) if form == "nvfp4" else 2.0 ** (scales - 127)
        self.numbers = decoded(codes[:, :k], width, exponent_bits) * numpy.repeat(factors[:rows], block, axis=1)[:, :k]


def run_scaled(kernels, machine, record, size, seed):
    """{output: (error, bound, right)} as Kernels.run gives it. C is bf16."""
    rng = numpy.random.default_rng(seed)
    m, n, k = size[0], -(-size[1] // 8) * 8, size[2]  # rows of C of whole 16 bytes
    forms = (record["type"].split() * 2)[:2]
    a, b = Operand(rng, m, k, forms[0]), Operand(rng, n, k, forms[1])
    tensor_scale, alpha = 0.375 if forms[0] == "nvfp4" else 1.0, 1.5
    c = machine.add("c", 2 * m * n, True)
    values = {
        "m": m, "n": n, "k": k, "batch": 1, "alpha": alpha, "tensor_scale": tensor_scale,
        "a.data": machine.add("a", a.values), "a.row_stride": a.stride, "a.column_stride": 1,
        "b.data": machine.add("b", b.values), "b.row_stride": 1, "b.column_stride": b.stride,
        "c.data": c, "c.row_stride": n, "c.column_stride": 1,
        "a_scales": machine.add("scales of a", a.scales), "b_scales": machine.add("scales of b", b.scales),
    }  # fmt: skip
    packed = bytearray(record["arguments"]["bytes"])
    for field in record["arguments"]["fields"]:
        form = {"pointer": "<Q", "i64": "<q", "i32": "<i", "bool": "<?", "f32": "<f"}[field["type"]]
        struct.pack_into(form, packed, field["offset"], values.get(field["name"], 0))
    plan = kernels.plan(record, packed, 4, 1, 0, 0)
    if plan["status"]:
        raise ValueError(plan["status"])
    kernels.launch_planned(machine, record, plan, seed, behind=record["form"] != "microscaled")
    got = (machine.read(c, 2 * m * n).view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).reshape(m, n)
    value = alpha * tensor_scale * (a.numbers @ b.numbers.T)
    bound = 2.0**-8 * numpy.abs(value) + 2.0**-22 * numpy.abs(a.numbers) @ numpy.abs(b.numbers.T)
    error = numpy.abs(got - value)
    worst = numpy.unravel_index(numpy.argmax(error / bound), error.shape)
    return {"c": (float(error[worst]), float(bound[worst]), bool((error <= bound).all()))}
