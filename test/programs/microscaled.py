"""`gemm` of operands in Microscaling formats and NVFP4: --quantized-a and --quantized-b against the formats' definition in
NumPy, C against the product of what they hold in float64."""

import json
import sys
import tempfile
from pathlib import Path

import numpy

from _program import FULL, ON_CPU, archs_of, check, problems, runner

run = runner("gemm")
# Mantissa bits, exponent of the smallest normal number, largest number.
FORMATS = {"mxfp8_e4m3": (3, -6, 448.0), "mxfp6_e2m3": (3, 0, 7.5), "mxfp4": (1, 0, 6.0)}

# k of an instruction, which rounds its sum into the accumulator.
STEPS = {"gfx950": 128, "gfx1250": 128, "sm_100a": 32, "sm_103a": 32, "sm_120a": 32}
if ON_CPU:
    STEPS["x86_avx2"] = 1


def quantized(x, kind):
    """Microscaling Formats 1.0, 6.3, along the last axis: X = 2^(floor(log2(max |v|)) - emax), elements rounded to
    nearest even and saturated."""
    mantissa, least, largest = FORMATS[kind]
    k = x.shape[-1]
    blocks = numpy.zeros((*x.shape[:-1], -(-k // 32) * 32))
    blocks[..., :k] = x
    blocks = blocks.reshape(*x.shape[:-1], -1, 32)
    most = numpy.abs(blocks).max(axis=-1, keepdims=True)
    with numpy.errstate(divide="ignore"):
        exponent = numpy.floor(numpy.log2(most)) - numpy.floor(numpy.log2(largest))
    scale = 2.0 ** numpy.clip(exponent, -127, 127)
    v = blocks / scale
    step = 2.0 ** (numpy.floor(numpy.log2(numpy.maximum(numpy.abs(v), 2.0**least))) - mantissa)
    v = numpy.clip(numpy.rint(v / step) * step, -largest, largest)
    return (v * scale).reshape(*x.shape[:-1], -1)[..., :k]


def quantized_nvfp4(x):
    """NVFP4 along the last axis, in float32 as the library has it: the tensor's scale is max |x| / (448 * 6) but at least
    2^-126, that of 16 elements max / 6 over it as e4m3, elements are e2m1."""
    f = numpy.float32
    x = x.astype(f)
    most = numpy.abs(x).max(initial=0)
    tensor = max(f(most / f(448 * 6)), f(2.0**-126)) if most > 0 else f(1)
    k = x.shape[-1]
    blocks = numpy.zeros((*x.shape[:-1], -(-k // 16) * 16), f)
    blocks[..., :k] = x
    blocks = blocks.reshape(*x.shape[:-1], -1, 16)

    def nearest(v, mantissa, least, largest):
        step = 2.0 ** (numpy.floor(numpy.log2(numpy.maximum(numpy.abs(v), 2.0**least))) - mantissa)
        return numpy.clip(numpy.rint(v / step) * step, -largest, largest)

    scale = nearest((numpy.abs(blocks).max(axis=-1, keepdims=True) / f(6) / tensor).astype("float64"), 3, -6, 448.0)
    divisor = numpy.where(scale == 0, f(1), scale.astype(f) * tensor)
    v = numpy.where(scale == 0, 0, nearest((blocks / divisor).astype("float64"), 1, 0, 6.0))
    return (v * scale * float(tensor)).astype(f).reshape(*x.shape[:-1], -1)[..., :k]


def check_product(folder, arch, kind, shape_a, shape_b, *words, exact=False, size=1):
    rng = numpy.random.default_rng(len(problems) + shape_a[-1])
    a, b = (rng.integers(-4, 5, s).astype("float32") if exact else
            (size * rng.standard_normal(s) * 2.0 ** rng.integers(-20, 20, s)).astype("float32") for s in (shape_a, shape_b))
    numpy.save(folder / "a.npy", a)
    numpy.save(folder / "b.npy", b)
    status, text, error = run("--a", folder / "a.npy", "--b", folder / "b.npy", "--type", kind, "--arch", arch,
                              "--out", folder / "c.npy", "--quantized-a", folder / "qa.npy", "--quantized-b",
                              folder / "qb.npy", "--verify", "--json", *words)
    what = f"{arch} {kind} {shape_a} x {shape_b} {words}"
    check(status == 0, f"{what}: status {status}, {error}")
    if status != 0:
        return
    c, qa, qb = (numpy.load(folder / f"{name}.npy") for name in ("c", "qa", "qb"))
    rule = quantized_nvfp4 if kind == "nvfp4" else lambda x: quantized(x.astype("float64"), kind)
    check(qa.dtype == numpy.float32 and (qa == rule(a)).all(), f"{what}: A as quantised")
    check((qb == rule(b.swapaxes(-1, -2)).swapaxes(-1, -2)).all(),
          f"{what}: B as quantised")
    value, bound = qa.astype("float64") @ qb, numpy.abs(qa.astype("float64")) @ numpy.abs(qb)
    bound *= 0 if exact else 2.0**-24 * (a.shape[-1] / STEPS[arch] + (6 if kind == "nvfp4" else 2))
    bound += 0 if size == 1 else 2.0**-126  # what may be flushed to 0
    check((numpy.abs(c - value) <= bound).all(), f"{what}: C is off by {numpy.abs(c - value).max()}")
    check(json.loads(text)["type"] == kind, f"{what}: {text}")


def check_refusals(folder):
    data = ["--m", 4, "--n", 4, "--k", 4]
    for words, said in (([*data, "--type", "mxfp4", "--arch", "gfx942"], "sm_100a"),
                        ([*data, "--type", "bf16", "--quantized-a", folder / "q.npy"], "mxfp8_e4m3"),
                        ([*data, "--type", "mxfp4", "--quantized-a", folder / "q.npy", "--quantized-b", folder / "q.npy"],
                         "give two"),
                        ([*data, "--type", "mxfp4", "--launch-plan"], "bf16")):
        status, _, error = run(*words)
        check(status == 2 and error.count("\n") == 1 and said in error, f"{words}: status {status}, {error}")
        check(not (folder / "q.npy").exists(), f"{words}: a file was written")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Without --full the CPU has every format, and one GPU, for which the program compiles its kernel, has one.
        archs = [arch for arch in STEPS if FULL or arch in ("gfx950", "x86_avx2")]
        for arch in archs:
            for kind in FORMATS if FULL or arch.startswith("x86") else ["mxfp4"]:
                check_product(folder, arch, kind, (70, 700), (700, 33))
                check_product(folder, arch, kind, (5, 300), (300, 140), "--layout-a", "col", "--layout-b", "col",
                              exact=True)
            check_product(folder, arch, "mxfp4", (3, 1), (1, 4))
            check_product(folder, arch, "mxfp4", (3, 0), (0, 4), exact=True)
            check_product(folder, arch, "mxfp4", (2, 9, 64), (64, 17), exact=True)
        for arch in [*(archs_of("gemm", type="nvfp4") if FULL else []), *(a for a in STEPS if a.startswith("x86"))]:
            check_product(folder, arch, "nvfp4", (70, 700), (700, 33))
            check_product(folder, arch, "nvfp4", (2, 5, 300), (300, 140), "--layout-a", "col")
            check_product(folder, arch, "nvfp4", (3, 0), (0, 4))
            check_product(folder, arch, "nvfp4", (3, 32), (32, 4), size=1e-24)  # the product of the tensors' scales is no float
        check_refusals(folder)
    print("\n".join(problems) or "products and operands are as the formats say")
    return 1 if problems else 0


sys.exit(main())
