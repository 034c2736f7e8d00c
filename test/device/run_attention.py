"""Runs the machine code of attention kernels on a machine without a GPU: every kernel of the code objects it is given, of
test/device/attention_*.cpp. What each is, its mangled name tells (_attention_names.py), and so what it must compute.

Results are compared with the formula in float64 (test/programs/_attention_model.py), within the bounds of the program's
tests. Memory is late and waves take turns from either end; --orders N adds random ones. Between rows and around
tensors lies NaN, which kernels must neither use nor overwrite. A kernel that no check has launched is reported.
"""

import argparse
import sys
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE / "isa"), str(HERE), str(HERE.parent / "programs")]
import machine  # noqa: E402
from _attention_arguments import (Append, Band, Lengths, Pages, Rotary, Scale, Stored, Tensor, bits_of,  # noqa: E402
                                  cache_of_records, numbers_of, plain_argument, shares_of)
from _attention_changes import Changes  # noqa: E402
from _attention_gradients import check_gradients  # noqa: E402
from _attention_model import formula, rounded, worst_ratio  # noqa: E402
from _attention_names import Kernel  # noqa: E402
from _gemm_model import round_float8  # noqa: E402
from _machine_code import FLOAT8, decode_fp8, encode  # noqa: E402

SHARED_BYTES = {"gfx950": 163840, "gfx1250": 327680}  # of a block; others have 65536
WITHOUT_MEMORY = ("append", "sum")  # forms that ask for no shared memory


class Run:
    """A code object and how its kernels run."""

    def __init__(self, path, policy, order):
        self.code, self.policy, self.order = machine.CodeObject(path), policy, order
        self.arch, self.lanes, self.launched = self.code.arch, self.code.lanes, set()

    def numbers(self, values, kind):
        """An array in memory: its addr, its size in bytes and read()."""
        array = numpy.ascontiguousarray(values, kind)
        memory = machine.DeviceMemory(array.nbytes)
        memory.write(array.tobytes())
        return memory

    def kernels(self):
        return list(self.code.metadata)

    def launch(self, kernel, blocks, argument, tensors=()):
        """tensors: what a kernel by tensor copies would have maps of."""
        code = self.code.kernel(kernel.symbol)
        shared = 0 if kernel.form in WITHOUT_MEMORY else SHARED_BYTES.get(self.arch, 65536)
        threads = code.metadata["max_flat_workgroup_size"]
        self.launched.add(kernel.symbol)
        code.launch((blocks,), (threads,), [bytes(argument)], shared, self.policy, self.order)


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
    """To 8 bits as conversions do, to the largest number past it; that leaves no infinity, by which scores are hidden."""
    if kind not in FLOAT8:
        return rounded(x, kind)
    largest = numpy.nanmax(decode_fp8(kind))
    return numpy.where(numpy.isinf(x), x, round_float8(numpy.clip(x, -largest, largest), *FLOAT8[kind], largest))


def of_float(memory, *shape):
    return numpy.frombuffer(memory.read(), numpy.float32).reshape(shape)


def numbers_for(rng, kind, shape):
    """Numbers that the type holds."""
    if kind not in FLOAT8:
        return rounded(rng.standard_normal(shape), kind)
    table = decode_fp8(kind)
    return rng.choice(table[abs(table) <= 2], shape)


def stored_as(run, x, kind):
    """Numbers that the type holds, and NaN, in memory."""
    if kind not in FLOAT8:
        return Stored(run, bits_of(x, kind))
    nan = numpy.flatnonzero(numpy.isnan(decode_fp8(kind)))[0]
    return Stored(run, numpy.where(numpy.isnan(x), nan, encode(numpy.nan_to_num(x), kind)).astype(numpy.uint8))


def output_in(run, kernel, shape):
    """O in memory, of zeros."""
    return Stored(run, numpy.zeros(shape, numpy.float32 if kernel.output == "f32" else numpy.uint16))


def output_of(kernel, o):
    return o.read().astype(float) if kernel.output == "f32" else numbers_of(o.read(), kernel.output)


def scale_inputs(run, rng, a, q, k, v, block=64):
    """Scales of 8-bit inputs, of Q by 16 rows, of K by blocks of keys, of V one number; what they make of these, and memory."""
    heads, queries, keys = *q.shape[1:3], k.shape[2]
    of_q, of_k = (rng.uniform(0.5, 2, x).astype(numpy.float32) for x in ((heads, -(-queries // 16)), -(-keys // block)))
    memory = [run.numbers(x, numpy.float32) for x in (of_q, of_k, [0.75])]
    a.q_scale = Scale(memory[0].addr, 0, of_q.shape[1], 1, 16)
    a.k_scale = Scale(memory[1].addr, 0, 0, 1, block)
    a.v_scale = Scale(memory[2].addr, 0, 0, 0, 0)
    return (q * numpy.repeat(of_q, 16, 1)[None, :, :queries, None], k * numpy.repeat(of_k, block)[None, None, :keys, None],
            0.75 * v), memory


def scaled_records(rng, kind, heads, keys):
    """Keys of the latent form as a scaled_latent_cache has them, and the records of its keys, bytes."""
    values = rng.choice(decode_fp8("f8e4m3")[:0x7f], (1, heads, keys, 512)) * rng.choice([-1, 1], (1, heads, keys, 512))
    scales = rng.uniform(0.001, 0.01, (1, heads, keys, 4)).astype(numpy.float32)
    rope = rounded(rng.standard_normal((1, heads, keys, 64)), kind)
    products = values.astype(numpy.float32) * numpy.repeat(scales, 128, 3)
    parts = encode(values, "f8e4m3"), scales.view(numpy.uint8), bits_of(rope, kind).view(numpy.uint8)
    return numpy.concatenate([rounded(products.astype(float), kind), rope], 3), numpy.concatenate(parts, 3)


def in_memory_of(run, kernel, keys):
    """How keys and values of one sequence come to memory as the kernel reads them, its pages, and the table's memory: pages of
    kernel.page keys, in falling order."""
    page = kernel.page
    pages = -(-keys // page)
    order = list(range(pages, 0, -1))  # page 0 is nobody's
    table = run.numbers(order, numpy.int32)

    def stored(x):
        def store(y):
            return Stored(run, y) if y.dtype == numpy.uint8 else stored_as(run, y, kernel.type)
        if not kernel.paged:
            return store(x)
        cache = numpy.full((pages + 1, x.shape[1], page, x.shape[3]), 0xff if x.dtype == numpy.uint8 else numpy.nan, x.dtype)
        for p, at in enumerate(order):
            part = x[0, :, p * page:(p + 1) * page]
            cache[at, :, :part.shape[1]] = part
        return store(cache)

    return stored, Pages(table.addr, pages, page, pages + 1) if kernel.paged else Pages(), table


def check_forward(run, rng, kernel):
    """Two heads that share keys; queries and keys that end within tiles, columns within the tile's; masks in a causal band
    whose first queries see no key, but block lists without one. Four tiles of keys, of large ones three: the first stage
    of two is filled again."""
    keys = (3 if kernel.columns <= 64 else 2) * kernel.columns + 10
    columns, value_columns = kernel.head - (16 if kernel.type in FLOAT8 else 8), kernel.value - 16
    causal = kernel.mask in ("band", "boolean")
    queries = max(kernel.rows + 5, keys + 11 if causal else 0)
    q, k, v = (numbers_for(rng, kernel.type, x) for x in ((1, 2, queries, columns), (1, 1, keys, columns),
                                                          (1, 1, keys, value_columns)))
    stored, pages, _table = in_memory_of(run, kernel, keys)
    tensors = [stored_as(run, q, kernel.type), stored(k), stored(v)]
    o = output_in(run, kernel, (1, 2, queries, value_columns))
    lse = run.numbers(numpy.zeros((1, 2, queries)), numpy.float32)
    changes = Changes(run, rng, kernel, 2, queries, keys, (kernel.rows, max(64, kernel.columns)))
    a = plain_argument(*tensors, o, lse, numpy.float32(columns**-0.5), right=0 if causal else -1, kind=changes.argument)
    changes.apply(a)
    a.kv_heads, a.seq_k, a.pages = 1, keys, pages
    if kernel.type in FLOAT8:
        (q, k, v), _scales = scale_inputs(run, rng, a, q, k, v, kernel.columns if kernel.by_roles else 64)
    run.launch(kernel, 2 * -(-queries // kernel.rows), a, tensors)
    return compare(str(kernel), (output_of(kernel, o), of_float(lse, 1, 2, queries)), q, k, v, kernel.type,
                   causal="bottom_right" if causal else None, **changes.options)


def shown_keys(queries, keys, left, right, prefix, top_left):
    """Which keys a band shows to each query: those around the diagonal, and the first ones."""
    key, diagonal = numpy.arange(keys), numpy.arange(queries)[:, None] + (0 if top_left else keys - queries)
    return (key >= diagonal - left) & (key <= diagonal + right) | (key < prefix)


def check_sequences(run, rng, kernel):
    """Without changes but a band: sequences of different lengths one behind the other, with fewer keys than their rows, NaN
    behind these; of as many queries each, and where there is a band a window from the top left, and prefixes of their own;
    and sinks."""
    heads, columns, value_columns = 2, kernel.head, kernel.value
    queries = [kernel.rows // 2 + 3, kernel.rows + 5]
    keys, room = [kernel.columns + 9, 3], [kernel.columns + 20, 3]
    wrong, sinks = [], rng.standard_normal(heads).astype(numpy.float32)
    of_sinks = run.numbers(sinks, numpy.float32)
    for by_offsets in (True, False):  # the queries; or the same number of each sequence
        if not by_offsets:
            queries = queries[1:] * 2
        starts, begins = (numpy.cumsum([0, *x]) for x in (queries, room))
        shape = (1, heads, starts[-1], columns) if by_offsets else (2, heads, queries[0], columns)
        q = numbers_for(rng, kernel.type, shape)
        k, v = (numbers_for(rng, kernel.type, (1, 1, begins[-1], x)) for x in (columns, value_columns))
        behind = slice(begins[0] + keys[0], begins[1])
        k[:, :, behind] = v[:, :, behind] = numpy.nan
        tensors = [stored_as(run, x, kernel.type) for x in (q, k, v)]
        o = output_in(run, kernel, (*q.shape[:3], value_columns))
        lse = run.numbers(numpy.zeros(q.shape[:3]), numpy.float32)
        a = plain_argument(*tensors, o, lse, numpy.float32(columns**-0.5))
        prefixes = [3, 3] if by_offsets else [5, 0]  # the arguments' own, or one of each sequence
        lists = [run.numbers(x, numpy.int32) for x in (starts, begins, keys, prefixes)]
        a.batch, a.seq_q, a.seq_k, a.sinks = 2, max(queries), max(room), of_sinks.addr
        a.lengths = Lengths(lists[0].addr if by_offsets else 0, lists[1].addr, lists[2].addr, starts[-1], begins[-1])
        banded = kernel.mask == "band"
        left, right = (20, 7) if banded else (10**6, 10**6)
        if banded:
            own = (0, prefixes[0], 0) if by_offsets else (1, 0, lists[3].addr)  # diagonal, prefix, prefixes
            a.band = Band(left, right, *own)
        run.launch(kernel, 2 * heads * -(-a.seq_q // kernel.rows), a, tensors)
        result, of_lse = output_of(kernel, o), of_float(lse, *q.shape[:3])
        for b in range(2):
            entry, at = (0, slice(starts[b], starts[b + 1])) if by_offsets else (b, slice(None))
            there = slice(begins[b], begins[b] + keys[b])
            prefix = prefixes[b] if banded else 0
            seen = shown_keys(queries[b], keys[b], left, right, prefix, not by_offsets)
            wrong += compare(f"{kernel}, sequence {b}", (result[entry:entry + 1, :, at], of_lse[entry:entry + 1, :, at]),
                             q[entry:entry + 1, :, at], k[:, :, there], v[:, :, there], kernel.type, sinks=sinks,
                             bias=numpy.where(seen, 0.0, -numpy.inf)[None])
    return wrong


def combined(shares, heads, queries, columns):
    """O and lse of shares of the keys in float64: each has O, then the two numbers whose sum lse is."""
    rows, width = heads * queries, -(-columns // 4) * 4
    o = shares[:, :rows * width].reshape(-1, heads, queries, width)[..., :columns].astype(float)
    first, padded = rows * width, -(-rows // 4) * 4
    lse = sum(shares[:, at:at + rows].reshape(-1, heads, queries).astype(float) for at in (first, first + padded))
    total = numpy.logaddexp.reduce(lse, 0)
    weights = numpy.exp(lse - numpy.where(total == -numpy.inf, 0, total))  # of a row that sees nothing 0
    return (weights[..., None] * o).sum(0)[None], total[None]


def check_shares(run, rng, kernel, sums):
    """Heads of more than a tile's rows, packed ones of that or of 9, over pages if the kernel has them, in 3 shares; then
    their sum, by the kernel of the file if it has one, with sinks. The cache has room for more keys than its length says. Of
    latent heads the values are columns of the keys. By roles a share has three tiles of keys: the first stage is filled again."""
    kind, latent, splits = kernel.type, kernel.head > 512, 3
    queries, keys, heads, kv_heads = (3, 420 if kernel.by_roles else 100, 22, 1) if latent else (3 if kernel.packed else kernel.rows + 6, 150, 6, 2)
    causal = "bottom_right" if kernel.mask in ("band", "boolean") else None
    q, k, v = (numbers_for(rng, kind, (1, h, n, kernel.head))
               for h, n in ((heads, queries), (kv_heads, keys), (kv_heads, keys)))
    if kernel.scaled_cache:
        k, records = scaled_records(rng, kind, kv_heads, keys)
    v = (k if latent else v)[..., :kernel.value]
    stored, pages, _table = in_memory_of(run, kernel, keys)
    of_q, of_k = stored_as(run, q, kind), stored(records if kernel.scaled_cache else k)
    o = Stored(run, numpy.zeros((*q.shape[:3], kernel.value), numpy.uint16))
    of_v = of_k if latent else stored(v)
    lse = run.numbers(numpy.zeros((1, heads, queries)), numpy.float32)
    changes = Changes(run, rng, kernel, heads, queries, keys, (kernel.rows, max(64, kernel.columns)))
    a = plain_argument(of_q, of_k, of_v, o, lse, numpy.float32(kernel.head**-0.5), right=0 if causal else -1,
                       kind=changes.argument)
    changes.apply(a)
    a.batch, a.kv_heads, a.seq_k, a.value_dim = 1, kv_heads, keys + 30, kernel.value
    sinks = rng.standard_normal(heads).astype(numpy.float32)
    of_sinks, length = run.numbers(sinks, numpy.float32), run.numbers([keys], numpy.int32)
    a.sinks, a.lengths = of_sinks.addr, Lengths(0, 0, length.addr)
    if kind in FLOAT8:
        (q, k, v), _scales = scale_inputs(run, rng, a, q, k, v)
    a.pages = pages
    rows = heads * queries
    share = rows * kernel.value + 2 * (-(-rows // 4) * 4)
    workspace = run.numbers(numpy.full(splits * share, numpy.nan), numpy.float32)
    argument = shares_of(changes.argument)(attention=a, splits=splits, workspace=workspace.addr,
                                           workspace_size=workspace.size // 4)
    work_items = kv_heads if kernel.packed else heads
    of_kernel = argument
    if kernel.scaled_cache:  # in the place of K and V, behind the others
        argument.attention.k = argument.attention.v = Tensor()
        of_kernel = bytes(argument) + bytes(cache_of_records(of_k.tensor()))
    run.launch(kernel, work_items * splits * -(-rows // work_items // kernel.rows), of_kernel, [of_q, of_k])
    results = combined(of_float(workspace, splits, share), heads, queries, kernel.value)
    wrong = compare(str(kernel), results, q, k, v, kind, causal=causal, **changes.options)
    for sum_ in sums:
        if (sum_.type, sum_.value, sum_.soft_cap) == (kernel.type, kernel.value, kernel.soft_cap):
            run.launch(sum_, heads * -(-queries // max(4 * run.lanes // kernel.value, 1)), argument)
            results = numbers_of(o.read(), kernel.output), of_float(lse, 1, heads, queries)
            wrong += compare(f"sum of {kernel}", results, q, k, v, kind, causal=causal, sinks=sinks, **changes.options)
    return wrong


def check_append(run, rng, kernel, in_pages):
    """5 and 5 new rows behind 13 and 0, turned, in a cache of 32 rows a sequence: the halves of the columns in one piece, or
    neighbours in pages of 16 rows."""
    batch, heads, kv_heads, rows, columns, capacity, kind = 2, 2, 1, 5, kernel.value, 32, kernel.type
    cached, page = [13, 0], 16
    shapes = (kv_heads, rows), (kv_heads, rows), (heads, rows), (kv_heads, capacity), (kv_heads, capacity)
    new_k, new_v, q, k, v = (numbers_for(rng, kind, (batch, *x, columns)) for x in shapes)
    angles = numpy.arange(capacity)[:, None] * 10000.0 ** (-numpy.arange(columns // 2) / (columns // 2))
    tables = [run.numbers(f(angles), numpy.float32) for f in (numpy.cos, numpy.sin)]
    c, s = (numpy.frombuffer(t.read(), numpy.float32).reshape(angles.shape).astype(float) for t in tables)
    order = numpy.array([[3, 0], [1, 2]])  # of the pages of each sequence

    def paged(x):
        """The cache as it lies in memory."""
        return x.reshape(4, 1, page, columns)[numpy.argsort(order.ravel())] if in_pages else x

    stored = [stored_as(run, x, kind) for x in (new_k, new_v, paged(k), paged(v), q, numpy.zeros(q.shape))]
    lengths, before = run.numbers([0, 0], numpy.int32), run.numbers(cached, numpy.int32)
    of_pages = run.numbers(order, numpy.int32)
    argument = Append(
        batch=batch, heads=heads, kv_heads=kv_heads, rows=rows, head_dim=columns, value_dim=columns,
        new_k=stored[0].tensor(), new_v=stored[1].tensor(), k=stored[2].tensor(), v=stored[3].tensor(),
        capacity=capacity, pages=Pages(of_pages.addr, 2, page, 4) if in_pages else Pages(), cached=before.addr,
        key_lengths=lengths.addr, rotary=Rotary(tables[0].addr, tables[1].addr, columns // 2, capacity, columns, in_pages),
        q=stored[4].tensor(), rotated_q=stored[5].tensor())
    block_rows = 16 * run.lanes // columns
    run.launch(kernel, batch * (2 * kv_heads + heads) * (-(-rows // block_rows) + 1), argument)

    first = numpy.arange(0, columns, 2) if in_pages else numpy.arange(columns // 2)
    second = first + (1 if in_pages else columns // 2)

    def turned(x, b):
        low, high, result = x[..., first], x[..., second], x.copy()
        at = slice(cached[b], cached[b] + rows)
        result[..., first], result[..., second] = low * c[at] - high * s[at], high * c[at] + low * s[at]
        return result

    right_k, right_v = k.copy(), v.copy()
    for b in range(batch):
        right_k[b, :, cached[b]:cached[b] + rows] = turned(new_k[b], b)
        right_v[b, :, cached[b]:cached[b] + rows] = new_v[b]
    right_q = numpy.stack([turned(q[b], b) for b in range(batch)])
    wrong, half_unit = [], 2.0**-11 if kind == "f16" else 2.0**-8
    for name, got, right in (("K", stored[2], paged(right_k)), ("rotated Q", stored[5], right_q)):
        if not (abs(numbers_of(got.read(), kind) - right) <= half_unit * abs(right) + 2.0**-20).all():
            wrong.append(f"{kernel.type} {columns}, appended rows: {name}")
    if (numbers_of(stored[3].read(), kind) != paged(right_v)).any():
        wrong.append(f"{kernel.type} {columns}, appended rows: V")
    if list(numpy.frombuffer(lengths.read(), numpy.int32)) != [x + rows for x in cached]:
        wrong.append(f"{kernel.type} {columns}, appended rows: lengths")
    return wrong


def check_kernels(run, rng):
    """Sentences on what is wrong with the kernels of a file, each of which must run."""
    kernels = [Kernel(symbol) for symbol in run.kernels()]
    if not kernels:
        return ["the file has no kernel"]
    wrong = check_gradients(run, rng, kernels)
    for kernel in kernels:
        if kernel.form == "forward":
            wrong += check_forward(run, rng, kernel)
            if kernel.changes() in ("", "band") and kernel.any_length and not kernel.paged:
                wrong += check_sequences(run, rng, kernel)
        elif kernel.form == "shares":
            wrong += check_shares(run, rng, kernel, [x for x in kernels if x.form == "sum"])
        elif kernel.form == "append":
            wrong += check_append(run, rng, kernel, in_pages=False) + check_append(run, rng, kernel, in_pages=True)
    return wrong + [f"the kernel {x.symbol} was not run" for x in kernels if x.symbol not in run.launched]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--orders", type=int, default=1, help="orders of waves and memory: the first wave first, the last first, then random ones")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    reason = machine.reason_to_skip()
    if reason:
        print(reason)
        return 77
    problems, kernels = [], 0
    for file in arguments.files:
        for policy, order in [("late" if order < 2 else "mixed", order) for order in range(arguments.orders)]:
            run = Run(file, policy, order)
            try:
                found = check_kernels(run, numpy.random.default_rng(order))
            except (machine.Fault, machine.Unknown, ValueError) as fault:
                found = [str(fault)]
            problems += [f"{file.stem} {file.parent.name} {policy} {order}: {text}" for text in found]
        kernels += len(run.launched)
    print("\n".join(problems) if problems else f"{kernels} kernels of {len(arguments.files)} files, every result right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
