"""Block-scaled kernels on the machine: operands and scales as bytes, results against a product in float64 of what the bytes
stand for by the formats' definitions (NVFP4: e2m1, a scale e4m3 without sign for each 16, atoms of 128 rows by 4 scales)."""

import struct

import numpy

E2M1 = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = numpy.concatenate([E2M1, -E2M1])


def e4m3(code):
    exponent, mantissa = code >> 3, code & 7
    return numpy.where(exponent > 0, (8 + mantissa) * 2.0 ** (exponent - 10.0), mantissa * 2.0**-9)


class Nvfp4:
    """A matrix [rows, k]: packed bytes, scales in atoms, and its numbers without the scale of the tensor."""

    def __init__(self, rng, rows, k):
        padded, blocks = -(-k // 128) * 128, -(-k // 64) * 4
        codes = rng.integers(0, 16, (rows, padded))
        codes[:, k:] = 0
        scales = rng.integers(0x28, 0x48, (-(-rows // 128) * 128, blocks))
        self.stride = padded // 2
        self.values = (codes[:, ::2] | codes[:, 1::2] << 4).astype(numpy.uint8)
        row, block = numpy.indices(scales.shape)
        self.scales = numpy.zeros(scales.size, numpy.uint8)
        atom = row // 128 * (blocks // 4) + block // 4
        self.scales[atom * 512 + row % 32 * 16 + row % 128 // 32 * 4 + block % 4] = scales
        self.numbers = E2M1[codes[:, :k]] * numpy.repeat(e4m3(scales[:rows]), 16, axis=1)[:, :k]


def run_nvfp4(kernels, machine, record, size, seed):
    """{output: (error, bound, right)} as Kernels.run gives it. C is bf16."""
    rng = numpy.random.default_rng(seed)
    m, n, k = size[0], -(-size[1] // 8) * 8, size[2]  # rows of C of whole 16 bytes
    a, b = Nvfp4(rng, m, k), Nvfp4(rng, n, k)
    tensor_scale, alpha = 0.375, 1.5
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
    if record["form"] == "microscaled":
        blocks = -(-m // record["block_m"]) * -(-n // record["block_n"])
        machine.launch(machine.kernel(record["symbol"]), blocks, record["threads"], bytes(packed), record["shared"], seed=seed)
    else:
        plan = kernels.plan(record, packed, 4, 1, 0, 0)
        if plan["status"]:
            raise ValueError(plan["status"])
        kernels.launch_planned(machine, record, plan, seed)
    got = (machine.read(c, 2 * m * n).view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).reshape(m, n)
    value = alpha * tensor_scale * (a.numbers @ b.numbers.T)
    bound = 2.0**-8 * numpy.abs(value) + 2.0**-22 * numpy.abs(a.numbers) @ numpy.abs(b.numbers.T)
    error = numpy.abs(got - value)
    worst = numpy.unravel_index(numpy.argmax(error / bound), error.shape)
    return {"c": (float(error[worst]), float(bound[worst]), bool((error <= bound).all()))}
