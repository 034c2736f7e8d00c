"""attention and ops against PyTorch on the CPU, in float64: a reference that nobody here wrote.

O and its gradients against torch.nn.functional.scaled_dot_product_attention and its derivative, with a soft cap against
the formula in PyTorch's operations; convolution, softmax, norms, losses, sums, top-k, embeddings and mixtures of experts
against PyTorch's. Bounds are those of the programs' own tests. For attention they come of the NumPy formula in
_attention_model.py, which must agree with PyTorch first.

Without PyTorch: exit status 77 and a sentence.
"""

import random
import sys
import tempfile
from pathlib import Path

import numpy

from _attention_model import formula, rounded, worst_ratio
from _pairwise import pairwise_cases
from _program import ON_CPU, check, problems, program, runner

try:
    import torch
    from torch.nn import functional
    from torch.nn.attention.bias import causal_lower_right, causal_upper_left
except ImportError as error:
    torch = None
    why_not = error

TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
UNIT = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}

# The CPU's own kernels need AVX2.


def as_type(array, kind):
    """float64, rounded to the type by PyTorch."""
    return torch.from_numpy(numpy.float32(array)).to(getattr(torch, TYPES[kind])).double()


def device_of(arch):
    return "cpu" if arch == "host" else "emulator"


class Folder:
    """A folder of arrays for a program's options."""

    def __init__(self, path):
        self.path = Path(path)

    def file(self, name):
        return self.path / f"{name}.npy"

    def save(self, **arrays):
        """--name file for each of them."""
        words = []
        for name, array in arrays.items():
            numpy.save(self.file(name), array)
            words += [f"--{name}", self.file(name)]
        return words

    def load(self, name):
        return numpy.load(self.file(name))


# Attention

FORMS = {
    "all keys": {},
    "causal": {"causal": "bottom_right"},
    "causal, more keys than queries": {"causal": "bottom_right", "seq_q": 33, "seq_k": 97},
    "causal, from the top left": {"causal": "top_left", "seq_q": 70, "seq_k": 50},
    "window": {"window": (20, 10)},
    "causal window": {"causal": "bottom_right", "window": (17, -1), "seq_q": 40, "seq_k": 80},
    "bias": {"bias": True},
    "bias, causal": {"bias": True, "causal": "bottom_right", "heads": (4, 2)},
    "grouped heads": {"heads": (4, 2), "batch": 2},
    "one head of keys, causal": {"heads": (3, 1), "causal": "bottom_right"},
    "scale, d_v": {"scale": -0.3, "dims": (40, 72)},
    "128 columns": {"dims": (128, 128), "seq_q": 33},
    "soft cap": {"softcap": 1.5},
    "soft cap, causal, grouped": {"softcap": 1.5, "causal": "bottom_right", "heads": (2, 1)},
    "one query": {"seq_q": 1, "heads": (4, 1)},
}
DEFAULTS = {"batch": 1, "heads": (2, 2), "seq_q": 65, "seq_k": 65, "dims": (64, 64), "causal": None, "window": None,
            "scale": None, "softcap": 0.0, "bias": False}


def mask_of(form):
    """The mask as PyTorch takes it, and as booleans (queries, keys); None without a mask."""
    sizes = form["seq_q"], form["seq_k"]
    if form["window"]:
        left, right = form["window"]
        offset = 0 if form["causal"] == "top_left" else sizes[1] - sizes[0]
        seen = torch.ones(sizes, dtype=torch.bool).triu(offset - left)
        seen = seen.tril(offset + (0 if form["causal"] else right))
        return seen, seen
    if form["causal"]:
        aligned = (causal_lower_right if form["causal"] == "bottom_right" else causal_upper_left)(*sizes)
        return aligned, aligned._materialize()
    return None, None


def torch_attention(form, q, k, v, bias):
    """O and lse; soft caps are what scaled_dot_product_attention does not have."""
    grouped = form["heads"][0] != form["heads"][1]
    scale = None if form["scale"] is None else float(numpy.float32(form["scale"]))
    mask, seen = mask_of(form)
    group = form["heads"][0] // form["heads"][1]
    keys, values = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ keys.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = form["softcap"] * torch.tanh(scores / form["softcap"]) if form["softcap"] else scores
    scores = scores if bias is None else scores + bias
    scores = scores if seen is None else scores.masked_fill(~seen, -torch.inf)
    lse = torch.logsumexp(scores, -1).detach()
    if form["softcap"]:
        return torch.softmax(scores, -1) @ values, lse
    if bias is not None:
        mask = bias if seen is None else bias.masked_fill(~seen, -torch.inf)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=grouped), lse


def attention_words(form, arch, kind):
    words = ["--arch", arch, "--type", kind, "--device", device_of(arch), "--softcap", form["softcap"]]
    words += {"bottom_right": ["--causal"], "top_left": ["--causal-top-left"], None: []}[form["causal"]]
    words += ["--window", "{},{}".format(*form["window"])] if form["window"] else []
    return words + (["--scale", form["scale"]] if form["scale"] is not None else [])


def check_attention(name, arch, kind, folder, rng):
    form, run = DEFAULTS | FORMS[name], runner("attention")
    (heads, kv_heads), (dim, value_dim) = form["heads"], form["dims"]
    batch, queries, keys = form["batch"], form["seq_q"], form["seq_k"]
    shapes = {"q": (batch, heads, queries, dim), "k": (batch, kv_heads, keys, dim), "v": (batch, kv_heads, keys, value_dim)}
    shapes |= {"bias": (heads, queries, keys)} if form["bias"] else {}
    shapes |= {"dout": (batch, heads, queries, value_dim)}
    arrays = {x: rng.standard_normal(shape).astype("float32") for x, shape in shapes.items()}
    results = ["out", "lse", "dq", "dk", "dv"]
    files = [word for x in results for word in (f"--{x}", folder.file(f"result_{x}"))]
    status, _, error = run(*folder.save(**arrays), *files, *attention_words(form, arch, kind))
    what = f"attention, {name}, {arch}, {kind}"
    check(status == 0, f"{what}: exit status {status}: {error}")
    if status != 0:
        return

    q, k, v = (as_type(arrays[x], kind).requires_grad_() for x in "qkv")
    bias = torch.from_numpy(arrays["bias"]).double() if form["bias"] else None
    o, lse = torch_attention(form, q, k, v, bias)
    exact = [o.detach(), lse, *torch.autograd.grad(o, (q, k, v), as_type(arrays["dout"], kind))]

    options = {"causal": form["causal"], "window": form["window"], "scale": form["scale"], "softcap": form["softcap"],
               "bias": arrays["bias"].astype("float64") if form["bias"] else None,
               "d_o": rounded(arrays["dout"], kind)}
    inputs = [rounded(arrays[x], kind) for x in "qkv"]
    model = formula(*inputs, **options)
    low = formula(*inputs, intermediate=lambda x: rounded(x, kind), **options)
    for result, reference, of_model, of_type in zip(results, exact, model, low):
        reference, (value, size) = reference.numpy(), of_model
        # The model's scale is a float.
        agrees = value.shape == reference.shape and numpy.allclose(value, reference, 1e-6, 1e-6 * abs(size).max())
        check(agrees, f"{what}: {result} of the NumPy model is not PyTorch's")
        found = folder.load(f"result_{result}")
        ratio = worst_ratio(found, (reference, size), of_type)
        check(ratio <= 1 and found.dtype == numpy.float32, f"{what}: {result} is {ratio} times the bound from PyTorch's")


def check_attentions(folder, rng):
    """Both types on both vendors' emulated targets and, forward, on the CPU; each form in two or three of them."""
    targets = [("gfx942", "bf16"), ("sm_80", "f16"), ("gfx942", "f16"), ("sm_80", "bf16")]
    count = 0
    for i, name in enumerate(FORMS):
        places = [targets[i % 4], targets[(i + 1) % 4]]
        for arch, kind in places + ([("host", ("bf16", "f16")[i % 2])] if ON_CPU else []):
            check_attention(name, arch, kind, folder, rng)
            count += 1
    return count


# Operations


def ops(folder, operation, kind, arch, *words, **arrays):
    """The array in --out, or None after an error."""
    status, _, error = runner("ops")(operation, *folder.save(**arrays), "--out", folder.file("y"), "--type", kind, "--arch",
                                     arch, "--device", device_of(arch), *words)
    check(status == 0, f"{operation} {kind} {arch} {words}: exit status {status}: {error}")
    return folder.load("y") if status == 0 else None


def compare(found, expected, bound, what):
    """bound: a number or an array of errors that may be."""
    if found is None:
        return
    expected, bound = numpy.asarray(expected), numpy.asarray(bound)
    check(found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}")
    if found.shape == expected.shape:
        wrong = ~(abs(found - expected) <= bound)
        check(not wrong.any(), f"{what}: {wrong.sum()} of {wrong.size} differ from PyTorch's")


CONVOLUTIONS = {
    "arch": ["gfx942", "sm_80"],
    "type": ["f32", "f16", "bf16"],
    "size": [(7, 9), (12, 5)],
    "channels": [1, 3, 8],
    "filters": [1, 8, 5],
    "groups": [1, 2, 3],
    "filter": [(3, 3), (1, 1), (2, 4)],
    "stride": [(1, 1), (2, 2), (3, 1)],
    "padding": [(1, 1), (0, 0), (2, 3)],
    "dilation": [(1, 1), (2, 1), (1, 2)],
}


def fits(case):
    """The case, or None where the filter does not fit the padded image."""
    room = [n + 2 * p - d * (f - 1) for n, p, d, f in zip(*(case[x] for x in ("size", "padding", "dilation", "filter")))]
    return case if min(room) >= 1 else None


def check_convolutions(folder, rng):
    cases = list(pairwise_cases(CONVOLUTIONS, random.Random(4), fits))
    for case in cases:
        groups, kind = case["groups"], case["type"]
        x = rng.standard_normal((2, *case["size"], case["channels"] * groups)).astype("float32")
        w = rng.standard_normal((case["filters"] * groups, *case["filter"], case["channels"])).astype("float32")
        words = [y for name in ("stride", "padding", "dilation") for y in (f"--{name}", "{},{}".format(*case[name]))]
        found = ops(folder, "conv2d", kind, case["arch"], "--groups", groups, *words, **{"in": x}, weight=w)
        # NHWC and K x R x S x C here, NCHW and K x C x R x S there.
        images, filters = (as_type(a, kind).permute(0, 3, 1, 2) for a in (x, w))
        convolve = lambda a, b: functional.conv2d(a, b, stride=case["stride"], padding=case["padding"],
                                                  dilation=case["dilation"], groups=groups).permute(0, 2, 3, 1)
        terms = w[0].size
        compare(found, convolve(images, filters), (terms + 1) * 2.0**-23 * convolve(images.abs(), filters.abs()) + 1e-30,
                f"conv2d {case}")
    return len(cases)


def check_rows(kind, arch, folder, rng):
    """Operations on rows, and what must be near: 3e-6 of 1 + |y|, 3e-5 of norms."""
    def near(y, part=3e-6):
        return part * (1 + abs(numpy.asarray(y)))

    where = f"{kind}, {arch}"
    plain = rng.standard_normal((3, 5, 70)).astype("float32")
    x = as_type(plain, kind)
    for axis in (-1, 1):
        for name in ("softmax", "log_softmax"):
            y = getattr(torch, name)(x, axis)
            compare(ops(folder, name, kind, arch, "--axis", axis, **{"in": plain}), y, near(y), f"{name} {axis}, {where}")
    labels = rng.integers(0, 70, (3, 5))
    y = functional.cross_entropy(x.flatten(0, 1), torch.from_numpy(labels).flatten(), reduction="none").view(3, 5)
    compare(ops(folder, "cross_entropy", kind, arch, **{"in": plain}, labels=labels), y, near(y), f"cross_entropy, {where}")

    weight, bias, residual = (rng.standard_normal(n).astype("float32") for n in (70, 70, plain.shape))
    w, b = as_type(weight, kind), as_type(bias, kind)
    summed = as_type((x.float() + as_type(residual, kind).float()).numpy(), kind)
    for name, norm in (("layernorm", lambda a, *with_: functional.layer_norm(a, (70,), *with_, eps=1e-5)),
                       ("rmsnorm", lambda a, *with_: functional.rms_norm(a, (70,), *with_[:1], eps=1e-5))):
        y = norm(x)
        compare(ops(folder, name, kind, arch, **{"in": plain}), y, near(y, 3e-5), f"{name}, {where}")
        extra = {"weight": weight} | ({"bias": bias} if name == "layernorm" else {})
        y = norm(summed, w, b)
        compare(ops(folder, name, kind, arch, **{"in": plain}, residual=residual, **extra), y, near(y, 3e-5),
                f"{name} of a sum, {where}")


def check_largest(kind, arch, folder, rng):
    # No two elements of a row are equal, in any of the types.
    plain = numpy.stack([rng.permutation(64) for _ in range(6)]).astype("float32") / 8 - 3
    x = as_type(plain, kind)
    files = ["--k", 5, "--indices", folder.file("i")]
    found = ops(folder, "topk", kind, arch, *files, **{"in": plain})
    values, indices = torch.topk(x, 5)
    compare(found, values, 0, f"topk, {kind}, {arch}")
    compare(folder.load("i"), indices, 0, f"indices of topk, {kind}, {arch}")
    found = ops(folder, "topk_softmax", kind, arch, *files, **{"in": plain})
    values, indices = torch.topk(torch.softmax(x, -1), 5)
    y = values / values.sum(-1, keepdim=True)
    compare(found, y, 3e-6 * (1 + y), f"topk_softmax, {kind}, {arch}")
    compare(folder.load("i"), indices, 0, f"indices of topk_softmax, {kind}, {arch}")


def check_shapes(kind, arch, folder, rng):
    where = f"{kind}, {arch}"
    plain = rng.standard_normal((5, 37, 16)).astype("float32")
    x = as_type(plain, kind)

    def against(y, bound, what, operation, *words, **arrays):
        y = numpy.asarray(y)
        compare(ops(folder, operation, kind, arch, *words, **{"in": plain}, **arrays), y, bound * (1 + abs(y)),
                f"{what}, {where}")

    against(x.sum((0, 2)), 1e-4, "sum", "reduce", "--op", "sum", "--axes", "0,2")
    against(x.mean(1, keepdim=True), 1e-4, "mean", "reduce", "--op", "mean", "--axes", 1, "--keepdims")
    against(x.amax((1, 2)), 1e-4, "max", "reduce", "--op", "max", "--axes", "1,2")
    against(x.amin(0), 1e-4, "min", "reduce", "--op", "min", "--axes", 0)
    against(x.prod(2), 1e-4, "prod", "reduce", "--op", "prod", "--axes", 2)
    against(x.cumsum(1), 1e-4, "cumsum", "scan", "--axis", 1)
    against(x.cummax(2).values, 0, "cummax", "scan", "--op", "max", "--axis", 2)
    against(x.permute(2, 0, 1), 0, "permute", "permute", "--axes", "2,0,1")
    indices = rng.integers(0, 5, (3, 4))
    against(x[torch.from_numpy(indices)], 0, "gather", "gather", indices=indices)
    # The pair (i, i + d/2) as a complex number, turned.
    positions = rng.integers(0, 5000, 37)
    angles = torch.outer(torch.from_numpy(positions), 10000.0 ** (torch.arange(8).double() / -8))
    turned = torch.complex(x[..., :8], x[..., 8:]) * torch.polar(torch.ones_like(angles), angles)
    bound = {"f32": 1e-5, "f16": 2e-3, "bf16": 2e-2}[kind]
    against(torch.cat((turned.real, turned.imag), -1), bound, "rope", "rope", positions=positions)


def check_experts(kind, arch, folder, rng):
    """softmax over all experts, the k best of them renormalised, silu between two products."""
    for tokens, width, hidden, experts, k, matrix in ((33, 24, 40, 9, 2, True), (70, 5, 7, 4, 4, False), (1, 8, 16, 1, 1, True)):
        make = lambda *shape: rng.standard_normal(shape).astype("float32")
        x, gate = make(tokens, width), make(width if matrix else tokens, experts)
        w1, w2 = make(experts, width, hidden), make(experts, hidden, width)
        found = ops(folder, "moe", kind, arch, "--k", k, **{"in": x}, gate=gate, w1=w1, w2=w2)
        x, w1, w2 = (as_type(a, kind) for a in (x, w1, w2))
        scores = x @ as_type(gate, kind) if matrix else torch.from_numpy(gate).double()
        best, chosen = torch.topk(torch.softmax(scores, -1), k)
        weights = torch.zeros_like(scores).scatter(1, chosen, best / best.sum(-1, keepdim=True))
        between = functional.silu(torch.einsum("td,edh->teh", x, w1))
        y = torch.einsum("te,teh,ehd->td", weights, between, w2)
        # The error of `between`, divided by the type's unit.
        slack = between.abs() + torch.einsum("td,edh->teh", x.abs(), w1.abs()) * 2.0**-6
        unit = UNIT[kind] + 2.0**-24 * 2 * (width + hidden + 16)
        bound = unit * torch.einsum("te,teh,ehd->td", weights, slack, w2.abs()) + 1e-6
        compare(found, y, bound, f"moe of {tokens} tokens and {experts} experts, {kind}, {arch}")


def check_operations(folder, rng):
    """On both vendors' emulated targets and what there is on the CPU."""
    for arch, kind in (("gfx942", "bf16"), ("sm_80", "f16"), ("gfx942", "f32")):
        for one in (check_rows, check_largest, check_shapes, check_experts):
            one(kind, arch, folder, rng)
    if ON_CPU:
        check_rows("f32", "host", folder, rng)
        check_rows("bf16", "host", folder, rng)
        check_shapes("f32", "host", folder, rng)


def main():
    if torch is None:
        print(f"skipped: PyTorch is not importable ({why_not}); TEGULA_PYTHON names a Python that has it")
        return 77
    for name in ("attention", "ops"):
        if not program(name).exists():
            print(f"skipped: {name} is not built")
            return 77
    torch.set_num_threads(1)
    rng = numpy.random.default_rng(14)
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        attentions = check_attentions(folder, rng)
        convolutions = check_convolutions(folder, rng)
        check_operations(folder, rng)
    for problem in problems[:40]:
        print(problem)
    print(f"PyTorch {torch.__version__}: {attentions} attentions, {convolutions} convolutions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
