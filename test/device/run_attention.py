"""Runs the machine code of attention kernels on a machine without a GPU: code objects of attention_split.cpp, where keys
are split and heads packed, attention_latent.cpp, attention_fp8.cpp, attention_append.cpp, attention_f16.cpp,
attention_scores.cpp, attention_backward.cpp, attention_backward_wide.cpp and attention_backward_lists.cpp.

Results are compared with the formula in float64 (test/programs/_attention_model.py), within the bounds of the program's
tests. Memory is late and waves take turns from either end; --orders N adds random ones. Between rows and around
tensors lies NaN, which kernels must neither use nor overwrite.
"""

import argparse
import re
import sys
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE / "isa"), str(HERE), str(HERE.parent / "programs")]
import machine  # noqa: E402
from _attention_arguments import (Alibi, Append, Capped, Dropout, Lists, Pages, Rotary, Scale, Scores,  # noqa: E402
                                  Split, Stored, bits_of, numbers_of, plain_argument, symbol_of)
from _attention_gradients import SHARED_BYTES, check_gradients, check_list_gradients  # noqa: E402
from _attention_model import dropout_factors, formula, rounded, worst_ratio  # noqa: E402
from _gemm_model import round_fp8  # noqa: E402
from _machine_code import FP8_ARCH, decode_fp8  # noqa: E402

# Of a kernel's mangled name: the queries of its tile, which stand behind those of its instruction.
TILE_ROWS = re.compile(r"EEELi(\d+)E")


class Run:
    """A code object and how its kernels run."""

    def __init__(self, path, policy, order):
        self.code, self.policy, self.order = machine.CodeObject(path), policy, order
        self.arch, self.lanes = self.code.arch, self.code.lanes

    def numbers(self, values, kind):
        """An array in memory: its addr, its size in bytes and read()."""
        array = numpy.ascontiguousarray(values, kind)
        memory = machine.DeviceMemory(array.nbytes)
        memory.write(array.tobytes())
        return memory

    def kernels(self):
        return list(self.code.metadata)

    def launch(self, part, blocks, argument):
        """The kernel of that name; of several the one for 128 columns."""
        self.launch_symbol(symbol_of(part, self.kernels()), blocks, argument,
                           SHARED_BYTES if part != "append" and part != "sum" else 0)

    def launch_symbol(self, symbol, blocks, argument, shared):
        if self.arch == "gfx950" and shared:  # whose tiles are larger
            shared = 163840
        kernel = self.code.kernel(symbol)
        threads = kernel.metadata["max_flat_workgroup_size"]
        kernel.launch((blocks,), (threads,), [bytes(argument)], shared, self.policy, self.order)


def problem_of(rng, queries, keys, heads, kv_heads, columns, batch=1):
    return (rng.standard_normal((batch, heads, queries, columns)), rng.standard_normal((batch, kv_heads, keys, columns)),
            rng.standard_normal((batch, kv_heads, keys, columns)))


def compare(what, results, q, k, v, kind, **options):
    """Sentences on what is wrong: O and lse."""
    wrong = []
    exact = formula(q, k, v, **options)
    low = formula(q, k, v, intermediate=lambda x: rounding(x, kind), **options)
    for name, result, e, l in zip(("O", "lse"), results, exact, low):
        if not (ratio := worst_ratio(result, e, l)) <= 1:
            wrong.append(f"{what}: {name} is {ratio} times its bound off")
    return wrong


def rounding(x, kind):
    return round_fp8(x, FP8_ARCH[kind]) if kind in FP8_ARCH else rounded(x, kind)


def check_packed(run, rng, kind, shape, columns, tile_columns, page, causal=None, value_columns=None):
    """Packed heads over a paged cache, 3 shares and their sum. Values are the first `value_columns` of the keys if that is
    given, and have the keys' number else. shape: queries, keys, heads of Q and K."""
    (queries, keys, heads, kv_heads), splits = shape, 3
    q, k, v = (rounded(x, kind) for x in problem_of(rng, queries, keys, heads, kv_heads, columns))
    pages = -(-keys // page)
    order = list(range(pages, 0, -1))  # page 0 is nobody's

    def paged(x):
        cache = numpy.full((pages + 1, kv_heads, page, columns), numpy.nan)
        for p, at in enumerate(order):
            part = x[0, :, p * page:(p + 1) * page]
            cache[at, :, :part.shape[1]] = part
        return Stored(run, bits_of(cache, kind))

    if value_columns:
        v = k[..., :value_columns]
    output = numpy.zeros((1, heads, queries, v.shape[3]), numpy.uint16)
    stored, o, cached_k = Stored(run, bits_of(q, kind)), Stored(run, output), paged(k)
    cached_v = cached_k if value_columns else paged(v)
    table = run.numbers(order, numpy.int32)
    lse = run.numbers(numpy.zeros((1, heads, queries)), numpy.float32)
    a = plain_argument(stored, cached_k, cached_v, o, lse, numpy.float32(columns**-0.5), right=0 if causal else -1)
    a.batch, a.kv_heads, a.seq_k, a.value_dim = 1, kv_heads, keys, v.shape[3]
    a.pages = Pages(table.addr, pages, page, pages + 1)
    rows = heads * queries
    share = rows * v.shape[3] + -(-rows // 4) * 4
    workspace = run.numbers(numpy.full(splits * share, numpy.nan), numpy.float32)
    argument = Split(attention=a, splits=splits, workspace=workspace.addr, workspace_size=workspace.size // 4)
    symbol = symbol_of("shares", run.kernels())
    tiles = -(-rows // kv_heads // int(TILE_ROWS.search(symbol)[1]))
    run.launch("shares", kv_heads * splits * tiles, argument)
    run.launch("sum", heads * -(-queries // max(4 * run.lanes // tile_columns, 1)), argument)
    results = numbers_of(o.read(), kind), numpy.frombuffer(lse.read(), numpy.float32).reshape(1, heads, queries)
    return compare("split keys", results, q, k, v, kind, causal=causal)


def check_split(run, rng):
    """9 rows of a tile with a causal band."""
    return check_packed(run, rng, "f16", (3, 150, 6, 2), 128, 128, page=64, causal="bottom_right")


def check_latent(run, rng):
    """66 rows, two more than full tiles have, of queries that share one head of keys; values are columns of these."""
    return check_packed(run, rng, "bf16", (3, 100, 22, 1), 576, 512, page=32, value_columns=512)


def check_banded(run, rng, queries=133, keys=70):
    """A plain kernel of f16 with a causal band: more than a tile of queries and of keys."""
    q, k, v = (rounded(x, "f16").astype(numpy.float16) for x in problem_of(rng, queries, keys, 1, 1, 120))
    tensors = [Stored(run, x) for x in (q, k, v)]
    o, lse = Stored(run, numpy.zeros(q.shape, numpy.float16)), run.numbers(numpy.zeros((1, 1, queries)), numpy.float32)
    blocks = -(-queries // int(TILE_ROWS.search(symbol_of("banded", run.kernels()))[1]))
    run.launch("banded", blocks, plain_argument(*tensors, o, lse, numpy.float32(120**-0.5), right=0))
    results = o.read().astype(float), numpy.frombuffer(lse.read(), numpy.float32).reshape(1, 1, queries)
    return compare("f16", results, *(x.astype(float) for x in (q, k, v)), "f16", causal="bottom_right")


def check_two_stages(run, rng):
    """The same of tiles of 256 queries: both stages are filled twice."""
    return check_banded(run, rng, 258, 250)


def check_scores(run, rng):
    """Two heads that share keys, ragged tiles: a mask of bytes, a bias with NaN between its elements and a soft cap in a
    causal band; then slopes in one; then block lists, of which one is empty and one repeats for all heads. Each
    with dropout but on RDNA."""
    queries, keys, columns = 133, 200, 120
    q, k, v = (rounded(x, "bf16") for x in problem_of(rng, queries, keys, 2, 1, columns))
    tensors = [Stored(run, bits_of(x, "bf16")) for x in (q, k, v)]
    lse = run.numbers(numpy.zeros((1, 2, queries)), numpy.float32)
    dropout = (16384, 5, 0x123456789abcdef0) if run.lanes == 64 or run.arch.startswith("sm_") else None
    options = {"kept": dropout_factors(2, queries, keys, *dropout) if dropout else None}
    bias = rng.standard_normal((2, queries, keys)).astype(numpy.float32)
    bias[0, -3:, :66] = -1e30  # hidden by a bias: the first tile of these rows has no key
    spread = numpy.full((*bias.shape, 2), numpy.nan, numpy.float32)
    spread[..., 0] = bias
    slopes = numpy.array([0.5, 0.0625], numpy.float32)
    distance = numpy.arange(queries)[:, None] + keys - queries - numpy.arange(keys)
    seen = rng.integers(0, 4, (queries, keys)) != 0
    # The last element of the bias, and of the mask, is the end of its memory.
    memory = [run.numbers(x, numpy.float32) for x in (spread.reshape(-1)[:-1], slopes)]
    mask = run.numbers(seen.T, numpy.uint8)

    def result(part, o, change, right=0, kind=None):
        a = plain_argument(*tensors, o, lse, numpy.float32(columns**-0.5), right=right,
                           **({"kind": kind} if kind else {}))
        change(a)
        if dropout:
            a.dropout = Dropout(*dropout)
        run.launch(part, 4, a)
        return numpy.frombuffer(lse.read(), numpy.float32).reshape(1, 2, queries)

    def changed(a):
        a.score, a.bias = 1.5, Scores(memory[0].addr, 0, queries * keys * 2, keys * 2, 2)
        a.boolean = Scores(mask.addr, 0, 0, 1, queries)

    def sloping(a):
        a.alibi = Alibi(memory[1].addr, 0)

    o = Stored(run, numpy.zeros(q.shape, numpy.float32))
    found = result("changed", o, changed, kind=Capped)
    wrong = compare("mask, bias and soft cap", (o.read().astype(float), found), q, k, v, "bf16", causal="bottom_right",
                    bias=numpy.where(seen, bias.astype(float), -numpy.inf), softcap=1.5, **options)
    o = Stored(run, numpy.zeros(q.shape, numpy.uint16))
    found = result("banded", o, sloping)
    wrong += compare("slopes", (numbers_of(o.read(), "bf16"), found), q, k, v, "bf16", causal="bottom_right",
                     bias=-slopes[:, None, None].astype(float) * abs(distance), **options)

    # Blocks of 128 queries and 64 keys, as large as a tile or larger: the second block of queries sees none in head 1.
    lists = {(0, 0): [1, 3], (0, 1): [0, 2], (1, 0): [0, 1, 2, 3], (1, 1): []}
    capacity, of = 4, numpy.zeros((2, queries, keys), bool)
    counts, blocks = numpy.zeros((2, 2), numpy.int32), numpy.full((2, 2, capacity), -1, numpy.int32)
    for (head, row), list_ in lists.items():
        counts[head, row], blocks[head, row, :len(list_)] = len(list_), list_
        for block in list_:
            of[head, 128 * row:128 * (row + 1), 64 * block:64 * (block + 1)] = True
    listed = [run.numbers(x, numpy.int32) for x in (counts, blocks)]

    def by_lists(a):
        a.lists = Lists(listed[0].addr, listed[1].addr, 0, 2, capacity, 128, 64)

    o = Stored(run, numpy.zeros(q.shape, numpy.uint16))
    found = result("plain", o, by_lists, right=-1)
    return wrong + compare("block lists", (numbers_of(o.read(), "bf16"), found), q, k, v, "bf16",
                           bias=numpy.where(of, 0.0, -numpy.inf), **options)


def check_fp8(run, rng, columns=128):
    """8-bit inputs: scales of Q by 16 rows, of K by 64 keys, of V one number."""
    kind = "f8e4m3fnuz" if run.arch == "gfx942" else "f8e4m3"
    table = decode_fp8(kind)
    finite = numpy.flatnonzero(numpy.isfinite(table) & (abs(table) <= 2)).astype(numpy.uint8)
    codes = [rng.choice(finite, x.shape) for x in problem_of(rng, 40, 130, 2, 1, columns)]
    q, k, v = (table[x].astype(float) for x in codes)
    tensors = [Stored(run, x) for x in codes]
    o, lse = Stored(run, numpy.zeros(q.shape, numpy.float16)), run.numbers(numpy.zeros((1, 2, 40)), numpy.float32)
    a = plain_argument(*tensors, o, lse, numpy.float32(columns**-0.5), right=0)
    of_q, of_k = rng.uniform(0.5, 2, (2, 3)).astype(numpy.float32), rng.uniform(0.5, 2, 3).astype(numpy.float32)
    memory = [run.numbers(x, numpy.float32) for x in (of_q, of_k, [0.75])]
    a.q_scale = Scale(memory[0].addr, 0, 3, 1, 16)
    a.k_scale = Scale(memory[1].addr, 0, 0, 1, 64)
    a.v_scale = Scale(memory[2].addr, 0, 0, 0, 0)
    tiles = -(-40 // int(TILE_ROWS.search(symbol_of("banded", run.kernels()))[1]))
    run.launch("banded", 2 * tiles, a)
    q *= numpy.repeat(of_q, 16, 1)[None, :, :40, None]
    k *= numpy.repeat(of_k, 64)[None, None, :130, None]
    results = o.read().astype(float), numpy.frombuffer(lse.read(), numpy.float32).reshape(1, 2, 40)
    return compare("fp8", results, q, k, 0.75 * v, kind, causal="bottom_right")


def check_fp8_wide(run, rng):
    """The same of more than 128 columns."""
    return check_fp8(run, rng, 240)


def check_append(run, rng):
    """5 and 5 new rows behind 13 and 0, turned, in a cache of 32 rows a sequence."""
    batch, heads, kv_heads, rows, columns, capacity = 2, 2, 1, 5, 128, 32
    cached = [13, 0]
    new_k, new_v, q, k, v = (
        rng.standard_normal((batch, h, r, columns)).astype(numpy.float16)
        for h, r in ((kv_heads, rows), (kv_heads, rows), (heads, rows), (kv_heads, capacity), (kv_heads, capacity)))
    angles = numpy.arange(capacity)[:, None] * 10000.0 ** (-numpy.arange(columns // 2) / (columns // 2))
    tables = [run.numbers(f(angles), numpy.float32) for f in (numpy.cos, numpy.sin)]
    c, s = (numpy.frombuffer(t.read(), numpy.float32).reshape(angles.shape).astype(float) for t in tables)
    stored = [Stored(run, x) for x in (new_k, new_v, k, v, q, numpy.zeros(q.shape, numpy.float16))]
    lengths, before = run.numbers([0, 0], numpy.int32), run.numbers(cached, numpy.int32)
    argument = Append(
        batch=batch, heads=heads, kv_heads=kv_heads, rows=rows, head_dim=columns, value_dim=columns,
        new_k=stored[0].tensor(), new_v=stored[1].tensor(), k=stored[2].tensor(), v=stored[3].tensor(),
        capacity=capacity, cached=before.addr, key_lengths=lengths.addr,
        rotary=Rotary(tables[0].addr, tables[1].addr, columns // 2, capacity, columns, 0), q=stored[4].tensor(),
        turned_q=stored[5].tensor())
    block_rows = 16 * run.lanes // 128
    run.launch("append", batch * (2 * kv_heads + heads) * (-(-rows // block_rows) + 1), argument)

    def turned(x, b):
        low, high = x[..., :columns // 2].astype(float), x[..., columns // 2:].astype(float)
        at = slice(cached[b], cached[b] + rows)
        return numpy.concatenate([low * c[at] - high * s[at], high * c[at] + low * s[at]], -1)

    right_k, right_v = k.astype(float), v.copy()
    for b in range(batch):
        right_k[b, :, cached[b]:cached[b] + rows] = turned(new_k[b], b)
        right_v[b, :, cached[b]:cached[b] + rows] = new_v[b]
    right_q = numpy.stack([turned(q[b], b) for b in range(batch)])
    wrong = []
    for name, got, right in (("K", stored[2], right_k), ("turned Q", stored[5], right_q)):
        if not (abs(got.read() - right) <= 2.0**-11 * abs(right) + 2.0**-20).all():
            wrong.append(f"appended rows: {name}")
    if (stored[3].read() != right_v).any():
        wrong.append("appended rows: V")
    if list(numpy.frombuffer(lengths.read(), numpy.int32)) != [x + rows for x in cached]:
        wrong.append("appended rows: lengths")
    return wrong


CHECKS = {"attention_split": check_split, "attention_f16": check_banded, "attention_two_stages": check_two_stages,
          "attention_fp8": check_fp8, "attention_fp8_wide": check_fp8_wide,
          "attention_append": check_append, "attention_latent": check_latent, "attention_scores": check_scores,
          "attention_backward": check_gradients, "attention_backward_wide": check_gradients,
          "attention_backward_lists": check_list_gradients}  # by the file that has the kernels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--orders", type=int, default=0, help="random orders of the waves and of memory, besides two")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    reason = machine.reason_to_skip()
    if reason:
        print(reason)
        return 77
    problems = []
    for file in arguments.files:
        for policy, order in [("late", 0), ("late", 1), *(("mixed", 2 + seed) for seed in range(arguments.orders))]:
            run = Run(file, policy, order)
            try:
                found = CHECKS[file.stem](run, numpy.random.default_rng(order))
            except (machine.Fault, machine.Unknown, ValueError) as fault:
                found = [str(fault)]
            problems += [f"{file.parent.name} {policy} {order}: {text}" for text in found]
    print("\n".join(problems) if problems else f"{len(arguments.files)} files, every result right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
