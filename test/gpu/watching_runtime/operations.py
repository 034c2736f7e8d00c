"""The library of kernels as a program calls it (library/tegula_library.py), where a machine for PTX is the GPU: whole results
against float64.

    operations.py GPU LIBRARY     GPU: the CUDA runtime whose GPU is that machine (executing.cpp)

Starts a plain product of each such kernel of the library, and each operation but those of 8 bits and of quantised weights, whose
names it prints. Status 1 where a result is wrong or nothing was compared.
"""

import ctypes
import re
import sys
from pathlib import Path

import numpy

TOP = Path(__file__).resolve().parents[3]
sys.path += [str(TOP / folder) for folder in ("library", "test/programs", "test/device")]
import tegula_library  # noqa: E402
from _attention_model import formula, rounded  # noqa: E402
from _attention_model import worst_ratio as attention_ratio  # noqa: E402
from _gemm_model import expected, worst_ratio  # noqa: E402
from _machine_code import decode, encode  # noqa: E402

UNIT = {"bf16": 2.0**-8, "f16": 2.0**-11}  # the largest relative error of rounding to the type
TYPES = {"f32": numpy.float32, "i64": numpy.int64}  # others


class Gpu:
    """Memory of the GPU that is played."""

    def __init__(self, file):
        self.c, self.kept = ctypes.CDLL(file, ctypes.RTLD_GLOBAL), []
        self.c.cudaGetErrorString.restype = ctypes.c_char_p

    def ask(self, function, *arguments):
        if error := getattr(self.c, function)(*arguments):
            raise RuntimeError(f"{function}: {self.c.cudaGetErrorString(error).decode()}")

    def room(self, size):
        address = ctypes.c_void_p()
        self.ask("cudaMalloc", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def put(self, values, kind):
        """The address of numbers that the type holds."""
        bits = numpy.ascontiguousarray(encode(values, kind) if kind in UNIT else numpy.asarray(values, TYPES[kind]))
        address = self.room(bits.nbytes)
        self.ask("cudaMemcpy", ctypes.c_void_p(address), ctypes.c_void_p(bits.ctypes.data), ctypes.c_size_t(bits.nbytes), 1)
        return address

    def get(self, address, kind, shape):
        bits = numpy.empty(shape, numpy.float32 if kind == "f32" else numpy.float16 if kind == "f16" else numpy.uint16)
        self.ask("cudaMemcpy", ctypes.c_void_p(bits.ctypes.data), ctypes.c_void_p(address), ctypes.c_size_t(bits.nbytes), 2)
        return decode(bits, kind) if kind in UNIT else bits.astype(float)


class Checks:
    def __init__(self, gpu, library):
        self.gpu, self.library, self.rng = gpu, library, numpy.random.default_rng(1)

    def numbers(self, kind, *shape):
        return rounded(self.rng.standard_normal(shape), kind)

    def start(self, operation, sizes, addresses):
        start = self.library.prepare(operation, sizes, addresses)
        start()
        self.library.release(start)

    def product(self, kernel, kind):
        """Both operands along k: C = 1.5 A B - 0.5 C0 + bias, of a batch of two."""
        m, n, k = 70, 72, 104
        a, b, c0, bias = (self.numbers(kind, *shape) for shape in ((2, m, k), (2, n, k), (2, m, n), (n,)))
        values = {"m": m, "n": n, "k": k, "batch": 2, "epilogue.parts[0].alpha": 1.5, "epilogue.parts[1].beta": -0.5,
                  "epilogue.parts[2].bias": self.gpu.put(bias, "f32")}
        c = self.gpu.room(8 * m * n)
        for name, address, row, column, batch in (
                ("a", self.gpu.put(a, kind), k, 1, m * k), ("b", self.gpu.put(b, kind), 1, k, n * k), ("c", c, n, 1, m * n),
                ("epilogue.parts[1].source", self.gpu.put(c0, "f32"), n, 1, m * n)):
            values |= {f"{name}.data": address, f"{name}.row_stride": row, f"{name}.column_stride": column,
                       f"{name}.batch_stride": batch}
        start = self.library.prepare_kernel(kernel, values)
        start()
        self.library.release(start)
        exact = expected(a, b.swapaxes(1, 2), kind, kernel.split()[0], 1.5, -0.5, c0, bias)
        return worst_ratio(self.gpu.get(c, "f32", (2, m, n)), *exact)

    def products(self, operation, kind, sizes, rows):
        """C = A B^T of so many rows each, one behind the other, with C of the inputs' type."""
        n, k = 136, 200
        a, b = self.numbers(kind, sum(rows), k), self.numbers(kind, len(rows), n, k)
        c = self.gpu.room(2 * sum(rows) * n)
        self.start(operation, sizes(n, k), [self.gpu.put(a, kind), self.gpu.put(b, kind), c])
        ends = numpy.cumsum(rows)
        exact = [expected(a[end - m:end], b[i].T, kind, "sm_80") for i, (m, end) in enumerate(zip(rows, ends))]
        value, bound = (numpy.concatenate([x[i] for x in exact]) for i in range(2))
        return worst_ratio(self.gpu.get(c, kind, value.shape), value, bound + UNIT[kind] * abs(value))

    def row(self, operation, kind, name):
        rows, columns = 37, 520
        x, y = (self.numbers(kind, rows, columns) for _ in range(2))
        mean, power = x.mean(1, keepdims=True), numpy.exp(x - x.max(1, keepdims=True))
        exact = {"softmax": lambda: power / power.sum(1, keepdims=True), "transpose": lambda: x.T, "add": lambda: x + y,
                 "layernorm": lambda: (x - mean) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5),
                 "rmsnorm": lambda: x / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-5), "sum_of_rows": lambda: x.sum(1)}[name]()
        out = self.gpu.room(2 * exact.size)
        self.start(operation, [rows, columns], [self.gpu.put(x, kind), out, self.gpu.put(y, kind)])
        # Sums and functions in float, and the rounding of the result.
        bound = 1.01 * UNIT[kind] * abs(exact) + (0 if name == "transpose" else 2.0**-16 * abs(exact).max())
        return worst_ratio(self.gpu.get(out, kind, exact.shape), exact, bound)

    def near(self, address, kind, exact, size=None):
        """The largest error by the rounding of the result and 2^-16 of the largest of `size`, the terms of its sums."""
        size = exact if size is None else size
        bound = 1.01 * UNIT.get(kind, 0) * abs(exact) + 2.0**-16 * abs(size).max()
        return worst_ratio(self.gpu.get(address, kind, exact.shape), exact, bound)

    def row_gradients(self, operation, kind, name):
        rows, columns = 37, 520
        x, dy, weight = (self.numbers(kind, *shape) for shape in ((rows, columns), (rows, columns), (columns,)))
        dx = self.gpu.room(2 * x.size)
        if name == "softmax_gradients":
            power = numpy.exp(x)
            y = rounded(power / power.sum(1, keepdims=True), kind)
            self.start(operation, [rows, columns], [self.gpu.put(y, kind), dx, self.gpu.put(dy, kind)])
            return self.near(dx, kind, y * (dy - (y * dy).sum(1, keepdims=True)))
        layer = name == "layernorm_gradients"
        mean = x.mean(1, keepdims=True).astype(numpy.float32) if layer else numpy.zeros((rows, 1), numpy.float32)
        inverse = (1 / numpy.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5)).astype(numpy.float32)
        d_weight, d_bias = self.gpu.room(4 * columns), self.gpu.room(4 * columns)
        workspace = self.gpu.room(max(16, self.library.workspace_bytes(operation, [rows, columns])))
        self.start(operation, [rows, columns],
                   [self.gpu.put(x, kind), dx, self.gpu.put(dy, kind), self.gpu.put(weight, kind), self.gpu.put(mean, "f32"),
                    self.gpu.put(inverse, "f32"), d_weight, d_bias, workspace])
        normal, g = (x - mean) * inverse, dy * weight
        exact = inverse * (g - (g.mean(1, keepdims=True) if layer else 0) - normal * (g * normal).mean(1, keepdims=True))
        return max(self.near(dx, kind, exact), self.near(d_weight, "f32", (dy * normal).sum(0)),
                   self.near(d_bias, "f32", dy.sum(0)) if layer else 0)

    def loss(self, operation, kind, gradients):
        rows, columns = 37, 520
        x, labels = self.numbers(kind, rows, columns), self.rng.integers(0, columns, rows)
        log_sum, right = numpy.log(numpy.exp(x).sum(1)), numpy.arange(columns) == labels[:, None]
        given = self.gpu.put(log_sum, "f32") if gradients else self.gpu.room(4 * rows)
        out = self.gpu.room((2 * columns if gradients else 4) * rows)
        self.start(operation, [rows, columns], [self.gpu.put(x, kind), out, self.gpu.put(labels, "i64"), given])
        if gradients:
            return self.near(out, kind, numpy.exp(x - log_sum[:, None]) - right)
        return max(self.near(out, "f32", log_sum - x[right]), self.near(given, "f32", log_sum))

    def convolution(self, operation, direction, kind):
        images, channels, height, width, taps, padding = 2, 16, 9, 7, 3, 1
        filters, stride = (64, 1) if direction == "backward_data" else (24, 2)  # tensor copies refuse other gradients of images
        outer, of_output = (height + 2 * padding, width + 2 * padding), [(n + 2 * padding - taps) // stride + 1 for n in (height, width)]
        x, w, y = (self.numbers(kind, *shape) for shape in (
            (images, height, width, channels), (filters, taps, taps, channels), (images, *of_output, filters)))
        first, second, result = {"forward": (x, w, y), "backward_data": (y, w, x), "backward_weight": (x, y, w)}[direction]

        def computed(f):
            """The result and its size: f(x) of the operands."""
            padded, out = numpy.zeros((images, *outer, channels)), numpy.zeros(result.shape)
            inside = padded[:, padding:padding + height, padding:padding + width]
            if direction != "backward_data":
                inside[...] = f(x)
            for i in range(taps):
                for j in range(taps):
                    seen = padded[:, i:i + stride * of_output[0]:stride, j:j + stride * of_output[1]:stride]
                    if direction == "forward":
                        out += seen @ f(w)[:, i, j].T
                    elif direction == "backward_data":
                        seen += f(y) @ f(w)[:, i, j]
                    else:
                        out[:, i, j] = numpy.einsum("nhwf,nhwc->fc", f(y), seen)
            return inside if direction == "backward_data" else out

        sizes = [images, channels, filters, height, width, taps, taps, stride, padding]
        out, workspace = self.gpu.room(2 * result.size), self.gpu.room(max(16, self.library.workspace_bytes(operation, sizes)))
        self.start(operation, sizes, [self.gpu.put(first, kind), self.gpu.put(second, kind), out, workspace])
        return self.near(out, kind, computed(lambda x: x), computed(abs))

    def experts(self, operation, kind, gated):
        tokens, width, hidden, experts, k = 37, 64, 72, 5, 2
        x, w1, w2, up = (self.numbers(kind, *shape) for shape in (
            (tokens, width), (experts, width, hidden), (experts, hidden, width), (experts, width, hidden)))
        logits = self.rng.standard_normal((tokens, experts)).astype(numpy.float32)

        def computed(intermediate):
            out, size = numpy.zeros((2, tokens, width))
            for t in range(tokens):
                chosen = numpy.argsort(-logits[t])[:k]
                weights = numpy.exp(logits[t][chosen].astype(float))
                for e, weight in zip(chosen, weights / weights.sum()):
                    between = x[t] @ w1[e]
                    between = between / (1 + numpy.exp(-between)) * (x[t] @ up[e] if gated else 1)
                    out[t] += weight * (intermediate(between) @ w2[e])
                    size[t] += weight * (abs(between) @ abs(w2[e]))
            return intermediate(out), size

        sizes = [tokens, width, hidden, experts, k]
        out, workspace = self.gpu.room(2 * x.size), self.gpu.room(self.library.workspace_bytes(operation, sizes))
        self.start(operation, sizes, [self.gpu.put(x, kind), self.gpu.put(w1, kind), self.gpu.put(w2, kind), self.gpu.put(logits, "f32"),
                                      out, *([self.gpu.put(up, kind)] if gated else []), workspace])
        return attention_ratio(self.gpu.get(out, kind, x.shape), computed(lambda x: x), computed(lambda x: rounded(x, kind)))

    def attention(self, operation, family, form, kind, columns, mask):
        """O and lse, or the gradients from these. Of few queries rows of several heads are packed, and keys shared out. Values of
        the latent form are the first columns of the keys."""
        few = form in ("few_queries", "latent")
        queries, keys, heads, kv_heads, used, splits = (3, 300, 8, 2, columns, 3) if few else (70, 150, 2, 1, columns - 8, 0)
        causal = "bottom_right" if mask == "causal" or few else None
        q, k, v, d_o = (self.numbers(kind, 1, h, rows, used)
                        for h, rows in ((heads, queries), (kv_heads, keys), (kv_heads, keys), (heads, queries)))
        v = k[..., :512] if form == "latent" else v
        sizes = [1, heads, kv_heads, queries, keys, used, splits]
        backward = family == "attention_backward"
        (o, _), (lse, _), *_ = formula(q, k, v, causal=causal)
        given = rounded(o, kind) if backward else None
        def all_of(**options):
            return formula(q, k, v, d_o if backward else None, causal=causal, given_o=given, **options)
        of_o = self.gpu.put(given, kind) if backward else self.gpu.room(2 * o.size)
        of_lse = self.gpu.put(lse, "f32") if backward else self.gpu.room(4 * lse.size)
        gradients = [(x.shape, self.gpu.room(2 * x.size)) for x in (q, k, v)] if backward else []
        workspace = self.gpu.room(max(16, self.library.workspace_bytes(operation, sizes)))
        self.start(operation, sizes, [*(self.gpu.put(x, kind) for x in (q, k, v)), of_o, of_lse, workspace,
                                      *([self.gpu.put(d_o, kind)] if backward else []), *(address for _, address in gradients)])
        results = [self.gpu.get(address, kind, shape) for shape, address in gradients] or [
            self.gpu.get(of_o, kind, o.shape), self.gpu.get(of_lse, "f32", lse.shape)]
        exact, low = all_of(), all_of(intermediate=lambda x: rounded(x, kind))
        first = 2 if backward else 0
        return max(attention_ratio(*x) for x in zip(results, exact[first:], low[first:], strict=True))

    def one(self, name):
        """The largest error of an operation by its bound; None where there is no reference for it here."""
        family, *words = name.split("/")
        if family in ("softmax", "layernorm", "rmsnorm", "transpose", "sum_of_rows", "add") and words[0] in UNIT:
            return self.row(name, words[0], family)
        if family in ("attention", "attention_backward") and words[1] in UNIT and words[0] != "latent_fp8":
            return self.attention(name, family, words[0], words[1], int(words[2]), words[3])
        if family.endswith("_gradients") and family != "cross_entropy_gradients" and words[0] in UNIT:
            return self.row_gradients(name, words[0], family)
        if family.startswith("cross_entropy") and words[0] in UNIT:
            return self.loss(name, words[0], family.endswith("gradients"))
        if family == "convolution" and words[1] in UNIT:
            return self.convolution(name, words[0], words[1])
        if family in ("moe", "moe_gated") and words[0] in UNIT:
            return self.experts(name, words[0], family == "moe_gated")
        if family == "list" and words[0] in UNIT:
            rows = [130, 0, 1, 77]
            return self.products(name, words[0], lambda n, k: [len(rows), n, k, *rows], rows)
        if family == "cluster_split" and words[0] in UNIT:
            return self.products(name, words[0], lambda n, k: [150, n, k], [150])
        return None


def main():
    gpu = Gpu(sys.argv[1])
    library = tegula_library.Library(sys.argv[2])
    checks, compared, wrong, left = Checks(gpu, library), 0, [], []
    plain = [(name, match[1]) for name in library.kernels if (match := re.fullmatch(r"sm_\d+a? (bf16|f16) t\d+x\d+ kk", name))]
    for name, check in [*((name, lambda name=name, kind=kind: checks.product(name, kind)) for name, kind in plain),
                        *((name, lambda name=name: checks.one(name)) for name in library.operations)]:
        try:
            ratio = check()
        except RuntimeError as error:
            wrong.append(f"{name}: {error}")
            continue
        if ratio is None:
            left.append(name)
            continue
        compared += 1
        print(f"{name}: {ratio:.3f} of the bound", flush=True)
        if not ratio <= 1:
            wrong.append(f"{name}: off by {ratio} of its bound")
    if left:
        print(f"not compared, as there is no reference for them here: {', '.join(left)}")
    for text in wrong or ([] if compared else [f"{sys.argv[2]} has nothing that is compared here"]):
        print(f"WRONG {text}")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
