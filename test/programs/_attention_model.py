"""The results that `attention` must compute, in NumPy: float64, inputs rounded as --type says, and the error bound."""

import math

import numpy

from _gemm_model import round_bits


def rounded(x, kind):
    x = numpy.asarray(x, numpy.float32)
    if kind == "f16":
        return x.astype(numpy.float16).astype(numpy.float64)
    return round_bits(x, 16).astype(numpy.float64)


def identity(x):
    return x


def visible(queries, keys, causal=None, window=None):
    """Which keys each query sees. causal: None, "bottom_right" or "top_left"; window: (left, right), negative: all."""
    left, right = window or (-1, -1)
    right = 0 if causal else right
    diagonal = numpy.arange(queries)[:, None] + (0 if causal == "top_left" else keys - queries)
    key = numpy.arange(keys)[None, :]
    seen = numpy.ones((queries, keys), bool)
    if left >= 0:
        seen &= key >= diagonal - left
    if right >= 0:
        seen &= key <= diagonal + right
    return seen


def philox(counter, key, rounds):
    """Philox4x32 of Salmon et al. (2011), section 3.3: four arrays of 32 random bits each, of as many of a counter."""
    counter, key = [numpy.asarray(x, numpy.uint64) for x in counter], [int(x) for x in key]
    low = numpy.uint64(0xffffffff)
    for _ in range(rounds):
        x, y = counter[0] * numpy.uint64(0xd2511f53), counter[2] * numpy.uint64(0xcd9e8d57)
        counter = [(y >> numpy.uint64(32)) ^ counter[1] ^ numpy.uint64(key[0]), y & low,
                   (x >> numpy.uint64(32)) ^ counter[3] ^ numpy.uint64(key[1]), x & low]
        key = [(key[0] + 0x9e3779b9) % 2**32, (key[1] + 0xbb67ae85) % 2**32]
    return counter


def dropout_factors(heads, queries, keys, threshold, offset, seed, sequence=0):
    """Factors by which dropout multiplies the probabilities [heads, queries, keys] of a sequence.

    As kernel/attention/dropout.hpp says: a block of seven rounds for eight keys of a query, two in each word.
    """
    head, query, key = numpy.ogrid[sequence * heads:(sequence + 1) * heads, :queries, :keys]
    shape = numpy.broadcast(head, query, key).shape
    group = numpy.broadcast_to(key // 32 * 4 + key % 8 // 2, shape)
    words = philox((group, numpy.broadcast_to(query, shape), numpy.broadcast_to(head, shape), numpy.full(shape, offset)),
                   (seed % 2**32, seed // 2**32), 7)
    words = numpy.choose(key % 32 // 8, words) >> (key % 2 * 16).astype(numpy.uint64) & numpy.uint64(0xffff)
    return numpy.where(words >= threshold, 65536 / (65536 - threshold), 0.0)


def formula(q, k, v, d_o=None, scale=None, softcap=0.0, bias=None, causal=None, window=None, sinks=None, kept=None,
            with_scores=False, given_o=None, intermediate=identity):
    """O and lse. With dO also dQ, dK and dV, then dsink if there are sinks [heads], and with_scores the gradient of the scores.

    Each comes with the size against which the error of its sums is measured. Every tensor of the formula goes through
    `intermediate`. kept: factors of the probabilities behind the sums, as dropout_factors gives them. given_o: the O of the
    forward pass that gradients take as an input, else this one's.
    """
    heads, group = q.shape[1], q.shape[1] // max(k.shape[1], 1)
    scale = float(numpy.float32(1 / math.sqrt(q.shape[3]) if scale is None else scale))
    keys, values = numpy.repeat(k, group, 1), numpy.repeat(v, group, 1)
    with numpy.errstate(all="ignore"):
        raw = intermediate(scale * intermediate(q @ keys.swapaxes(2, 3)))
        score = intermediate(softcap * numpy.tanh(raw / softcap)) if softcap else raw
        if bias is not None:
            score = intermediate(score + bias)
        seen = visible(q.shape[2], k.shape[2], causal, window)
        score = numpy.where(seen, score, -numpy.inf)
        sink = numpy.full((heads, 1, 1), -numpy.inf) if sinks is None else numpy.reshape(sinks, (heads, 1, 1))
        largest = numpy.maximum(numpy.max(score, -1, keepdims=True, initial=-numpy.inf), sink)
        weights = numpy.where(score == -numpy.inf, 0, numpy.exp(score - numpy.where(largest == -numpy.inf, 0, largest)))
        total = weights.sum(-1, keepdims=True) + numpy.where(sink == -numpy.inf, 0, numpy.exp(sink - largest))
        lse = numpy.where(total == 0, -numpy.inf, largest + numpy.log(total))[..., 0]
        p = intermediate(numpy.where(total == 0, 0, weights / total))
        kept = 1 if kept is None else kept
        with_values = intermediate(p * kept)
        # 0 * NaN: what a query does not see takes no part.
        o = intermediate(numpy.where(with_values[..., None] == 0, 0, with_values[..., None] * values[:, :, None]).sum(3))
        if d_o is None:
            return (o, o), (lse, lse)
        d_p = intermediate(kept * (d_o @ values.swapaxes(2, 3)))
        # As kernels have it: of an O that was rounded it is not the sum of P dP, least of all where a query sees one key.
        delta = ((o if given_o is None else given_o) * d_o).sum(-1, keepdims=True)
        d_s = intermediate(p * (d_p - delta))
        size = p * (abs(d_p) + abs((p * d_p).sum(-1, keepdims=True)))
        slope = scale * (1 - numpy.tanh(raw / softcap) ** 2) if softcap else scale
        shape = (q.shape[0], k.shape[1], group, *k.shape[2:3], -1)

        def of_keys(x):
            return x.reshape(shape).sum(2)

        d_q, d_q_size = (slope * d_s) @ keys, (abs(slope) * size) @ abs(keys)
        d_k = of_keys((slope * d_s).swapaxes(2, 3) @ q)
        d_k_size = of_keys((abs(slope) * size).swapaxes(2, 3) @ abs(q))
        d_v = intermediate(of_keys(with_values.swapaxes(2, 3) @ d_o))
        # The sink's probability weighs nothing: of P (dP - delta) it has dP = 0.
        p_sink = numpy.exp(sink[..., 0] - lse) if sinks is not None else 0
        d_sink, d_sink_size = (-(p_sink * x).sum((0, 2)) for x in (delta[..., 0], -(p * abs(d_p)).sum(-1)))
    gradients = (intermediate(d_q), d_q_size), (intermediate(d_k), d_k_size), (d_v, d_v)
    return ((o, o), (lse, lse), *gradients, *([] if sinks is None else [(d_sink, d_sink_size)]),
            *([(d_s, size)] if with_scores else []))


def worst_ratio(result, exact, rounded_result):
    """The largest error by the bound: twice the worst error of the formula in the inputs' type, and 2^-17 of the
    largest element, with the absolute values of its terms. Elements that are not finite must be the same."""
    (exact, size), (rounded_result, _) = exact, rounded_result
    finite = numpy.isfinite(exact)
    if result.shape != exact.shape or not numpy.array_equal(result[~finite].astype(float), exact[~finite], equal_nan=True):
        return math.inf
    if not finite.any():
        return 0.0
    both = finite & numpy.isfinite(rounded_result)
    worst = numpy.max(abs(rounded_result[both] - exact[both]), initial=0)
    bound = 2 * worst + 2.0**-17 * numpy.max(abs(size[numpy.isfinite(size)])) + 2.0**-126
    error = abs(result[finite].astype(float) - exact[finite])
    return float(numpy.max(error / bound)) if numpy.isfinite(error).all() else math.inf
