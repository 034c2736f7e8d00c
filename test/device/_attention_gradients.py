"""What the kernels of attention_backward.cpp and attention_backward_lists.cpp must compute: gradients in float64 (test/programs/_attention_model.py),
and problems whose queries, keys and columns end within tiles.
"""

import re

import numpy

from _attention_arguments import (Attention, Backward, Band, Gradients, Lengths, Lists, Rows, Scores, Stored, bits_of,
                                  numbers_of, symbol_of)
from _attention_model import formula, rounded, worst_ratio

PADDED_ROWS, SUM_ROWS = 128, 64  # attention_backward_workspace::alignment and the rows of attention_output_sums
# Of a mangled name: the type, rows, columns of a tile, of Q and K, of V, whether there is a band, the part.
KERNEL = re.compile(r"_ZN6tegula\d(?P<name>keys|queries)I.*?\d(?P<type>half|bfloat16)_format.*?EEELi(?P<rows>\d+)E"
                    r"Li\d+ELi(?P<head>\d+)ELi(?P<value>\d+)E.*attention_maskE(?P<mask>\d)")
VALUES = "attention_key_partE2"
SHARED_BYTES = 65536  # at least what kernels for AMD ask for; a Run may give more


class Sequences:
    """A problem: lengths, where sequences lie, and inputs that NaN surrounds."""

    def __init__(self, rng, kind, head_dim, value_dim, heads, kv_heads, queries, keys, room, window, causal, sinks):
        """queries, keys: of each sequence; room: rows of K and V that each has, at least its keys."""
        self.kind, self.queries, self.keys, self.window, self.causal = kind, queries, keys, window, causal
        self.query_offsets, self.key_offsets = (numpy.cumsum([0, *x]) for x in (queries, room))
        self.q, self.d_o = (rounded(rng.standard_normal((1, heads, sum(queries), x)), kind)
                            for x in (head_dim, value_dim))
        self.k, self.v = (rounded(rng.standard_normal((1, kv_heads, sum(room), x)), kind)
                          for x in (head_dim, value_dim))
        self.sinks = rng.standard_normal(heads).astype(numpy.float32) if sinks else None
        self.scale = numpy.float32(head_dim**-0.5)
        self.bias = None  # [heads, queries, keys] of the only sequence

    def of(self, b):
        """The rows of queries, of keys, and the room behind these, of sequence b."""
        first, begin = self.query_offsets[b], self.key_offsets[b]
        return (slice(first, first + self.queries[b]), slice(begin, begin + self.keys[b]),
                slice(begin + self.keys[b], self.key_offsets[b + 1]))

    def formula(self, b, intermediate=lambda x: x, **more):
        queries, keys, _ = self.of(b)
        return formula(self.q[:, :, queries], self.k[:, :, keys], self.v[:, :, keys], self.d_o[:, :, queries],
                       scale=self.scale, causal=self.causal, window=self.window, sinks=self.sinks, bias=self.bias,
                       intermediate=intermediate, **more)

    def outputs(self):
        """O and lse as a forward pass leaves them."""
        o, lse = numpy.zeros(self.d_o.shape), numpy.zeros(self.d_o.shape[1:3], numpy.float32)
        for b in range(len(self.queries)):
            (o[:, :, self.of(b)[0]], _), (lse[:, self.of(b)[0]], _), *_ = self.formula(b)
        return rounded(o, self.kind), lse


class Launch:
    """A problem in a device's memory, and the argument of all its kernels."""

    def __init__(self, run, problem, o, lse, workspace):
        """workspace: the numbers of queries to begin with, as workspace_of gives them."""
        self.run, self.problem, self.padded = run, problem, workspace[0].shape[2]
        batch, heads, kv_heads = len(problem.queries), problem.q.shape[1], problem.k.shape[1]
        k, v = problem.k.copy(), problem.v.copy()
        for b in range(batch):  # behind the keys lies NaN
            k[:, :, problem.of(b)[2]] = v[:, :, problem.of(b)[2]] = numpy.nan

        def stored(x):
            return Stored(run, bits_of(x, problem.kind))

        self.inputs = [stored(x) for x in (problem.q, k, v, o, problem.d_o)]
        self.results = [stored(numpy.full(x.shape, numpy.nan)) for x in (problem.q, k, v)]
        self.numbers = [run.numbers(x, numpy.float32) for x in workspace]
        self.d_sinks = run.numbers(numpy.arange(heads), numpy.float32)
        lists = [run.numbers(x, numpy.int32) for x in (problem.query_offsets, problem.key_offsets, problem.keys)]
        sinks = run.numbers(problem.sinks, numpy.float32) if problem.sinks is not None else None
        of_lse = run.numbers(lse, numpy.float32)
        self.memory = lists, sinks, of_lse  # stays while kernels run
        left, right = problem.window or (-1, -1)
        q, k, v, o, d_o = (x.tensor() for x in self.inputs)
        total = problem.q.shape[2]
        forward = Attention(
            batch=batch, heads=heads, kv_heads=kv_heads, seq_q=max(problem.queries),
            seq_k=int(max(numpy.diff(problem.key_offsets))), head_dim=problem.q.shape[3], value_dim=problem.v.shape[3],
            q=q, k=k, v=v, o=o, lse=Rows(of_lse.addr, heads * total, total), scale=problem.scale,
            band=Band(left, 0 if problem.causal else right, 0, 0, 0), sinks=sinks.addr if sinks else 0,
            lengths=Lengths(*(x.addr for x in lists)))
        backward = Backward(forward=forward, d_o=d_o, **{name: x.tensor() for name, x in
                                                         zip(("dq", "dk", "dv"), self.results)},
                            d_sinks=self.d_sinks.addr if sinks else 0)
        self.argument = Gradients(problem=backward, normalizers=self.numbers[0].addr, deltas=self.numbers[1].addr,
                                  padded_rows=self.padded)

    def kernel(self, symbol, blocks):
        self.run.launch_symbol(symbol, blocks, self.argument, SHARED_BYTES)

    def gradients(self):
        """dQ, dK and dV."""
        return [numbers_of(x.read(), self.problem.kind) for x in self.results]


def workspace_of(problem, o, lse):
    """What the kernel of sums computes: lse * log2(e), +inf for a query that sees nothing, and rowsum(dO * O)."""
    shape = len(problem.queries), lse.shape[0], -(-max(problem.queries) // PADDED_ROWS) * PADDED_ROWS
    normalizers, deltas = numpy.full(shape, numpy.inf, numpy.float32), numpy.zeros(shape, numpy.float32)
    for b, length in enumerate(problem.queries):
        rows = problem.of(b)[0]
        of_rows = lse[:, rows]
        normalizers[b, :, :length] = numpy.where(of_rows == -numpy.inf, numpy.inf, of_rows * numpy.log2(numpy.e))
        deltas[b, :, :length] = (o * problem.d_o).sum(-1)[0][:, rows]
    return normalizers, deltas


def check_sums(launch, expected):
    """Sentences on the workspace, whose numbers of queries past the last count too."""
    wrong = []
    for name, memory, right in zip(("normalizers", "deltas"), launch.numbers, expected):
        got = numpy.frombuffer(memory.read(), numpy.float32).reshape(right.shape)
        same = numpy.isclose(got, right, rtol=0, atol=2.0**-17 * numpy.max(abs(right[numpy.isfinite(right)])))
        if not same.all():
            wrong.append(f"sums: {(~same).sum()} of {same.size} {name} are wrong")
    return wrong


def compare(what, launch):
    """Sentences on dQ, dK, dV and dsink; what lies behind the keys of a sequence must be 0."""
    problem, wrong = launch.problem, []
    results = launch.gradients()
    d_sinks = [numpy.zeros(problem.q.shape[1]) for _ in range(4)]
    for b in range(len(problem.queries)):
        exact, low = problem.formula(b), problem.formula(b, lambda x: rounded(x, problem.kind))
        queries, keys, behind = problem.of(b)
        for i, (name, rows) in enumerate((("dQ", queries), ("dK", keys), ("dV", keys))):
            if not (ratio := worst_ratio(results[i][:, :, rows], exact[2 + i], low[2 + i])) <= 1:
                wrong.append(f"{what}: {name} of sequence {b} is {ratio} times its bound off")
            if i > 0 and results[i][:, :, behind].any():
                wrong.append(f"{what}: {name} of sequence {b} is not 0 behind the keys")
        if problem.sinks is not None:
            d_sinks = [x + y for x, y in zip(d_sinks, (*exact[5], *low[5]))]
    if problem.sinks is not None:
        added = numpy.frombuffer(launch.d_sinks.read(), numpy.float32) - numpy.arange(problem.q.shape[1])
        if not (ratio := worst_ratio(added, d_sinks[:2], d_sinks[2:])) <= 1:
            wrong.append(f"{what}: dsink is {ratio} times its bound off")
    return wrong


def problem_of(rng, kind, head, value, banded):
    """Without a band: sequences of different lengths, keys of one that end before its room, sinks. With one: a window,
    and queries that see no key."""
    if banded:
        return Sequences(rng, kind, head - 8, value - 16, 1, 1, [133], [70], [70], (40, 0), "bottom_right", False)
    return Sequences(rng, kind, head - 8, value - 16, 2, 1, [37, 133], [130, 40], [130, 45], None, None, True)


def check_gradients(run, rng):
    """Every kernel of the file: sums, keys, values, queries and sinks, in the order of a backward pass."""
    found = {}
    for symbol in run.kernels():
        if match := KERNEL.match(symbol):
            of = match["type"], int(match["head"]), int(match["value"]), match["mask"] == "1"
            found.setdefault(of, []).append((match["name"] == "queries", VALUES in symbol, int(match["rows"]), symbol))
    shared = {name: next(s for s in run.kernels() if s.startswith(f"_ZN6tegula{len(name)}{name}I"))
              for name in ("sums", "sinks")}
    wrong = [] if len(found) > 1 else ["the file has too few kernels of the backward pass"]
    for (kind, head, value, banded), kernels in found.items():
        kind = {"half": "f16", "bfloat16": "bf16"}[kind]
        problem = problem_of(rng, kind, head, value, banded)
        o, lse = problem.outputs()
        expected = workspace_of(problem, o, lse)
        with_sums = not banded  # the file has these kernels for one type alone
        launch = Launch(run, problem, o, lse, [x + numpy.nan for x in expected] if with_sums else expected)
        batch, heads, kv_heads = len(problem.queries), problem.q.shape[1], problem.k.shape[1]
        if with_sums:
            launch.kernel(shared["sums"], launch.padded // SUM_ROWS * batch * heads)
            wrong += check_sums(launch, expected)
        for of_queries, _, rows, symbol in sorted(kernels):
            length, several = (launch.argument.problem.forward.seq_q, heads) if of_queries else \
                (launch.argument.problem.forward.seq_k, kv_heads)
            launch.kernel(symbol, -(-length // rows) * batch * several)
        if with_sums:
            launch.kernel(shared["sinks"], heads)
        wrong += compare(f"{kind} {head}/{value}{' banded' if banded else ''}", launch)
    return wrong


def list_problem(rng, heads):
    """133 queries in two blocks of 128 and 200 keys in two; a list of keys for each block of queries, one of them empty,
    and the same the other way."""
    problem = Sequences(rng, "f16", 56, 48, heads, 1, [133], [200], [200], None, None, False)
    by_queries = {(0, 0): [0], (0, 1): [0, 1], (1, 0): [1], (1, 1): []}
    by_keys = {(h, k): [q for q in (0, 1) if k in by_queries[h, q]] for h in (0, 1) for k in (0, 1)}
    problem.bias = numpy.full((heads, 133, 200), -numpy.inf)
    for (head, q), list_ in by_queries.items():
        for k in list_:
            problem.bias[head, 128 * q:128 * (q + 1), 128 * k:128 * (k + 1)] = 0
    return problem, by_queries, by_keys


def lists_in(run, of, capacity=3):
    """Block lists in a device's memory, and what keeps them there."""
    counts, blocks = numpy.zeros((2, 2), numpy.int32), numpy.full((2, 2, capacity), -1, numpy.int32)
    for place, list_ in of.items():
        counts[place], blocks[place][:len(list_)] = len(list_), list_
    memory = [run.numbers(x, numpy.int32) for x in (counts, blocks)]
    return Lists(memory[0].addr, memory[1].addr, 0, 2, capacity, 128, 128), memory


TILE = re.compile(r"EEELi(?P<rows>\d+)ELi(?P<columns>\d+)E")


def check_list_gradients(run, rng):
    """Block lists: dK, dV and dQ; then the gradient of a bias that all heads share, added up in a fixed order."""
    problem, *lists = list_problem(rng, 2)
    o, lse = problem.outputs()
    launch = Launch(run, problem, o, lse, workspace_of(problem, o, lse))
    in_memory = [lists_in(run, x) for x in lists]
    launch.argument.problem.forward.lists, launch.argument.problem.lists_by_keys = (x for x, _ in in_memory)
    for part, length, several in ("keys", 200, 1), ("queries", 133, 2):
        symbol = symbol_of(part, run.kernels())
        launch.kernel(symbol, -(-length // int(TILE.search(symbol)["rows"])) * several)
    wrong = compare("block lists", launch)

    problem.bias = rng.standard_normal((1, 133, 200)).astype(numpy.float32)
    o, lse = problem.outputs()
    launch = Launch(run, problem, o, lse, workspace_of(problem, o, lse))
    start = rng.standard_normal((133, 200)).astype(numpy.float32)
    bias, d_bias = run.numbers(problem.bias, numpy.float32), run.numbers(start, numpy.float32)
    launch.argument.problem.forward.bias = Scores(bias.addr, 0, 0, 200, 1)
    launch.argument.problem.d_bias = Scores(d_bias.addr, 0, 0, 200, 1)
    symbol = symbol_of("bias", run.kernels())
    tile = TILE.search(symbol)
    launch.kernel(symbol, -(-133 // int(tile["rows"])) * -(-200 // int(tile["columns"])))
    added = numpy.frombuffer(d_bias.read(), numpy.float32).reshape(start.shape) - start
    exact, low = ([x.sum((0, 1)) for x in problem.formula(0, f, with_scores=True)[-1]]
                  for f in (lambda x: x, lambda x: rounded(x, "f16")))
    if not (ratio := worst_ratio(added, exact, low)) <= 1:
        wrong.append(f"dbias in a fixed order is {ratio} times its bound off")
    return wrong
