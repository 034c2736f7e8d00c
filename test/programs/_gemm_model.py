"""The results that `gemm` must compute, in NumPy: inputs rounded as --type says, the product and its error bound in float64."""

import math

import numpy

TF32_INSTRUCTION = {"gfx942", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"}
FP8 = {"gfx942": (8, 240.0), "gfx950": (7, 448.0), "gfx1201": (7, 448.0), "gfx1250": (7, 448.0), "sm_89": (7, 448.0), "sm_90a": (7, 448.0),
       "sm_100a": (7, 448.0), "sm_103a": (7, 448.0), "sm_120a": (7, 448.0), "x86_avx2": (7, 448.0),
       "x86_avx512": (7, 448.0)}  # exponent bias, largest number


def round_bits(x, dropped):
    """float32 without its last `dropped` bits, to nearest, ties to even."""
    bits = x.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    rounded = (bits + (1 << (dropped - 1)) - 1 + ((bits >> dropped) & 1)) & ~numpy.uint64((1 << dropped) - 1)
    result = (rounded & 0xffffffff).astype(numpy.uint32).view(numpy.float32)
    return numpy.where(numpy.isnan(x), x, result)


def round_fp8(x, arch):
    return round_float8(x, 3, *FP8[arch])


def round_float8(x, mantissa, bias, largest):
    """To a format of so many bits of mantissa, to the largest number past it."""
    x = x.astype(numpy.float64)
    exponent = numpy.floor(numpy.log2(numpy.maximum(numpy.abs(x), 2.0 ** (1 - bias))))
    step = 2.0 ** (exponent - mantissa)
    return numpy.clip(numpy.rint(x / step) * step, -largest, largest)


def rounded(x, kind, arch):
    """The inputs as they are multiplied. gfx90a takes subnormals of 16 bits for zero."""
    x = x.astype(numpy.float32)
    if kind == "f16":
        with numpy.errstate(over="ignore"):
            x = x.astype(numpy.float16)
    elif kind == "bf16":
        x = round_bits(x, 16)
    elif kind == "tf32" and arch in TF32_INSTRUCTION:
        x = round_bits(x, 13)
    elif kind == "fp8_e4m3":
        x = round_fp8(x, arch)
    elif kind == "int8":
        x = numpy.clip(numpy.rint(x), -128, 127)
    if arch == "gfx90a" and kind in ("f16", "bf16"):
        x = numpy.where(abs(x) < (2.0**-14 if kind == "f16" else 2.0**-126), 0, x)
    return x.astype(numpy.float64)


def activate(x, name):
    with numpy.errstate(all="ignore"):
        if name == "relu":
            return numpy.where(x < 0, 0, x)
        if name == "gelu":
            phi = numpy.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), otypes=[float])(x)
            return numpy.where(x == -numpy.inf, 0, x * phi)
        if name == "silu":
            return numpy.where(x == -numpy.inf, 0, x / (1 + numpy.exp(-x)))
    return x


def expected(a, b, kind, arch, alpha=1.0, beta=0.0, c=None, bias=None, activation="none"):
    """The product and how far a result may be from it, element by element."""
    a, b = rounded(a, kind, arch), rounded(b, kind, arch)
    k = a.shape[-1] if alpha != 0 else 0
    alpha, beta = float(numpy.float32(alpha)), float(numpy.float32(beta))
    with numpy.errstate(all="ignore"):
        value = alpha * (a @ b) if k > 0 else 0 * (a[..., :1, :0] @ b[..., :0, :]) + numpy.zeros(
            numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1]))
        magnitude = abs(alpha) * (abs(a) @ abs(b)) if k > 0 else numpy.zeros_like(value)
        if beta != 0:
            value = value + beta * c.astype(numpy.float64)
            magnitude = magnitude + abs(beta * c.astype(numpy.float64))
        if bias is not None:
            value = value + bias.astype(numpy.float64)
            magnitude = magnitude + abs(bias.astype(numpy.float64))
    if kind == "int8":
        return value, numpy.zeros_like(value)
    slope, evaluation = (1.13, 16) if activation in ("gelu", "silu") else (1, 0)
    bound = (slope * (k + 4) * 1.01 + evaluation) * 2.0**-24 * magnitude + (k + 4) * 2.0**-126
    return activate(value, activation), bound


def worst_ratio(result, value, bound):
    """Largest |error| / bound; what is not finite must be the same."""
    finite = numpy.isfinite(value) & numpy.isfinite(bound)
    if result.shape != value.shape or not numpy.array_equal(numpy.isnan(result), numpy.isnan(value)):
        return math.inf
    infinite = numpy.isinf(value)
    if not numpy.array_equal(result[infinite], value[infinite].astype(result.dtype)):
        return math.inf
    if not finite.any():
        return 0.0
    error = numpy.abs(result[finite].astype(numpy.float64) - value[finite])
    return float(numpy.max(numpy.where(error == 0, 0, error / numpy.maximum(bound[finite], 1e-300))))
