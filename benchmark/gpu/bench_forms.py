"""bench.py's cases of products other than bench_gemm's, convolutions, losses and gradients of operations on rows."""

import math

import torch
from timing import CACHE_BYTES, contend, finish, relative_error

BF16 = torch.bfloat16


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
                   lambda x: [x["a"], x["b"], x["c"], x["sa"], x["sb"]], expected, {"cublas": vendor}, 2.0 * m * n * k)


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

    rivals = {"int4pack": by_pytorch, "cublas bf16": lambda x: x["a"] @ x["bf16"].t()}
    return Problem(f"weights/int4/{m}x{n}x{k}", "weights/int4/bf16", [m, n, k], make, lambda x: [x["a"], x["b"], x["c"], x["s"]],
                   lambda x: {"c": x["a"].double() @ (weights(x) * x["s"].t().double().repeat_interleave(128, 1)).t()}, rivals,
                   2.0 * m * n * k, moved=2 * m * (n + k) + n * k // 2 + 2 * n * k // 128)


def int8_weights(m, n, k):
    """bf16 by weights of 8 bits without scales."""

    def make():
        b = torch.randint(-128, 128, (n, k), device="cuda", dtype=torch.int8)
        return {"a": random(m, k), "b": b, "c": empty(m, n), "s": torch.ones(n, device="cuda", dtype=BF16), "bf16": b.to(BF16)}

    rivals = {"int8pack": lambda x: torch.ops.aten._weight_int8pack_mm(x["a"], x["b"], x["s"]),
              "cublas bf16": lambda x: x["a"] @ x["bf16"].t()}
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
                   lambda x: [x[name] for name in pointers], expected, {"cudnn": run}, 2.0 * images * out * out * filters * channels * taps**2)


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
    """Name of each case that the library has an operation for, and a function that gives its record."""
    return [(problem.name, lambda p=problem: p.measure(library, arguments)) for problem in (make() for make in problems())
            if any(name.startswith(problem.prefix + "/") for name in library.names)]
