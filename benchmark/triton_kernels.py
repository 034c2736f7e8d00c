"""Kernels in Triton that beside_triton.py compiles beside ours: attention forward without a mask, softmax and layer
norm of rows that one block holds, a product whose operands lie along their rows and one along k. Written as Triton's own tutorials write theirs: a running maximum and sum in base 2, rows
padded to a power of two by masks.
"""

import triton
import triton.language as tl


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
