"""Kernels in Triton that beside_rivals.py compiles beside ours: attention forward and backward without a mask, softmax and layer
norm of rows that one block holds, a product whose operands lie along their rows and one along k. Written as Triton's own tutorials
write theirs: a running maximum and sum in base 2, rows padded to a power of two by masks.
"""

import re
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def attention(q, k, v, o, lse, head_stride, keys, scale, D: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """O = softmax2(scale Q K^T) V of one head; q, k, v and o [heads, length, D], lse [heads, length]."""
    first, head = tl.program_id(0) * QUERIES, tl.program_id(1)
    rows, columns = first + tl.arange(0, QUERIES), tl.arange(0, D)
    steps = tl.arange(0, KEYS)
    queries = tl.load(q + head * head_stride + rows[:, None] * D + columns[None, :])
    k_at = k + head * head_stride + steps[None, :] * D + columns[:, None]
    v_at = v + head * head_stride + steps[:, None] * D + columns[None, :]
    highest = tl.full((QUERIES,), float("-inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    output = tl.zeros((QUERIES, D), tl.float32)
    for _ in range(0, keys, KEYS):
        scores = tl.dot(queries, tl.load(k_at))
        raised = tl.maximum(highest, tl.max(scores, 1) * scale)
        powers = tl.math.exp2(scores * scale - raised[:, None])
        factor = tl.math.exp2(highest - raised)
        total = total * factor + tl.sum(powers, 1)
        output = tl.dot(powers.to(q.dtype.element_ty), tl.load(v_at), output * factor[:, None])
        highest = raised
        k_at += KEYS * D
        v_at += KEYS * D
    tl.store(o + head * head_stride + rows[:, None] * D + columns[None, :],
             (output / total[:, None]).to(o.dtype.element_ty))
    tl.store(lse + head * keys + rows, highest + tl.math.log2(total))


@triton.jit
def key_gradients(q, k, v, d_o, lse, delta, dk, dv, head_stride, queries, scale, D: tl.constexpr, ROWS: tl.constexpr,
                  COLUMNS: tl.constexpr):
    """dK and dV of ROWS keys of one head, COLUMNS queries at a time; lse in base 2, delta the row sums of dO O."""
    first, head = tl.program_id(0) * ROWS, tl.program_id(1)
    rows, columns, steps = first + tl.arange(0, ROWS), tl.arange(0, D), tl.arange(0, COLUMNS)
    at = head * head_stride + rows[:, None] * D + columns[None, :]
    keys, values = tl.load(k + at), tl.load(v + at)
    of_keys, of_values = tl.zeros((ROWS, D), tl.float32), tl.zeros((ROWS, D), tl.float32)
    q_at = q + head * head_stride + steps[None, :] * D + columns[:, None]
    d_o_at = d_o + head * head_stride + steps[:, None] * D + columns[None, :]
    for start in range(0, queries, COLUMNS):
        across, d_outputs = tl.load(q_at), tl.load(d_o_at)
        normalizers = tl.load(lse + head * queries + start + steps)
        deltas = tl.load(delta + head * queries + start + steps)
        weights = tl.math.exp2(tl.dot(keys, across) * scale - normalizers[None, :])
        of_values = tl.dot(weights.to(d_outputs.dtype), d_outputs, of_values)
        d_scores = weights * (tl.dot(values, tl.trans(d_outputs)) - deltas[None, :])
        of_keys = tl.dot(d_scores.to(across.dtype), tl.trans(across), of_keys)
        q_at += COLUMNS * D
        d_o_at += COLUMNS * D
    tl.store(dk + at, (of_keys * scale).to(dk.dtype.element_ty))
    tl.store(dv + at, of_values.to(dv.dtype.element_ty))


@triton.jit
def query_gradients(q, k, v, d_o, lse, delta, dq, head_stride, keys, scale, D: tl.constexpr, ROWS: tl.constexpr,
                    COLUMNS: tl.constexpr):
    """dQ of ROWS queries of one head, COLUMNS keys at a time."""
    first, head = tl.program_id(0) * ROWS, tl.program_id(1)
    rows, columns, steps = first + tl.arange(0, ROWS), tl.arange(0, D), tl.arange(0, COLUMNS)
    at = head * head_stride + rows[:, None] * D + columns[None, :]
    queries, d_outputs = tl.load(q + at), tl.load(d_o + at)
    normalizers, deltas = tl.load(lse + head * keys + rows), tl.load(delta + head * keys + rows)
    of_queries = tl.zeros((ROWS, D), tl.float32)
    k_at = k + head * head_stride + steps[None, :] * D + columns[:, None]
    v_at = v + head * head_stride + steps[None, :] * D + columns[:, None]
    for _ in range(0, keys, COLUMNS):
        across = tl.load(k_at)
        weights = tl.math.exp2(tl.dot(queries, across) * scale - normalizers[:, None])
        d_scores = weights * (tl.dot(d_outputs, tl.load(v_at)) - deltas[:, None])
        of_queries = tl.dot(d_scores.to(across.dtype), tl.trans(across), of_queries)
        k_at += COLUMNS * D
        v_at += COLUMNS * D
    tl.store(dq + at, (of_queries * scale).to(dq.dtype.element_ty))


@triton.jit
def softmax(x, y, stride, length, SIZE: tl.constexpr):
    """A row of y = softmax of a row of x a block."""
    row, at = tl.program_id(0), tl.arange(0, SIZE)
    values = tl.load(x + row * stride + at, mask=at < length, other=float("-inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row * stride + at, (powers / tl.sum(powers, 0)).to(y.dtype.element_ty), mask=at < length)


@triton.jit
def layernorm(x, y, weight, bias, stride, length, epsilon, SIZE: tl.constexpr):
    """A row of y = (x - mean) / sqrt(variance + epsilon) * weight + bias a block."""
    row, at = tl.program_id(0), tl.arange(0, SIZE)
    inside = at < length
    values = tl.load(x + row * stride + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, 0) / length
    centred = tl.where(inside, values - mean, 0.0)
    inverse = tl.rsqrt(tl.sum(centred * centred, 0) / length + epsilon)
    w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(bias + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * stride + at, (centred * inverse * w + b).to(y.dtype.element_ty), mask=inside)


@triton.jit
def product(a, b, c, length, SIZE: tl.constexpr):
    """C = A B of one block, C [SIZE, SIZE]; a [length, SIZE] and b [length, SIZE] have the elements of one k together."""
    i, steps = tl.arange(0, SIZE), tl.arange(0, SIZE)
    sums = tl.zeros((SIZE, SIZE), tl.float32)
    for first in range(0, length, SIZE):
        x = tl.load(a + (first + steps)[None, :] * SIZE + i[:, None])
        y = tl.load(b + (first + steps)[:, None] * SIZE + i[None, :])
        sums = tl.dot(x, y, sums)
    tl.store(c + i[:, None] * SIZE + i[None, :], sums)


@triton.jit
def product_along_k(a, b, c, length, stride, c_stride, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A tile [M, N] of C = A B^T a block; a and b have rows of length elements, stride apart, whole tiles."""
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    steps = tl.arange(0, K)
    a_at = a + i[:, None] * stride + steps[None, :]
    b_at = b + j[None, :] * stride + steps[:, None]
    sums = tl.zeros((M, N), tl.float32)
    for _ in range(0, length, K):
        sums = tl.dot(tl.load(a_at), tl.load(b_at), sums)
        a_at += K
        b_at += K
    tl.store(c + i[:, None] * c_stride + j[None, :], sums)


KINDS = {"bf16": "bf16", "f16": "fp16", "fp8": "fp8e4nv"}  # our names, Triton's
SCALARS = {"length": "i32", "stride": "i32", "c_stride": "i32", "head_stride": "i32", "keys": "i32", "scale": "fp32", "epsilon": "fp32",
           "queries": "i32"}


def compile_triton(kernel, kind, constants, arch, warps, stages=2, matrix_rows=0):
    """Pointers are of that kind but for lse and c, and all of them and all integers multiples of 16, as ours are. matrix_rows: of AMD's
    matrix instruction, 16 or 32; 0 leaves it to Triton."""
    signature = {name: "constexpr" if name in constants else SCALARS.get(name) or
                 ("*fp32" if name in ("lse", "delta", "c") else f"*{KINDS[kind]}") for name in kernel.arg_names}
    attributes = {(i,): [["tt.divisibility", 16]] for i, word in enumerate(signature.values())
                  if word.startswith("*") or word == "i32"}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32) if arch.startswith("gfx") else \
        GPUTarget("cuda", int(re.search(r"\d+", arch)[0]), 32)
    options = {"num_warps": warps, "num_stages": stages} | ({"matrix_instr_nonkdim": matrix_rows} if matrix_rows else {})
    return triton.compile(source, target=target, options=options)


def find_nvdisasm():
    """The disassembler that Triton brings."""
    return Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
