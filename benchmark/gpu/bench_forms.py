"""bench.py's cases of products, convolutions, losses and gradients of operations on rows."""

import functools
import math
import statistics

import torch
from rivals import LtLibrary, product_by_torch
from timing import CACHE_BYTES, contend, finish, is_wanted, megahertz, relative_error, settle, tegula_library

BF16 = torch.bfloat16
# The vendor's libraries behind PyTorch.
BLAS, CONVOLUTIONS = ("hipblas", "miopen") if torch.version.hip else ("cublas", "cudnn")


def random(*lengths, dtype=BF16, scale=1.0):
    return (torch.randn(*lengths, device="cuda") * scale).to(dtype)


def empty(*lengths, dtype=BF16):
    return torch.full(lengths, math.nan, device="cuda", dtype=dtype)


class Problem:
    """name: of the case. names: of the operations that do it, all of them with this prefix. make(): tensors of a set, by
    name; `out` are results. pointers(set): what the operation takes. expected(set): float64 by name of a result.
    rivals: name -> function of a set. moved: bytes that a case must read and write, if they are not those of a set."""

    def __init__(self, name, prefix, sizes, make, pointers, expected, rivals, operations=None, moved=None):
        self.name, self.prefix, self.sizes, self.make, self.pointers = name, prefix, sizes, make, pointers
        self.expected, self.rivals, self.operations, self.bytes = expected, rivals, operations, moved

    def measure(self, library, arguments):
        record = {"case": self.name}
        one = self.make()
        in_a_set = sum(t.numel() * t.element_size() for t in one.values())
        sets = [one] + [self.make() for _ in range(max(1, min(15, math.ceil(CACHE_BYTES / in_a_set) - 1)))]
        record["bytes"] = self.bytes or in_a_set
        if self.operations:
            record["operations"] = float(self.operations)
        if "fp8" in self.name:
            record["type"] = "fp8"
        contenders, expected = [], self.expected(one)
        for name in [n for n in library.names if n.startswith(self.prefix + "/")]:
            try:
                starts = []
                for x in sets:
                    workspace = library.workspace(name, self.sizes)
                    starts.append(library.prepare(name, self.sizes, [*self.pointers(x), workspace]))
                for result in expected:
                    one[result].fill_(math.nan)
                starts[0]()
                torch.cuda.synchronize()
                record.setdefault("errors", {})[name] = {result: relative_error(one[result], e) for result, e in expected.items()}
                contend(contenders, "tegula " + name, starts, arguments)
            except RuntimeError as error:
                record.setdefault("failed", {})[name] = str(error)[:300]
        del expected
        for name, run in self.rivals.items():
            try:
                contend(contenders, name, [lambda x=x: run(x) for x in sets], arguments)
            except Exception as error:  # whatever PyTorch says of it
                record.setdefault("failed", {})[name] = str(error).splitlines()[0][:200]
        return finish(record, contenders, arguments)


def compiled(function):
    return torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)


# Products


def block_scaled(m, n, k):
    """fp8 with a scale for 128 of k of A, and for 128 x 128 of B."""

    def make():
        a, b = random(m, k, dtype=torch.float8_e4m3fn), random(n, k, dtype=torch.float8_e4m3fn)
        scale = lambda *lengths: torch.rand(*lengths, device="cuda") + 0.5
        return {"a": a, "b": b, "c": empty(m, n), "sa": scale(k // 128, m), "sb": scale(-(-n // 128), k // 128)}

    def expected(x):
        a = x["a"].double() * x["sa"].t().double().repeat_interleave(128, 1)
        b = x["b"].double() * x["sb"].double().repeat_interleave(128, 0)[:n].repeat_interleave(128, 1)
        return {"c": a @ b.t()}

    def vendor(x):
        return torch._scaled_mm(x["a"], x["b"].t(), scale_a=x["sa"].t(), scale_b=x["sb"].t(), out_dtype=BF16)

    return Problem(f"block_scaled/fp8_e4m3/{m}x{n}x{k}", "block_scaled/fp8_e4m3", [m, n, k], make,
                   lambda x: [x["a"], x["b"], x["c"], x["sa"], x["sb"]], expected, {BLAS: vendor}, 2.0 * m * n * k)


def cluster_split(m, n, k):
    """Few tiles and a long k, which the blocks of a cluster share."""

    def make():
        return {"a": random(m, k), "b": random(n, k), "c": empty(m, n)}

    return Problem(f"cluster_split/bf16/{m}x{n}x{k}", "cluster_split/bf16", [m, n, k], make, lambda x: [x["a"], x["b"], x["c"]],
                   lambda x: {"c": x["a"].double() @ x["b"].double().t()}, {"torch.matmul": lambda x: x["a"] @ x["b"].t()}, 2.0 * m * n * k)


def int4_weights(m, n, k):
    """bf16 by weights of 4 bits, 128 of which share a scale."""

    def weights(x):
        low = (x["b"] & 15).int()
        both = torch.stack((low, (x["b"] >> 4).int()), -1).view(n, k)
        return torch.where(both > 7, both - 16, both)

    def make():
        x = {"a": random(m, k), "b": torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8), "c": empty(m, n),
             "s": random(k // 128, n, dtype=torch.half, scale=0.1)}
        x["bf16"] = (weights(x) * x["s"].t().float().repeat_interleave(128, 1)).to(BF16)
        return x

    def by_pytorch(x):
        if "packed" not in x:
            # PyTorch's numbers are 0 to 15 less 8, times a scale, plus a number called its zero.
            w = weights(x) + 8
            x["packed"] = torch.ops.aten._convert_weight_to_int4pack((w[:, ::2] << 4 | w[:, 1::2]).to(torch.uint8), 8)
            x["sz"] = torch.stack((x["s"].to(BF16), torch.zeros_like(x["s"], dtype=BF16)), -1).contiguous()
        return torch.ops.aten._weight_int4pack_mm(x["a"], x["packed"], 128, x["sz"])

    rivals = {"int4pack": by_pytorch, f"{BLAS} bf16": lambda x: x["a"] @ x["bf16"].t()}
    return Problem(f"weights/int4/{m}x{n}x{k}", "weights/int4/bf16", [m, n, k], make, lambda x: [x["a"], x["b"], x["c"], x["s"]],
                   lambda x: {"c": x["a"].double() @ (weights(x) * x["s"].t().double().repeat_interleave(128, 1)).t()}, rivals,
                   2.0 * m * n * k, moved=2 * m * (n + k) + n * k // 2 + 2 * n * k // 128)


def int8_weights(m, n, k):
    """bf16 by weights of 8 bits without scales."""

    def make():
        b = torch.randint(-128, 128, (n, k), device="cuda", dtype=torch.int8)
        return {"a": random(m, k), "b": b, "c": empty(m, n), "s": torch.ones(n, device="cuda", dtype=BF16), "bf16": b.to(BF16)}

    rivals = {"int8pack": lambda x: torch.ops.aten._weight_int8pack_mm(x["a"], x["b"], x["s"]),
              f"{BLAS} bf16": lambda x: x["a"] @ x["bf16"].t()}
    return Problem(f"weights/int8/{m}x{n}x{k}", "weights/int8/bf16", [m, n, k], make, lambda x: [x["a"], x["b"], x["c"], None],
                   lambda x: {"c": x["a"].double() @ x["b"].double().t()}, rivals, 2.0 * m * n * k, moved=2 * m * (n + k) + n * k)


def lengths_of(count, rows):
    """Rows of each product: some have a half, some half as many more."""
    return [rows // 2, rows, rows + rows // 2, rows] * (count // 4)


def product_list(count, rows, n, k):
    lengths = lengths_of(count, rows)
    total = sum(lengths)
    ends = torch.tensor(lengths, device="cuda").cumsum(0).to(torch.int32)

    def make():
        return {"a": random(total, k), "b": random(count, n, k), "c": empty(total, n)}

    def expected(x):
        parts = torch.split(x["a"], lengths)
        return {"c": torch.cat([a.double() @ b.double().t() for a, b in zip(parts, x["b"])])}

    return Problem(f"list/bf16/{count}x{rows}x{n}x{k}", "list/bf16", [count, n, k, *lengths], make, lambda x: [x["a"], x["b"], x["c"]],
                   expected, {"grouped_mm": lambda x: torch._grouped_mm(x["a"], x["b"].transpose(1, 2), offs=ends)}, 2.0 * total * n * k)


def experts(tokens, width, hidden, count, k, gated=False):
    """A layer with or without gates; PyTorch's by its grouped products."""
    silu, up = torch.nn.functional.silu, ["w1_up"] if gated else []

    def make():
        tensors = {"x": random(tokens, width), "w1": random(count, width, hidden, scale=width**-0.5),
                   "w2": random(count, hidden, width, scale=hidden**-0.5), "logits": random(tokens, count, dtype=torch.float32),
                   "out": empty(tokens, width)}
        return tensors | {name: random(count, width, hidden, scale=width**-0.5) for name in up}

    def expected(x):
        values, chosen = x["logits"].double().topk(k, -1)
        weights, out = torch.softmax(values, -1), torch.zeros(tokens, width, device="cuda", dtype=torch.double)
        for e in range(count):
            rows, which = (chosen == e).nonzero(as_tuple=True)
            of_rows = x["x"][rows].double()
            between = silu(of_rows @ x["w1"][e].double())
            for name in up:
                between = between * (of_rows @ x[name][e].double())
            out.index_add_(0, rows, between.to(BF16).double() @ x["w2"][e].double() * weights[rows, which, None])
        return {"out": out}

    def layer(x):
        values, chosen = x["logits"].topk(k, -1)
        weights = torch.softmax(values, -1)
        sorted_experts, order = chosen.flatten().sort(stable=True)
        ends = torch.searchsorted(sorted_experts, torch.arange(1, count + 1, device="cuda")).to(torch.int32)
        of_rows = x["x"][order // k]
        between = silu(torch._grouped_mm(of_rows, x["w1"], offs=ends))
        for name in up:
            between = between * torch._grouped_mm(of_rows, x[name], offs=ends)
        parts = torch._grouped_mm(between, x["w2"], offs=ends) * weights.flatten()[order, None].to(BF16)
        return torch.zeros_like(x["x"]).index_add_(0, order // k, parts)

    prefix = "moe_gated/bf16" if gated else "moe/bf16"
    return Problem(f"{prefix}/{tokens}x{width}x{hidden}/{k} of {count}", prefix, [tokens, width, hidden, count, k], make,
                   lambda x: [x[name] for name in ("x", "w1", "w2", "logits", "out", *up)], expected, {"grouped_mm": layer},
                   (4.0 + 2.0 * gated) * tokens * k * width * hidden)


# Convolutions


def convolution(direction, images, channels, filters, side, taps, stride):
    padding = taps // 2
    out = (side + 2 * padding - taps) // stride + 1
    # What is read and written: x, w and y, or gradients of them.
    result = {"forward": "y", "backward_data": "x", "backward_weight": "w"}[direction]

    def make():
        x = {"x": random(images, side, side, channels), "w": random(filters, taps, taps, channels, scale=(channels * taps**2) ** -0.5),
             "y": random(images, out, out, filters)}
        x[result].fill_(math.nan)
        return x

    def planes(t):
        """NCHW by strides; the memory stays NHWC."""
        return t.permute(0, 3, 1, 2)

    def backward(x, which):
        return torch.ops.aten.convolution_backward(planes(x["y"]), planes(x["x"]), planes(x["w"]), None, [stride] * 2, [padding] * 2,
                                                   [1, 1], False, [0, 0], 1, [which == "x", which == "w", False])

    def run(x):
        if result == "y":
            return torch.nn.functional.conv2d(planes(x["x"]), planes(x["w"]), stride=stride, padding=padding)
        return backward(x, result)[result == "w"]

    def expected(x):
        wide = {name: torch.zeros_like(t, dtype=torch.double) if name == result else t.double() for name, t in x.items()}
        return {result: run(wide).permute(0, 2, 3, 1)}

    pointers = {"forward": "xwy", "backward_data": "ywx", "backward_weight": "xyw"}[direction]
    return Problem(f"convolution/{direction}/{images}x{channels}x{side}x{side} {filters}x{taps}x{taps} stride {stride}",
                   f"convolution/{direction}/bf16", [images, channels, filters, side, side, taps, taps, stride, padding], make,
                   lambda x: [x[name] for name in pointers], expected, {CONVOLUTIONS: run}, 2.0 * images * out * out * filters * channels * taps**2)


# Losses and gradients of operations on rows


def cross_entropy(rows, columns, gradients):
    def make():
        x = random(rows, columns)
        return {"x": x, "dx": empty(rows, columns) if gradients else empty(1), "labels": torch.randint(0, columns, (rows,), device="cuda"),
                "losses": empty(rows, dtype=torch.float32), "log_sum": torch.logsumexp(x.float(), -1)}

    def loss(x, labels):
        return torch.nn.functional.cross_entropy(x, labels, reduction="none")

    def gradient(x, labels, log_sum):
        own = torch.arange(columns, device="cuda") == labels[:, None]
        return (torch.exp(x.float() - log_sum[:, None]) - own.float()).to(BF16)

    if gradients:
        fast = compiled(gradient)
        run = lambda f: lambda x: f(x["x"], x["labels"], x["log_sum"])
        expected = lambda x: {"dx": torch.softmax(x["x"].double(), -1) - torch.nn.functional.one_hot(x["labels"], columns)}
        return Problem(f"cross_entropy_gradients/bf16/{rows}x{columns}", "cross_entropy_gradients", [rows, columns], make,
                       lambda x: [x["x"], x["dx"], x["labels"], x["log_sum"]], expected,
                       {"pytorch": run(gradient), "inductor": run(fast)}, moved=2 * rows * columns * 2)
    fast = compiled(loss)
    return Problem(f"cross_entropy/bf16/{rows}x{columns}", "cross_entropy", [rows, columns], make,
                   lambda x: [x["x"], x["losses"], x["labels"], x["log_sum"]], lambda x: {"losses": loss(x["x"].double(), x["labels"])},
                   {"pytorch": lambda x: loss(x["x"], x["labels"]), "inductor": lambda x: fast(x["x"], x["labels"])}, moved=rows * columns * 2)


def softmax_gradients(rows, columns):
    def make():
        return {"y": torch.softmax(random(rows, columns).float(), -1).to(BF16), "dx": empty(rows, columns), "dy": random(rows, columns)}

    def gradient(y, dy):
        return y * (dy - (dy * y).sum(-1, keepdim=True))

    def wide(y, dy):
        return gradient(y.float(), dy.float()).to(BF16)

    fast = compiled(wide)
    rivals = {"pytorch": lambda x: torch.ops.aten._softmax_backward_data(x["dy"], x["y"], -1, BF16), "inductor": lambda x: fast(x["y"], x["dy"])}
    return Problem(f"softmax_gradients/bf16/{rows}x{columns}", "softmax_gradients", [rows, columns], make,
                   lambda x: [x["y"], x["dx"], x["dy"]], lambda x: {"dx": gradient(x["y"].double(), x["dy"].double())}, rivals,
                   moved=3 * rows * columns * 2)


def norm_gradients(kind, rows, columns):
    layer = kind == "layernorm"
    number = torch.float32

    def make():
        x = random(rows, columns)
        mean = x.float().mean(-1) if layer else torch.zeros(rows, device="cuda")
        square = ((x.float() - mean[:, None]) ** 2).mean(-1)
        return {"x": x, "dx": empty(rows, columns), "dy": random(rows, columns), "w": random(columns), "mean": mean,
                "scale": torch.rsqrt(square + 1e-5), "dw": empty(columns, dtype=number), "db": empty(columns, dtype=number)}

    def gradient(x, dy, w, mean, scale):
        n = (x - mean[:, None]) * scale[:, None]
        g = dy * w
        inner = g - n * (g * n).mean(-1, keepdim=True) - (g.mean(-1, keepdim=True) if layer else 0)
        return inner * scale[:, None], (dy * n).sum(0), dy.sum(0)

    def wide(x, dy, w, mean, scale):
        dx, dw, db = gradient(x.float(), dy.float(), w.float(), mean, scale)
        return (dx.to(BF16), dw, db) if layer else (dx.to(BF16), dw)

    def expected(x):
        found = gradient(*(x[name].double() for name in ("x", "dy", "w", "mean", "scale")))
        return dict(zip(("dx", "dw", "db") if layer else ("dx", "dw"), found))

    fast = compiled(wide)

    def eager(x):
        if layer:
            return torch.ops.aten.native_layer_norm_backward(x["dy"], x["x"], [columns], x["mean"][:, None], x["scale"][:, None], x["w"],
                                                             x["w"], [True] * 3)
        return torch.ops.aten._fused_rms_norm_backward(x["dy"], x["x"], [columns], x["scale"][:, None], x["w"], [True, True])

    rivals = {"pytorch": eager, "inductor": lambda x: fast(x["x"], x["dy"], x["w"], x["mean"], x["scale"])}
    return Problem(f"{kind}_gradients/bf16/{rows}x{columns}", f"{kind}_gradients", [rows, columns], make,
                   lambda x: [x["x"], x["dx"], x["dy"], x["w"], x["mean"], x["scale"], x["dw"], x["db"]], expected, rivals,
                   moved=3 * rows * columns * 2)


def problems():
    """Functions that make a problem each."""
    for m in (64, 4096):
        for n, k in ((4096, 7168), (7168, 16384), (24576, 1536)):
            yield lambda m=m, n=n, k=k: block_scaled(m, n, k)
    for case in ((16, 4096, 4096), (16, 4096, 14336), (64, 4096, 4096), (64, 4096, 14336), (512, 512, 16384), (1024, 1024, 16384)):
        yield lambda case=case: cluster_split(*case)
    for form in (int4_weights, int8_weights):
        for m in (1, 16, 64, 256):
            for n, k in ((4096, 4096), (14336, 4096)):
                yield lambda f=form, m=m, n=n, k=k: f(m, n, k)
    for case in ((8, 1024, 4096, 4096), (8, 1024, 14336, 4096), (64, 64, 2048, 4096), (64, 512, 2048, 4096), (8, 16, 14336, 4096)):
        yield lambda case=case: product_list(*case)
    for case in ((4096, 4096, 14336, 8, 2), (64, 4096, 14336, 8, 2), (8192, 2048, 1024, 64, 8)):
        for gated in (False, True):
            yield lambda case=case, gated=gated: experts(*case, gated)
    for direction in ("forward", "backward_data", "backward_weight"):
        for case in ((64, 64, 64, 56, 3, 1), (64, 128, 128, 28, 3, 1), (64, 256, 256, 14, 3, 1), (64, 256, 512, 56, 1, 2)):
            yield lambda d=direction, case=case: convolution(d, *case)
    for gradients in (False, True):
        yield lambda g=gradients: cross_entropy(8192, 128256, g)
        yield lambda g=gradients: cross_entropy(16384, 32000, g)
    for rows, columns in ((32768, 8192), (32768, 1024)):
        yield lambda r=rows, c=columns: softmax_gradients(r, c)
        for kind in ("layernorm", "rmsnorm"):
            yield lambda k=kind, r=rows, c=columns: norm_gradients(k, r, c)


def form_work(library, arguments):
    """Name of each case, a function that gives its record, and whether the library has an operation for it."""
    return [(problem.name, lambda p=problem: p.measure(library, arguments), any(name.startswith(problem.prefix + "/") for name in library.names))
            for problem in (make() for make in problems())]


# GEMM, by the kernels that the library has for bench_gemm: "sm_90a bf16 ws128x256_2x1 TN", which have no epilogue.

# The library's name of a type -> the record's.
GEMM_TYPES = {"bf16": "bf16", "f8e4m3": "fp8", "f8e4m3fnuz": "fp8", "f16": "f16"}
DTYPES = {"bf16": BF16, "f8e4m3": torch.float8_e4m3fn, "f8e4m3fnuz": torch.float8_e4m3fnuz, "f16": torch.float16}
LAYOUTS = ("TN", "NN", "NT")
ALGORITHMS, WORKSPACE_BYTES = 12, 32 << 20  # of the vendor
SHARES = (2, 4, 8, 16)  # of k, that split-K is tried with
FINALISTS = 3  # of each side that are timed in turns


def gemm_shapes():
    """m, n and k, the most telling first: cubes, the products of a language model of 8 billion parameters, few rows, a long k."""
    shapes = [(n, n, n) for n in (4096, 8192, 2048, 1024)]
    shapes += [(m, n, k) for m in (2048, 8192) for n, k in ((28672, 4096), (4096, 14336), (6144, 4096), (4096, 4096))]
    shapes += [(m, n, k) for m in (16, 1, 64, 128) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336))]
    return shapes + [(4096, 4096, 16384)]


FEW_SHAPES = [(4096, 4096, 4096), (16, 14336, 4096)]  # where bench_gemm measures the others


def gemm_work(library, arguments, few):
    """As form_work(): every shape in each type and layout that a GPU of ours has kernels for, or a few in TN."""
    kernels = {}
    for name in library.kernels:
        words = name.split()
        if len(words) > 3 and words[1] in GEMM_TYPES and words[-1] in LAYOUTS:
            kernels.setdefault((words[1], words[-1]), []).append(name)
    shapes = [tuple(map(int, s.split("x"))) for s in arguments.shape] or (FEW_SHAPES if few else gemm_shapes())
    kinds = [kind for kind in GEMM_TYPES if (kind, "TN") in kernels] or ["bf16"]
    pairs = [(kind, "TN") for kind in kinds] + [("bf16", layout) for layout in LAYOUTS[1:] if not few]
    return [(f"gemm/{GEMM_TYPES[kind]}/{layout}/{'x'.join(map(str, shape))}",
             lambda k=kind, l=layout, s=shape: Gemm(k, l, *s).measure(library, kernels[k, l], arguments), (kind, layout) in kernels)
            for kind, layout in pairs for shape in shapes if layout != "NT" or shape[0] % 16 == 0]  # tensor copies take lines of 16 bytes


@functools.cache
def vendor_library():
    return LtLibrary(WORKSPACE_BYTES)


class Gemm:
    """D = A B with A [m, k], B [k, n] and D [m, n] by rows; A and B lie as the layout says (benchmark/gemm/problem.hpp)."""

    def __init__(self, kind, layout, m, n, k):
        self.kind, self.layout, self.m, self.n, self.k = kind, layout, m, n, k
        self.record = {"case": f"gemm/{GEMM_TYPES[kind]}/{layout}/{m}x{n}x{k}", "m": m, "n": n, "k": k, "type": GEMM_TYPES[kind],
                       "layout": layout, "operations": 2.0 * m * n * k}

    def make(self):
        def matrix(rows, columns):
            return (torch.rand(rows, columns, device="cuda") * 2 - 1).to(DTYPES[self.kind])

        a = matrix(self.m, self.k) if self.layout != "NT" else matrix(self.k, self.m).t()
        b = matrix(self.k, self.n) if self.layout != "TN" else matrix(self.n, self.k).t()
        return a, b, empty(self.m, self.n, dtype=DTYPES[self.kind] if self.record["type"] != "fp8" else BF16)

    def measure(self, library, kernels, arguments):
        record, one = self.record, self.make()
        record["bytes"] = sum(t.numel() * t.element_size() for t in one)
        sets = [one] + [self.make() for _ in range(max(1, min(31, math.ceil(CACHE_BYTES / record["bytes"]) - 1)))]
        self.expected = one[0].double() @ one[1].double()
        ours, theirs = [], []
        for kernel in kernels:
            for label, values in self.ways(library, kernel):
                name = "/".join([*record["case"].split("/")[:3], label])
                self.add(ours, f"tegula {name}", name, sets, lambda x, k=kernel, v=values: library.prepare_product(k, *x, v), arguments)
        for name, start in self.vendors(one):
            self.add(theirs, name, name, sets, lambda x, start=start: lambda: start(*x), arguments)
        self.expected = None
        if arguments.once:
            return finish(record, ours + theirs, arguments)
        return self.compare(ours, theirs, arguments)

    def ways(self, library, kernel):
        """A kernel's label, with the number of blocks that share k, and the members of its arguments that say so. k is shared
        where tiles of 128 x 128 are fewer than multiprocessors; elsewhere those kernels would only take time."""
        words = kernel.split()[2:-1]
        label = " ".join(words)
        if len(words) == 1:
            return [(label, {})]
        members = {m["name"] for m in library.describe(kernel)["members"]}
        multiprocessors = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if -(-self.m // 128) * -(-self.n // 128) >= multiprocessors:
            return []
        if words[-1] == "split-K":
            member = "splits" if "splits" in members else "plan.splits"
            return [(f"{label} {count}", {member: count}) for count in SHARES]
        if "workers" in members:
            return [(f"{label} {count}", {"workers": count}) for count in (multiprocessors, 2 * multiprocessors)]
        return [(label, {})]

    def vendors(self, one):
        """Names of the vendor's algorithms and of PyTorch, with functions that start them."""
        found = [("torch.matmul", product_by_torch())] if self.record["type"] != "fp8" or self.layout == "TN" else []
        try:
            lt = vendor_library()
            self.record["vendor_library"] = lt.name
            algorithms = lt.algorithms(*one, ALGORITHMS)
            return [(f"{lt.of.prefix} algorithm {i}", start) for i, start in enumerate(algorithms)] + found
        except (OSError, RuntimeError) as error:
            self.record.setdefault("failed", {})["cublasLt or hipBLASLt"] = str(error)[:300]
            return found

    def add(self, contenders, label, name, sets, prepare, arguments):
        """Adds a contender whose product is right. `name`: under which its failure stands."""
        if not is_wanted(label, arguments):
            return
        try:
            starts = [prepare(x) for x in sets]
            d = sets[0][2].fill_(math.nan)
            starts[0]()
            torch.cuda.synchronize()
            # The largest one tells of a single wrong element, which the whole hides.
            errors = {"d": relative_error(d, self.expected), "largest": ((d.double() - self.expected).abs().max() / self.expected.abs().max()).item()}
            if label.startswith("tegula"):
                self.record.setdefault("errors", {})[name] = errors
            elif not errors["d"] <= 0.1:
                raise RuntimeError(f"its product is wrong by {errors['d']:.3g}")
            contend(contenders, label, starts, arguments)
        except tegula_library.Unsupported as error:  # of a shape that another tile takes
            self.record.setdefault("refused", {})[name] = str(error)[:300]
        except RuntimeError as error:
            self.record.setdefault("failed", {})[name] = str(error)[:300]

    def compare(self, ours, theirs, arguments):
        """Each is timed once; the fastest of each side are timed in turns."""
        record, speed = self.record, lambda seconds: self.record["operations"] / seconds * 1e-12
        settle((ours or theirs)[:1], arguments)
        look = {c.name: c.replay() for c in ours + theirs}
        fastest = lambda side: sorted(side, key=lambda c: look[c.name])[:FINALISTS]
        first = [c for c in theirs if c.name.endswith(("algorithm 0", "torch.matmul"))]
        chosen = fastest(ours) + fastest(theirs)
        chosen += [c for c in first if c not in chosen]
        record["tiles"] = {c.name.rpartition("/")[2]: speed(look[c.name]) for c in ours}
        record["vendors"] = {c.name: speed(look[c.name]) for c in theirs}
        for c in ours + theirs:
            if c not in chosen:
                c.graph = c.starts = None
        finish(record, chosen, arguments)
        found, median = record["contenders"], lambda c: statistics.median(c.times)
        mine, rival = (min((c for c in chosen if c in side), key=median, default=None) for side in (ours, theirs))
        record["megahertz"] = megahertz(record["clock"])
        record["note"] = "the tile is the fastest of all: the library's interface does not tell choose_tile's"
        if mine:
            record.update(best_tile=mine.name.rpartition("/")[2], best_tflops=speed(median(mine)), spread=found[mine.name]["spread"],
                          roofline=found[mine.name]["roofline"])
        if rival:
            record.update(vendor_best=rival.name, vendor_best_tflops=speed(median(rival)), vendor_spread=found[rival.name]["spread"])
        if mine and rival:
            record["ratio"] = statistics.median(theirs / ours for ours, theirs in zip(mine.times, rival.times))
        return record
