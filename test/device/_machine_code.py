"""Problems for kernels of a manifest: operands as bytes, the argument, what must come out. Used by run_code_objects.py.

Operands lie as the kernel's orders say, with rows at multiples of 16 bytes for aligned kernels and otherwise at odd
distances. A pattern fills the space between rows. It is NaN in the inputs, and must stay as it is in C.
"""

import struct
import sys
from pathlib import Path

import numpy

from _bfloat16 import bfloat16_of_bits, bits_of_bfloat16

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))
from _gemm_model import activate, expected, round_fp8, rounded  # noqa: E402

DTYPES = {"bf16": "uint16", "f16": "float16", "f32": "float32", "tf32": "float32", "i8": "int8", "i32": "int32",
          "i4": "uint8", "u8": "uint8", "f8e4m3": "uint8", "f8e4m3fnuz": "uint8"}
FP8_ARCH = {"f8e4m3": "gfx1201", "f8e4m3fnuz": "gfx942"}  # one that has the flavour
UNIT = 2.0**-24
ACTIVATIONS = ["none", "relu", "gelu", "silu"]


FLOAT8 = {"f8e4m3": (3, 7), "f8e4m3fnuz": (3, 8), "f8e5m2": (2, 15), "f8e5m2fnuz": (2, 16)}  # bits of mantissa, bias


def decode_fp8(kind):
    """The value of each of the 256 codes; NaN for what is no finite number."""
    mantissa, bias = FLOAT8[kind]
    code = numpy.arange(256)
    exponent, fraction = (code & 127) >> mantissa, (code & (1 << mantissa) - 1) / 2**mantissa
    value = numpy.where(exponent > 0, (1 + fraction) * 2.0 ** (exponent - bias), fraction * 2.0 ** (1 - bias))
    value = numpy.where(code >= 128, -value, value)
    none = {"f8e4m3": code & 127 == 127, "f8e5m2": code & 0x7c == 0x7c}.get(kind, code == 128)
    value[none] = numpy.nan
    return value


def encode(x, kind):
    """Values that the type has, as elements of its dtype."""
    if kind == "bf16":
        return bits_of_bfloat16(x)
    if kind in FLOAT8:
        table = decode_fp8(kind)
        order = numpy.argsort(table)[:numpy.count_nonzero(~numpy.isnan(table))]
        return order[numpy.searchsorted(table[order], x)].astype(numpy.uint8)
    return x.astype(DTYPES[kind])


def encode_nearest(x, kind):
    """As `encode`, rounded to nearest, ties to even: 16 bits from float64 in one step."""
    if kind == "f16":
        with numpy.errstate(over="ignore"):
            return x.astype(numpy.float16)
    # To odd in 32 bits first: what was dropped then still tells a tie from its neighbours.
    y = x.astype(numpy.float32)
    bits = y.view(numpy.uint32)
    away = numpy.abs(y.astype(numpy.float64)) > numpy.abs(x)
    bits = numpy.where(away, bits - 1, bits) | (y != x)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


def decode(x, kind):
    if kind == "bf16":
        return bfloat16_of_bits(x).astype(numpy.float64)
    return decode_fp8(kind)[x] if kind in FP8_ARCH else x.astype(numpy.float64)


class Matrix:
    """A batch of matrices in memory; `strides` in elements for batch, row and column."""

    def __init__(self, shape, kind, strides, values=None):
        self.shape, self.kind, self.strides = shape, kind, strides
        extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if min(shape) > 0 else 0
        self.memory = numpy.full(extent * numpy.dtype(DTYPES[kind]).itemsize, 0xff, numpy.uint8)
        if values is not None:
            self.view(self.memory)[...] = encode(values, kind)

    def view(self, memory):
        flat = memory.view(DTYPES[self.kind])
        return numpy.lib.stride_tricks.as_strided(flat, self.shape, [s * flat.itemsize for s in self.strides])

    def untouched(self, memory):
        """Whether everything between the elements is as it was."""
        probe = memory.copy()
        self.view(probe)[...] = self.view(self.memory)
        return bool((probe == self.memory).all())


def place(rows, columns, kind, order, aligned):
    """Strides of a matrix whose rows ("row") or columns ("column") are neighbours; "any" spreads both."""
    size = numpy.dtype(DTYPES[kind]).itemsize
    if order == "any":
        return (rows * (3 * columns + 1) + 5, 3 * columns + 1, 3)
    outer, inner = (rows, columns) if order == "row" else (columns, rows)
    leading = -(-inner * size // 16) * 16 // size if aligned else inner + 1
    return (outer * leading, leading, 1) if order == "row" else (outer * leading, 1, leading)


class Problem:
    """One product for one kernel: self.fields has a value, or a Matrix, for each member of the argument."""

    def __init__(self, kernel, m, n, k, batch, seed, spread):
        self.kernel, self.m, self.n, self.k, self.batch = kernel, m, n, k, batch
        self.rng = numpy.random.default_rng(seed)
        self.activation = ACTIVATIONS[seed % 4]
        self.spread = spread and not kernel["aligned"]
        self.fields = {"m": m, "n": n, "k": k, "batch": batch}
        self.make_operands()
        self.extra = getattr(self, "make_" + kernel["form"].removesuffix("_sum"), self.make_plain)()

    def size(self):
        return {"m": self.m, "n": self.n, "k": self.k, "batch": self.batch}

    def matrix(self, name, rows, columns, kind, order, values):
        if self.spread:
            order = "any"
        strides = place(rows, columns, kind, order, self.kernel["aligned"])
        x = Matrix((self.batch, rows, columns), kind, strides, values)
        self.fields.update({f"{name}.data": x, f"{name}.batch_stride": strides[0], f"{name}.row_stride": strides[1],
                            f"{name}.column_stride": strides[2]})
        return x

    def vector(self, name, values):
        x = Matrix((1, 1, len(values)), "f32", (len(values), len(values), 1), values)
        self.fields[name] = x
        return values

    def numbers(self, *shape):
        return self.rng.standard_normal(shape).astype(numpy.float32)

    def make_operands(self):
        kernel = self.kernel
        shape_a, shape_b = (self.batch, self.m, self.k), (self.batch, self.k, self.n)
        if kernel["a_type"] == "i8":
            a, b = (self.rng.integers(-128, 128, s).astype(numpy.float32) for s in (shape_a, shape_b))
        else:
            a, b = (rounded(self.numbers(*s), kernel["type"], kernel["arch"]) for s in (shape_a, shape_b))
        self.a, self.b = a, b
        order_a = "row" if kernel["order_a"] != "row" else "column"
        order_b = "column" if kernel["order_b"] == "k" else "row"
        self.matrix("a", self.m, self.k, kernel["a_type"], order_a, a)
        if kernel["b_type"] == kernel["a_type"]:
            self.matrix("b", self.k, self.n, kernel["b_type"], order_b, b)
        spread, self.spread = self.spread, False  # rows of C are neighbours
        self.c = self.matrix("c", self.m, self.n, kernel["c_type"], "row", None)
        self.spread = spread
        self.order_b = order_b

    # The further members of each form. Each function returns (value, bound) of C and of further outputs, by the member's name.

    def make_plain(self):
        if self.kernel["c_type"] == "i32":
            return {"c": expected(self.a, self.b, "int8", self.kernel["arch"])}
        alpha, beta = 1.5, -0.5
        source, bias = self.numbers(self.batch, self.m, self.n), self.numbers(self.n)
        spread, self.spread = self.spread, False
        self.matrix("source", self.m, self.n, "f32", "row", source)
        self.spread = spread
        self.vector("bias", bias)
        self.fields.update(alpha=alpha, beta=beta, activation=ACTIVATIONS.index(self.activation))
        return {"c": expected(self.a, self.b, self.kernel["type"], self.kernel["arch"], alpha, beta, source, bias,
                              self.activation)}

    def make_split_k(self):
        self.fields["splits"] = 3
        return self.make_plain()

    def make_stream_k(self):
        self.fields["workers"] = 5
        return self.make_plain()

    def product(self):
        return self.a @ self.b, numpy.abs(self.a) @ numpy.abs(self.b)

    def make_epilogue(self):
        value, magnitude = self.product()
        columns = self.vector("column_scales", self.rng.uniform(0.5, 2, self.n).astype(numpy.float32))
        rows = self.vector("row_scales", self.rng.uniform(0.5, 2, self.m).astype(numpy.float32))
        scale = self.vector("tensor_scale", numpy.array([0.125], numpy.float32))[0]
        self.fields.update({"column_scales.batch_stride": 0, "row_scales.batch_stride": 0,
                            "tensor_scale.batch_stride": 0})
        self.matrix("d", self.m, self.n, "f32", "row", None)
        self.fields["d.vectors"] = int(self.kernel["aligned"])
        if self.kernel["a_type"] == "i8":
            bias = self.vector("bias", self.numbers(self.n))
            value = value * scale * columns + bias
            # One rounding each of the sum, of two products, of a sum; the division comes after.
            bound = 6 * UNIT * (magnitude * scale * columns + numpy.abs(bias))
            quantised = value / (rows[:, None] * 1.0), bound / rows[:, None] + 2 * UNIT * numpy.abs(value / rows[:, None])
            return {"c": quantised, "d": (value, bound)}
        residual, factor = self.numbers(self.batch, self.m, self.n), 0.75
        self.matrix("residual", self.m, self.n, "f32", "row", residual)
        self.fields.update({"residual.factor": factor, "residual.vectors": int(self.kernel["aligned"]), "low": -20.0,
                            "high": 30.0, "activation": ACTIVATIONS.index(self.activation)})
        scales = rows[:, None].astype(numpy.float64) * columns
        value = value * scales + factor * residual.astype(numpy.float64)
        bound = (self.k + 8) * UNIT * (magnitude * scales + numpy.abs(factor * residual))
        final = numpy.clip(activate(value, self.activation), -20, 30) / scale
        return {"c": (final, (1.13 * bound + 20 * UNIT * numpy.abs(value)) / scale), "d": (value, bound)}

    def weights(self, scaled):
        """C of A by weights whose values are `scaled`, times a scale a column."""
        columns = self.vector("column_scales", self.rng.uniform(0.5, 2, self.n).astype(numpy.float32))
        self.fields["column_scales.batch_stride"] = 0
        value = self.a @ scaled * columns
        return {"c": (value, (self.k + 4) * UNIT * (numpy.abs(self.a) @ numpy.abs(scaled)) * columns)}

    def make_int8_weights(self):
        q = self.rng.integers(-128, 128, (self.batch, self.k, self.n))
        self.matrix("b", self.k, self.n, "i8", self.order_b, q)
        return self.weights(q.astype(numpy.float64))

    def pairs_of_weights(self, low, high, zeros=None, rounds=True):
        """C by pairs of integers of 4 bits with a scale, and a zero point, for each 64 of k. Without `rounds` the kernel scales
        sums instead of weights."""
        groups, pairs = -(-self.k // 64), (self.k + 1) // 2
        q = self.rng.integers(low, high, (self.batch, 2 * pairs, self.n))
        self.matrix("b", pairs, self.n, "i4", self.order_b, (q[:, 0::2] & 15) | (q[:, 1::2] & 15) << 4)
        scales = self.rng.uniform(0.01, 0.1, (self.batch, groups, self.n)).astype(numpy.float32)
        self.matrix("scales", groups, self.n, "f32", "row", scales)
        whole = numpy.repeat(scales, 64, axis=1)[:, :self.k]
        q = q[:, :self.k].astype(numpy.float32)
        if zeros is not None:
            points = self.rng.integers(*zeros, (self.batch, groups, self.n))
            self.matrix("zeros", groups, self.n, "u8", "row", points)
            q -= numpy.repeat(points, 64, axis=1)[:, :self.k].astype(numpy.float32)
        scaled = q.astype(numpy.float64) * whole
        return self.weights(rounded(q * whole, self.kernel["type"], self.kernel["arch"]) if rounds else scaled)

    def make_packed_int4_weights(self):
        return self.pairs_of_weights(-8, 8, rounds=False)

    def make_packed_uint4_weights(self):
        return self.pairs_of_weights(0, 16, (0, 16), rounds=False)

    def make_int4_weights(self):
        return self.pairs_of_weights(-8, 8)

    def make_uint4_weights(self):
        return self.pairs_of_weights(0, 16, (0, 16))

    def make_block_scaled(self):
        groups_k, groups_n = -(-self.k // 128), -(-self.n // 128)
        a_scales = self.rng.uniform(0.5, 2, (self.batch, self.m, groups_k)).astype(numpy.float32)
        b_scales = self.rng.uniform(0.5, 2, (self.batch, groups_k, groups_n)).astype(numpy.float32)
        self.matrix("a_scales", self.m, groups_k, "f32", "row", a_scales)
        self.matrix("b_scales", groups_k, groups_n, "f32", "row", b_scales)
        value, magnitude = 0, 0
        for g in range(groups_k):
            part = slice(128 * g, min(128 * (g + 1), self.k))
            a, b = self.a[:, :, part], self.b[:, part]
            scale = a_scales[:, :, g, None] * numpy.repeat(b_scales[:, g], 128, axis=1)[:, None, :self.n].astype(float)
            value, magnitude = value + scale * (a @ b), magnitude + scale * (numpy.abs(a) @ numpy.abs(b))
        return {"c": (value, (self.k + 8) * UNIT * magnitude)}

    # The argument

    def pack(self, layout, address):
        """The bytes of a structure; `address` gives that of a Matrix, or of the name of other memory."""
        data = bytearray(layout["bytes"])
        for field in layout["fields"]:
            name, value = field["name"], self.fields.get(field["name"], 0)
            if field["type"] == "pointer":
                value = address(name, value)
            struct.pack_into({"pointer": "<Q", "i64": "<q", "i32": "<i", "bool": "<?", "f32": "<f"}[field["type"]],
                             data, field["offset"], value)
        return bytes(data)

    def compare(self, name, memory):
        """(largest error, the bound there, whether all are within and the rest is untouched) of an output."""
        x, (value, bound) = self.fields[f"{name}.data"], self.extra[name]
        got = decode(x.view(memory), x.kind)
        low, high = value - bound, value + bound
        if x.kind in FP8_ARCH:
            low, high = (round_fp8(v, FP8_ARCH[x.kind]) for v in (low, high))
        elif x.kind in ("f16", "bf16"):
            low, high = (decode(encode_nearest(v, x.kind), x.kind) for v in (low, high))
            value, bound = decode(encode_nearest(value, x.kind), x.kind), numpy.maximum(high - low, bound)
        elif x.kind == "i8":
            low, high = (numpy.clip(numpy.rint(v), -128, 127) for v in (low, high))
            value, bound = numpy.clip(value, -128, 127), bound + 0.5
        with numpy.errstate(invalid="ignore"):
            good = (low <= got) & (got <= high)
        if x.kind in FP8_ARCH:
            value, bound = round_fp8(value, FP8_ARCH[x.kind]), numpy.maximum(high - low, bound)
        error = numpy.where(numpy.isfinite(got), numpy.abs(got - value), numpy.inf)
        if error.size == 0:
            return 0.0, 0.0, True
        worst = numpy.unravel_index(numpy.argmax(numpy.where(good, error / (bound + 1e-300), numpy.inf)), error.shape)
        return float(error[worst]), float(numpy.broadcast_to(bound, error.shape)[worst]), bool(
            good.all() and x.untouched(memory))
