"""Runs the machine code of the kernels of rows, shapes, convolutions and mixtures of experts on a machine without a GPU.

The host's own launchers say how kernels are started (launches/, a program that prints it); results are compared with the
formulas in float64. Memory is late and waves take turns from either end; --orders N adds random ones. test/ptx runs the
same cases on its machine for PTX.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE / "isa"), str(HERE), str(HERE.parent / "programs")]
from _ops_arrays import BF16, FIRST, HALF, TAG, Array, decode, near, patched, rounded_to, same, softmax  # noqa: E402


# What layernorm_rows may execute: instructions of machine code, of PTX without copies of registers.
LAYERNORM_MOST = {"gfx942": 3800, "gfx1201": 9000, "sm_80": 5240}


class Cases:
    """A function for each case: makes its arrays, calls start(arrays), and returns sentences on what is wrong."""

    def __init__(self, run, rng):
        self.run, self.rng = run, rng

    def normal(self, *shape, kind, scale=1.0):
        values = rounded_to(self.rng.standard_normal(shape) * scale, kind)
        return values, Array(self.run, values, kind)

    def room(self, *shape, kind):
        return Array(self.run, numpy.zeros(shape), kind)

    # Rows

    def softmax(self, start, shape=(3, 1000)):
        x, a = self.normal(*shape, kind="float16", scale=3)
        y = self.room(*shape, kind="float16")
        start([a, y])
        return near("softmax", y.read(), softmax(x), 2 * HALF, 6e-8)

    def softmax_chunks(self, start):
        return self.softmax(start, (2, 10008))

    def log_softmax(self, start):
        x, a = self.normal(9, 200, kind="float32", scale=3)
        y = self.room(9, 200, kind="float32")
        start([a, y])
        return near("log-softmax", y.read(), numpy.log(softmax(x)), 1e-5, 4e-6)

    def softmax_backward(self, start):
        dy, a = self.normal(3, 1000, kind="float16")
        y = rounded_to(softmax(self.rng.standard_normal((3, 1000)) * 3), "float16")
        dx = self.room(3, 1000, kind="float16")
        start([a, Array(self.run, y, "float16"), dx])
        return near("gradient of softmax", dx.read(), y * (dy - (dy * y).sum(-1, keepdims=True)), 2 * HALF, 1e-7)

    def layernorm(self, start):
        (x, a), (r, b) = self.normal(3, 1000, kind="bf16"), self.normal(3, 1000, kind="bf16")
        (w, c), (bias, d) = self.normal(1000, kind="bf16"), self.normal(1000, kind="bf16")
        y, total = self.room(3, 1000, kind="bf16"), self.room(3, 1000, kind="bf16")
        mean, inverse = self.room(3, kind="float32"), self.room(3, kind="float32")
        start([a, y, b, total, c, d, mean, inverse])
        added = rounded_to(x + r, "bf16")
        m, s = added.mean(-1, keepdims=True), 1 / numpy.sqrt(added.var(-1, keepdims=True) + 1e-5)
        return (same("the sum with the residual", total.read(), added.astype(numpy.float32))
                + near("mean", mean.read(), m[:, 0], 1e-5, 1e-5) + near("deviation", inverse.read(), s[:, 0], 1e-5, 0)
                + near("layer norm", y.read(), (added - m) * s * w + bias, 2 * BF16, 1e-5))

    def layernorm_rows(self, start):
        """One row that fills a block's registers. Its instructions are counted, all waves together."""
        (x, a), (w, b), (bias, c) = (self.normal(1, 16384, kind="bf16") for _ in range(3))
        y = self.room(1, 16384, kind="bf16")
        start([a, y, b, c])
        most = LAYERNORM_MOST[self.run.arch]
        wrong = [] if self.run.executed <= most else [f"layer norm executed {self.run.executed} instructions, allowed are {most}"]
        exact = (x - x.mean()) / numpy.sqrt(x.var() + 1e-5) * w + bias
        return wrong + near("layer norm of a whole row", y.read(), exact, 2 * BF16, 1e-5)

    def layernorm_units(self, start):
        """Rows whose squares no float holds, without epsilon, one of ordinary numbers, and rows with infinity and NaN."""
        x = self.rng.standard_normal((5, 16384)) * numpy.array([1e30, 1e-30, 1, 1, 1])[:, None]
        x[3, 77], x[4, 16383] = numpy.inf, numpy.nan
        x = rounded_to(x, "bf16")
        (w, b), (bias, c) = self.normal(16384, kind="bf16"), self.normal(16384, kind="bf16")
        y = self.room(5, 16384, kind="bf16")
        start([Array(self.run, x, "bf16"), y, b, c])
        m, s = x[:3].mean(-1, keepdims=True), x[:3].std(-1, keepdims=True)
        got = y.read()
        return (near("layer norm in units", got[:3], (x[:3] - m) / s * w + bias, 2 * BF16, 1e-5)
                + same("rows without a norm", numpy.isnan(got[3:]), numpy.full((2, 16384), True)))

    def layernorm_backward(self, start):
        (dy, a), (x, b), (w, c) = (self.normal(*s, kind="float32") for s in ((3, 1000), (3, 1000), (1000,)))
        m, s = x.mean(-1), 1 / numpy.sqrt(x.var(-1) + 1e-5)
        dx = self.room(3, 1000, kind="float32")
        start([a, b, dx, c, Array(self.run, m, "float32"), Array(self.run, s, "float32")])
        g, n = dy * w, (x - m[:, None]) * s[:, None]
        exact = s[:, None] * (g - g.mean(-1, keepdims=True) - n * (g * n).mean(-1, keepdims=True))
        return near("gradient of layer norm", dx.read(), exact, 1e-4, 1e-5)

    def rmsnorm_int8(self, start):
        (x, a), (w, b) = self.normal(2, 10000, kind="bf16"), self.normal(10000, kind="bf16")
        y, scale = self.room(2, 10000, kind="int8"), self.room(2, kind="float32")
        start([a, y, b, scale])
        exact = x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w
        scales = numpy.abs(exact).max(-1) / 127
        return (near("scales", scale.read(), scales, 1e-5, 0)
                + near("quantised", y.read(), exact / scales[:, None], 0, 0.502))

    def norm_sums(self, start):
        (dy, a), (x, b) = self.normal(150, 72, kind="bf16"), self.normal(150, 72, kind="bf16")
        m, s = x.mean(-1), 1 / numpy.sqrt(x.var(-1) + 1e-5)
        dw, db = self.room(72, kind="float32"), self.room(72, kind="float32")
        start([a, b, Array(self.run, m, "float32"), Array(self.run, s, "float32"), dw, db,
               self.room(2 * 256 * 72, kind="float32")])
        n = (x - m[:, None]) * s[:, None]
        return near("dweight", dw.read(), (dy * n).sum(0), 1e-4, 1e-3) + near("dbias", db.read(), dy.sum(0), 1e-4, 1e-3)

    def cross_entropy(self, start):
        x, a = self.normal(3, 3001, kind="float32", scale=2)
        labels = numpy.array([17, -100, 3000])
        loss, log_sum = self.room(3, kind="float32"), self.room(3, kind="float32")
        start([a, Array(self.run, labels, "int64"), loss, log_sum])
        sums = numpy.log(numpy.exp(x).sum(-1))
        exact = [sums[0] - x[0, 17], 0, sums[2] - x[2, 3000]]
        return near("losses", loss.read(), exact, 1e-5, 1e-5) + near("log of sums", log_sum.read(), sums, 1e-6, 1e-5)

    def cross_entropy_backward(self, start):
        x, a = self.normal(5, 200, kind="float16", scale=2)
        labels, slopes = numpy.array([0, 199, -100, 7, 31]), self.rng.standard_normal(5).astype(numpy.float32)
        sums = numpy.log(numpy.exp(x).sum(-1))
        dx = self.room(5, 200, kind="float16")
        start([a, dx, Array(self.run, labels, "int64"), Array(self.run, sums, "float32"), Array(self.run, slopes, "float32")])
        exact = (softmax(x) - (numpy.arange(200) == labels[:, None])) * slopes[:, None].astype(numpy.float64)
        exact[2] = 0
        return near("gradient of losses", dx.read(), exact, 2 * HALF, 1e-6)

    def topk_softmax(self, start):
        x, a = self.normal(6, 200, kind="bf16", scale=2)
        weights, indices = self.room(6, 5, kind="float32"), self.room(6, 5, kind="int64")
        start([a, weights, indices])
        order = numpy.argsort(-x, -1, kind="stable")[:, :5]
        return (same("indices", indices.read(), order)
                + near("weights", weights.read(), softmax(numpy.take_along_axis(x, order, -1)), 1e-5, 1e-8))

    # Shapes

    def added(self, start, shape, other):
        (x, a), (y, b) = self.normal(*shape, kind="float16"), self.normal(*other, kind="float16")
        z = self.room(*shape, kind="float16")
        start([z, a, b])
        return same("the sum", z.read(), rounded_to(x + y, "float16").astype(numpy.float16))

    def add_rows(self, start):
        return self.added(start, (40, 88), (88,))

    def add_elements(self, start):
        return self.added(start, (40, 87), (40, 1))

    def turned(self, start, shape, order, kind):
        x = numpy.arange(math.prod(shape)).reshape(shape)
        y = self.room(*(shape[i] for i in order), kind=kind)
        start([Array(self.run, x, kind), y])
        return same("the permutation", y.read(), x.transpose(order).astype(kind))

    def turn_halves(self, start):
        return self.turned(start, (3, 72, 104), (0, 2, 1), "uint16")

    def turn_elements(self, start):
        return self.turned(start, (5, 67, 3), (2, 1, 0), "uint32")

    def gather_rows(self, start):
        table, a = self.normal(20, 1024, kind="float16")
        indices = self.rng.integers(-20, 20, 13)
        indices[3], indices[8] = -21, 20
        y, count = self.room(13, 1024, kind="float16"), self.room(1, kind="int32")
        start([a, Array(self.run, indices, "int64"), y, count])
        inside = (indices >= -20) & (indices < 20)
        exact = numpy.where(inside[:, None], table[numpy.where(inside, indices, 0)], 0).astype(numpy.float16)
        return same("rows", y.read(), exact) + same("the count of those outside", count.read(), [2])

    def rotate(self, start):
        x, a = self.normal(3, 7, 64, kind="float32")
        positions = numpy.array([0, 1, 2, 1000, 123456, 7, 31])
        per_step = numpy.longdouble(10000) ** (-numpy.arange(32).astype(numpy.longdouble) / 32)
        whole = numpy.longdouble(2) ** 64 / (2 * numpy.longdouble("3.14159265358979323846"))
        turns = numpy.array([int(p * whole) for p in per_step], numpy.uint64)
        y = self.room(3, 7, 64, kind="float32")
        start([a, y, Array(self.run, positions, "int64"), Array(self.run, turns, "uint64")])
        angle = (positions[:, None] * per_step).astype(numpy.float64)
        low, high = x[..., :32], x[..., 32:]
        exact = numpy.concatenate([low * numpy.cos(angle) - high * numpy.sin(angle),
                                   low * numpy.sin(angle) + high * numpy.cos(angle)], -1)
        return near("the rotation", y.read(), exact, 1e-6, 2e-6)

    def pool(self, start):
        x, a = self.normal(2, 9, 11, 16, kind="bf16")
        y = self.room(2, 5, 6, 16, kind="bf16")
        start([a, y])
        exact = numpy.zeros((2, 5, 6, 16))
        for i in range(5):
            for j in range(6):
                window = x[:, max(2 * i - 1, 0):2 * i + 2, max(2 * j - 1, 0):2 * j + 2]
                exact[:, i, j] = window.mean((1, 2))
        return near("averages", y.read(), exact, BF16, 1e-6)

    def summed(self, start, shape, axis):
        x, a = self.normal(*shape, kind="float16")
        y = self.room(shape[1 - axis], kind="float16")
        start([a, y])
        return near("sums", y.read(), x.sum(axis), HALF, 1e-3)

    def sum_of_rows(self, start):
        return self.summed(start, (3, 20000), 1)

    def sum_of_columns(self, start):
        return self.summed(start, (61, 520), 0)

    def largest_of_rows(self, start):
        x, a = self.normal(7, 500, kind="float32")
        y = self.room(7, kind="int64")
        start([a, y])
        return same("places", y.read(), x.argmax(1))

    def scan_rows(self, start):
        x, a = self.normal(2, 5000, kind="float16")
        y = self.room(2, 5000, kind="float16")
        start([a, y])
        return near("running sums", y.read(), x.cumsum(1), HALF, 2e-3)

    def topk(self, start):
        x, a = self.normal(2, 3000, kind="float16")
        values, indices = self.room(2, 520, kind="float16"), self.room(2, 520, kind="int64")
        start([a, values, indices])
        order = numpy.argsort(-x, -1, kind="stable")[:, :520]
        return (same("indices", indices.read(), order)
                + same("values", values.read(), numpy.take_along_axis(x, order, -1).astype(numpy.float16)))

    # Tiles of one wave: tile_memory.cpp

    def scan_serially(self, start):
        x = self.rng.integers(-9, 9, 8 * self.run.lanes)
        a = Array(self.run, x, "float32")
        start([a])
        return same("the running sum", a.read(), x.cumsum())

    def changed(self, start, kind):
        n = self.run.lanes // 4
        first = self.rng.integers(-20, 20, n)
        words, before = Array(self.run, first, kind), self.room(4, n, kind=kind)
        start([words, before])
        value, other = numpy.arange(n) - 3, numpy.arange(n) + 7
        return (same("what was there before", before.read(), [first, first + value, numpy.minimum(first + value, value), value])
                + same("what is there", words.read(), other))

    def change_words(self, start):
        return self.changed(start, "int32")

    change_shared = change_words

    def change_long_words(self, start):
        return self.changed(start, "int64")

    def change_floats(self, start):
        return self.changed(start, "float32")

    def change_masked(self, start):
        n = 8 * self.run.lanes
        x, a = self.normal(n, kind="float32")
        i, y = numpy.arange(n), Array(self.run, numpy.full(n, -5.0), "float32")
        start([y, a])
        return same("the masked tile", y.read(), numpy.where((i % 16 < 8) | (i % 3 != 0), x.astype(numpy.float32) + 1, -5))

    def find_odd(self, start):
        x = self.rng.integers(-99, 99, self.run.lanes // 4)
        word = self.room(1, kind="uint32")
        start([word, Array(self.run, x, "int32")])
        return same("the word", word.read(), [sum(int(n % 2) << i for i, n in enumerate(x))])

    def add_pairs(self, start, kind="float16"):
        (x, a), (y, b) = (self.normal(8 * self.run.lanes, kind=kind) for _ in range(2))
        start([a, b])
        return same("the sums", a.read(), rounded_to(x + y, kind).astype(a.read().dtype))

    def add_bf16_pairs(self, start):
        return self.add_pairs(start, "bf16")

    def multiply(self, start):
        c, a, b = (self.rng.integers(-4, 5, (16, 16)) for _ in range(3))
        sums = Array(self.run, c, "float32")
        start([sums, Array(self.run, a, "float16"), Array(self.run, b, "float16")])
        return same("the product", sums.read(), c + a @ b)

    # Products

    def forward(self, start, channels=16):
        x, a = self.normal(2, 9, 7, channels, kind="float16")
        w, b = self.normal(24, 3, 3, channels, kind="float16", scale=0.1)
        y = self.room(2, 9, 7, 24, kind="float16")
        start([a, b, y])
        padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        exact = sum(padded[:, i:i + 9, j:j + 7] @ w[:, i, j].T for i in range(3) for j in range(3))
        return near("the convolution", y.read(), exact, 2 * HALF, 1e-3)

    def deep_forward(self, start):
        return self.forward(start, 64)

    def backward_data(self, start, outputs=(9, 7), strides=(1, 1)):
        dy, a = self.normal(2, *outputs, 24, kind="float16")
        w, b = self.normal(24, 3, 3, 16, kind="float16", scale=0.1)
        dx = self.room(2, 9, 7, 16, kind="float16")
        start([a, b, dx])
        exact = numpy.zeros((2, 13, 13, 16))
        for i in range(3):
            for j in range(3):
                exact[:, i:i + strides[0] * outputs[0]:strides[0], j:j + strides[1] * outputs[1]:strides[1]] += dy @ w[:, i, j]
        return near("the gradient of x", dx.read(), exact[:, 1:10, 1:8], 2 * HALF, 1e-3)

    def backward_data_strided(self, start):
        return self.backward_data(start, (5, 3), (2, 3))

    def backward_weight(self, start):
        (x, a), (dy, b) = self.normal(2, 5, 6, 7, 16, kind="bf16"), self.normal(2, 6, 3, 3, 24, kind="bf16")
        dw = self.room(24, 2, 3, 3, 16, kind="bf16")
        start([a, b, dw])
        padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0), (0, 0)))
        exact = numpy.zeros((24, 2, 3, 3, 16))
        for i, j, k in numpy.ndindex(2, 3, 3):
            under = padded[:, i:i + 6, j:j + 6:2, 2 * k:2 * k + 3]
            exact[:, i, j, k] = numpy.tensordot(dy, under, ((0, 1, 2, 3), (0, 1, 2, 3)))
        return near("the gradient of w", dw.read(), exact, BF16, 2e-2)

    def cover(self, start):
        x, a = self.normal(2, 9, 7, 16, kind="float16")
        y = self.room(2, 5, 7, 3, 2, 16, kind="float16")
        start([a, y])
        padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        exact = numpy.zeros((2, 5, 7, 3, 2, 16))
        for i, j in numpy.ndindex(3, 2):
            exact[:, :, :, i, j] = padded[:, i:i + 9:2, 2 * j:2 * j + 7]
        return same("the covered pixels", y.read(), exact.astype(numpy.float16))

    def prologue(self, start):
        table, a = self.normal(20, 72, kind="bf16")
        (gate, b), (up, c) = (self.normal(48, 72, kind="bf16") for _ in range(2))
        rows, places = self.rng.integers(0, 20, 70), self.rng.permutation(80)[:70]
        rows[3] = -1
        result, scales = self.room(80, 48, kind="bf16"), self.rng.standard_normal(70)
        start([a, Array(self.run, rows, "int32"), b, c, result, Array(self.run, places, "int32"),
               Array(self.run, scales, "float32")])
        left = numpy.where(rows[:, None] >= 0, table[rows], 0)
        made = rounded_to(gate / (1 + numpy.exp(-gate)) * up, "bf16")
        exact = numpy.zeros((80, 48))
        exact[places] = (left @ made.T) * scales.astype(numpy.float32)[:, None]
        return near("the product", result.read(), exact, 2 * BF16, 0.02)

    def gathered(self, start):
        (table, a), (b, c) = self.normal(20, 584, kind="bf16"), self.normal(584, 40, kind="bf16", scale=0.1)
        rows, places = self.rng.integers(-2, 22, 270), self.rng.permutation(280)[:270]
        result, scales = self.room(280, 40, kind="bf16"), self.rng.standard_normal(270)
        start([a, Array(self.run, rows, "int32"), c, result, Array(self.run, places, "int32"),
               Array(self.run, scales, "float32")])
        inside = (rows >= 0) & (rows < 20)
        exact = numpy.zeros((280, 40))
        exact[places] = (numpy.where(inside[:, None], table[numpy.where(inside, rows, 0)], 0) @ b
                         * scales.astype(numpy.float32)[:, None])
        return near("the product", result.read(), exact, 2 * BF16, 0.02)

    def layer(self, start, places):
        """A mixture of experts; its second product is computed here."""
        tokens, width, hidden, experts, k = 37, 64, 72, 200, 2
        x, a = self.normal(tokens, width, kind="bf16")
        (w1, b), (w2, c) = (self.normal(experts, *s, kind="bf16", scale=0.2) for s in ((width, hidden), (hidden, width)))
        logits, d = self.normal(tokens, experts, kind="float32")
        out = self.room(tokens, width, kind="bf16")
        room = Array(self.run, numpy.zeros(places[-1]), "uint8")
        order = numpy.argsort(-logits, -1, kind="stable")[:, :k]
        weights = softmax(numpy.take_along_axis(logits, order, -1))
        wrong = []

        def part(index, count, kind):
            data = room.read()[places[index]:].tobytes()
            return decode(data[:count * numpy.dtype("uint16" if kind == "bf16" else kind).itemsize], kind)

        def second_product():
            slots = part(3, tokens * k, "int32")
            rows, chosen = part(4, tokens * k, "int32"), order.reshape(-1)[slots]
            wrong.extend(same("experts", part(0, tokens * k, "int32"), order.reshape(-1)))
            wrong.extend(same("tokens of rows", rows, slots // k))
            wrong.extend(same("the order of experts", numpy.sort(chosen), chosen))
            wrong.extend(near("weights", part(1, tokens * k, "float32"), weights.reshape(-1), 1e-5, 1e-7))
            between = part(6, tokens * k * hidden, "bf16").reshape(-1, hidden)
            exact = numpy.stack([x[t] @ w1[e] for t, e in zip(rows, chosen)])
            exact = exact / (1 + numpy.exp(-exact))
            wrong.extend(near("the first product", between, exact, 2 * BF16, 1e-3))
            results = numpy.zeros((tokens * k, width), numpy.float32)
            for row, slot in enumerate(slots):
                results[slot] = (between[row].astype(numpy.float64) @ w2[chosen[row]]) * weights.reshape(-1)[slot]
            whole = room.read()
            whole[places[7]:places[7] + results.nbytes] = results.reshape(-1).view(numpy.uint8)
            room.memory.write(whole.tobytes())
            return results

        kept = []
        start([a, b, c, d, out, room], {3: lambda: kept.append(second_product())})
        return wrong + near("the sum of experts", out.read(), kept[0].reshape(tokens, k, width).sum(1), BF16, 1e-5)


def check(run, records, rng):
    """Sentences on what is wrong: all cases of one file of kernels on `run`."""
    cases, wrong = Cases(run, rng), []
    places = [r["places"] for r in records if r["case"] == "workspace"]
    for name in dict.fromkeys(r["case"] for r in records if r["case"] != "workspace"):
        launches = [r for r in records if r["case"] == name]

        def start(arrays, instead=None):
            """All launches of the case; `instead`: what stands for some of them, by number."""
            for number, record in enumerate(launches):
                if instead and number in instead:
                    instead[number]()
                else:
                    run.launch(record["symbol"], record["grid"], record["threads"],
                               patched(record["arguments"], arrays), record["shared"])

        found = getattr(cases, name)(start, *places)
        wrong += [f"{name}: {text}" for text in found]
    return wrong


class AmdRun:
    """A code object and how its kernels run."""

    def __init__(self, code, policy, order):
        self.code, self.policy, self.order = code, policy, order
        self.lanes, self.arch = code.lanes, code.arch

    def numbers(self, array):
        import machine
        memory = machine.DeviceMemory(array.nbytes)
        memory.write(array.tobytes())
        return memory

    def launch(self, symbol, grid, threads, argument, shared):
        name, = [n for n in self.code.metadata if n.startswith(symbol)]
        kernel = self.code.kernel(name)
        sizes = [a[".size"] for a in kernel.metadata["args"] if not a[".value_kind"].startswith("hidden_")]
        parts = [argument] if len(sizes) == 1 else [argument[8 * i:8 * i + 8] for i in range(len(sizes))]
        self.executed = kernel.launch(tuple(grid), (threads,), parts, shared if not kernel.static_shared else 0, self.policy, self.order)


TILE_KERNELS = {"scan_serially": 1, "change_words": 2, "change_long_words": 2, "change_floats": 2, "change_shared": 2,
                "change_masked": 2, "find_odd": 2, "add_pairs": 2, "add_bf16_pairs": 2,
                "multiply": 3}  # pointers that each takes


def recorded(program):
    """The launches that the host's launchers record, and those of tile_memory.cpp's kernels, which take pointers."""
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    records = [json.loads(line) for line in lines.splitlines()]
    for target in ("gfx942", "gfx1201", "sm_80"):
        for name, count in TILE_KERNELS.items():
            if (target, name) == ("sm_80", "add_bf16_pairs"):
                continue  # the chip has no such instruction
            pointers = b"".join((TAG + (i << 32) + FIRST).to_bytes(8, "little") for i in range(count))
            records.append({"target": target, "source": "tile_memory", "case": name, "grid": [1, 1, 1],
                            "symbol": f"_ZN6tegula{len(name)}{name}E", "threads": 64 if target == "gfx942" else 32,
                            "shared": 16384, "arguments": pointers.hex()})
    return records


def main():
    import machine
    parser = argparse.ArgumentParser()
    parser.add_argument("--launches", required=True, help="the program of launches/")
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("files", nargs="+", help="NAME/TARGET/NAME.co")
    arguments = parser.parse_args()
    reason = machine.reason_to_skip()
    if reason:
        print(reason)
        return 77
    records, problems, count = recorded(arguments.launches), [], 0
    for file in map(Path, arguments.files):
        code = machine.CodeObject(file)
        own = [r for r in records if r["source"] == file.stem and r["target"] == file.parent.name]
        count += len(own)
        for order in range(1 + arguments.orders):
            policy = "late" if order == 0 else "mixed"
            try:
                found = check(AmdRun(code, policy, order), own, numpy.random.default_rng(order))
            except machine.Fault as fault:
                found = [str(fault)]
            problems += [f"{file.parent.name} {file.stem}, order {order}: {text}" for text in found]
    print("\n".join(problems) if problems else f"{len(arguments.files)} files, {count} launches, every result right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
