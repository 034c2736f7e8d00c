"""Expected results of attention's backward pass: gradients in float64 (test/programs/_attention_model.py), and problems whose
queries, keys and columns end within tiles.
"""

import numpy

from _attention_arguments import (Band, Lengths, Rows, Scores, Stored, bits_of, gradients_of, numbers_of,
                                  plain_argument)
from _attention_changes import Changes
from _attention_model import formula, rounded, worst_ratio

PADDED_ROWS = 128  # attention_backward_workspace::alignment
ORDER = ("sums", "keys", "dq", "values", "queries", "bias", "sinks")  # of a backward pass


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
        self.changes = None  # of the scores of the only sequence
        self.o = None  # what the backward pass is given

    def of(self, b):
        """The rows of queries, of keys, and the room behind these, of sequence b."""
        first, begin = self.query_offsets[b], self.key_offsets[b]
        return (slice(first, first + self.queries[b]), slice(begin, begin + self.keys[b]),
                slice(begin + self.keys[b], self.key_offsets[b + 1]))

    def formula(self, b, intermediate=lambda x: x, **more):
        queries, keys, _ = self.of(b)
        more.update(self.changes.options if self.changes else {})
        if self.o is not None:
            more["given_o"] = self.o[:, :, queries]
        return formula(self.q[:, :, queries], self.k[:, :, keys], self.v[:, :, keys], self.d_o[:, :, queries],
                       scale=self.scale, causal=self.causal, window=self.window, sinks=self.sinks,
                       intermediate=intermediate, **more)

    def outputs(self):
        """O and lse as a forward pass leaves them. From here on the formula takes this O, too."""
        o, lse = numpy.zeros(self.d_o.shape), numpy.zeros(self.d_o.shape[1:3], numpy.float32)
        for b in range(len(self.queries)):
            (o[:, :, self.of(b)[0]], _), (lse[:, self.of(b)[0]], _), *_ = self.formula(b)
        self.o = rounded(o, self.kind)
        return self.o, lse


class Launch:
    """A problem in a device's memory, and the argument of all its kernels."""

    def __init__(self, run, rng, problem, with_sums, dq_columns):
        """with_sums: whether the numbers of queries are computed there; else they are given. dq_columns: of the sums of dQ."""
        o, lse = problem.outputs()
        self.problem, self.workspace = problem, workspace_of(problem, o, lse)
        self.padded, (heads, total) = self.workspace[0].shape[2], problem.q.shape[1:3]
        k, v = problem.k.copy(), problem.v.copy()
        for b in range(len(problem.queries)):  # behind the keys lies NaN
            k[:, :, problem.of(b)[2]] = v[:, :, problem.of(b)[2]] = numpy.nan

        def stored(x):
            return Stored(run, bits_of(x, problem.kind))

        q, k, v, o, d_o = self.inputs = [stored(x) for x in (problem.q, k, v, o, problem.d_o)]
        self.tensors = q, d_o, k, v
        self.results = [stored(numpy.full(x.shape, numpy.nan)) for x in (problem.q, problem.k, problem.v)]
        self.numbers = [run.numbers(x + numpy.nan if with_sums else x, numpy.float32) for x in self.workspace]
        self.d_sinks = run.numbers(numpy.arange(heads), numpy.float32)
        lists = [run.numbers(x, numpy.int32) for x in (problem.query_offsets, problem.key_offsets, problem.keys)]
        sinks = run.numbers(problem.sinks, numpy.float32) if problem.sinks is not None else None
        of_lse = run.numbers(lse, numpy.float32)
        self.memory = lists, sinks, of_lse  # stays while kernels run
        changes = problem.changes
        forward = plain_argument(q, k, v, o, of_lse, problem.scale, kind=changes.argument)
        left, right = problem.window or (-1, -1)
        forward.batch, forward.lse = len(problem.queries), Rows(of_lse.addr, heads * total, total)
        forward.seq_q, forward.seq_k = max(problem.queries), int(max(numpy.diff(problem.key_offsets)))
        forward.band = Band(left, 0 if problem.causal else right, 0, 0, 0)
        forward.sinks, forward.lengths = sinks.addr if sinks else 0, Lengths(*(x.addr for x in lists))
        changes.apply(forward)
        backward, gradients = gradients_of(changes.argument)
        backward = backward(forward=forward, d_o=d_o.tensor(), d_sinks=self.d_sinks.addr if sinks else 0,
                            **{name: x.tensor() for name, x in zip(("dq", "dk", "dv"), self.results)})
        if "lists_by_keys" in changes.members:
            backward.lists_by_keys = changes.members["lists_by_keys"]
        if "bias" in changes.members:  # all heads share it
            self.before = rng.standard_normal((forward.seq_q, forward.seq_k)).astype(numpy.float32)
            self.d_bias = run.numbers(self.before, numpy.float32)
            backward.d_bias = Scores(self.d_bias.addr, 0, 0, forward.seq_k, 1)
        self.argument = gradients(problem=backward, normalizers=self.numbers[0].addr, deltas=self.numbers[1].addr,
                                  logarithms=self.numbers[2].addr, padded_rows=self.padded)
        if dq_columns:
            self.dq = run.numbers(numpy.zeros((self.workspace[0].size, dq_columns)), numpy.float32)
            self.argument.dq = self.dq.addr

    def blocks(self, kernel):
        batch, heads, kv_heads = len(self.problem.queries), self.problem.q.shape[1], self.problem.k.shape[1]
        if kernel.form in ("sums", "sinks"):
            return self.padded // kernel.rows * batch * heads if kernel.form == "sums" else heads
        forward = self.argument.problem.forward
        if kernel.form == "bias":
            return -(-forward.seq_q // kernel.rows) * -(-forward.seq_k // kernel.columns)
        if kernel.form == "dq":
            return -(-forward.seq_q // (64 if kernel.is_square else kernel.columns)) * batch * heads
        length, several = (forward.seq_q, heads) if kernel.form == "queries" else (forward.seq_k, kv_heads)
        return -(-length // kernel.rows) * batch * several

    def gradients(self):
        """dQ, dK and dV."""
        return [numbers_of(x.read(), self.problem.kind) for x in self.results]


def workspace_of(problem, o, lse):
    """Results of the kernel of sums: lse * log2(e), +inf for a query that sees nothing, rowsum(dO * O), and lse."""
    shape = len(problem.queries), lse.shape[0], -(-max(problem.queries) // PADDED_ROWS) * PADDED_ROWS
    logarithms, deltas = numpy.full(shape, numpy.inf, numpy.float32), numpy.zeros(shape, numpy.float32)
    for b, length in enumerate(problem.queries):
        rows = problem.of(b)[0]
        of_rows = lse[:, rows]
        logarithms[b, :, :length] = numpy.where(of_rows == -numpy.inf, numpy.inf, of_rows)
        deltas[b, :, :length] = (o * problem.d_o).sum(-1)[0][:, rows]
    return (logarithms * numpy.log2(numpy.e)).astype(numpy.float32), deltas, logarithms


def check_sums(launch):
    """Sentences on the workspace, whose numbers of queries past the last count too."""
    wrong = []
    for name, memory, right in zip(("normalizers", "deltas", "logarithms"), launch.numbers, launch.workspace):
        got = numpy.frombuffer(memory.read(), numpy.float32).reshape(right.shape)
        same = numpy.isclose(got, right, rtol=0, atol=2.0**-17 * numpy.max(abs(right[numpy.isfinite(right)])))
        if not same.all():
            wrong.append(f"sums: {(~same).sum()} of {same.size} {name} are wrong")
    return wrong


def check_bias(what, launch):
    """Sentences on what a kernel has added to dbias."""
    now = numpy.frombuffer(launch.d_bias.read(), numpy.float32).reshape(launch.before.shape)
    added, launch.before = now - launch.before, now
    exact, low = ([x.sum((0, 1)) for x in launch.problem.formula(0, f, with_scores=True)[-1]]
                  for f in (lambda x: x, lambda x: rounded(x, launch.problem.kind)))
    ratio = worst_ratio(added, exact, low)
    return [] if ratio <= 1 else [f"{what}: dbias is {ratio} times its bound off"]


def compare(what, launch, computed):
    """Sentences on those of dQ, dK and dV that are computed, and dsink; what lies behind the keys of a sequence must be 0."""
    problem, wrong = launch.problem, []
    results = launch.gradients()
    d_sinks = [numpy.zeros(problem.q.shape[1]) for _ in range(4)]
    for b in range(len(problem.queries)):
        exact, low = problem.formula(b), problem.formula(b, lambda x: rounded(x, problem.kind))
        queries, keys, behind = problem.of(b)
        for i, (name, rows) in enumerate((("dQ", queries), ("dK", keys), ("dV", keys))):
            if name not in computed:
                continue
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


def problem_of(run, rng, kernel, sinks):
    """Without changes, sequences of different lengths, keys of one that end before its room, where the kernel takes them.
    With a band alone a window, and queries that see no key. Else two heads that share keys and a bias."""
    head, value, block = kernel.head - 8, kernel.value - 16, max(64, kernel.rows)
    window = (40, 0) if kernel.mask == "band" else None
    causal = "bottom_right" if kernel.mask in ("band", "boolean") else None
    several = 2, [37, 133], [130, 40], [130, 45]
    if kernel.changes() == "band" and kernel.by_roles and kernel.any_length:
        heads, queries, keys, room = several
    elif kernel.changes() == "band":
        heads, queries, keys, room = 1, [133], [70], [70]
    elif kernel.changes():
        heads, queries, keys, room = 2, [block + 9], [block + 6], [block + 6]
    elif not kernel.any_length:
        heads, queries, keys, room = 2, [197], [190], [190]
    else:
        heads, queries, keys, room = several
    problem = Sequences(rng, kernel.type, head, value, heads, 1, queries, keys, room, window, causal, sinks)
    problem.changes = Changes(run, rng, kernel, heads, queries[0], keys[0], (block, block), repeated_bias=True)
    return problem


def check_group(run, rng, group, others):
    """The kernels of one backward pass, in its order, with those of `others`, sums and sinks, that take its arguments."""
    first = group[0]
    names = [name for x in group for name in x.results if name != "dbias"]
    if len(names) > len(set(names)):
        raise ValueError(f"two kernels of {first.of()} compute one of {', '.join(names)}, of which one would be compared")
    def of_tile(x):
        return x.head, x.value, x.rows, x.columns, getattr(x, "chunk", None)

    own = [x for x in others if (x.type, x.soft_cap) == (first.type, first.soft_cap) and
           (first.adds_dq and of_tile(x) == of_tile(first) if x.form == "dq" else
            not first.by_roles and (x.form == "sinks" or x.value == first.value))]
    forms = {x.form for x in own}
    launch = Launch(run, rng, problem_of(run, rng, first, "sinks" in forms), "sums" in forms,
                    first.head if first.adds_dq else 0)
    what, wrong = f"gradients {first.of()}", []
    for kernel in sorted(own + group, key=lambda x: ORDER.index(x.form)):
        run.launch(kernel, launch.blocks(kernel), launch.argument, launch.tensors)
        if kernel.form == "sums":
            wrong += check_sums(launch)
        if "dbias" in kernel.results:
            wrong += check_bias(f"{what}, {kernel.form}", launch)
    return wrong + compare(what, launch, {name for x in own + group for name in x.results})


def check_gradients(run, rng, kernels):
    """Those of a file that are of a backward pass: by what they compute gradients of, all of one in one problem."""
    found = {}
    for kernel in kernels:
        if kernel.form in ("keys", "values", "queries", "bias"):
            found.setdefault((kernel.of(), kernel.by_roles, kernel.adds_dq), []).append(kernel)
    others = [x for x in kernels if x.form in ("sums", "sinks", "dq")]
    return [text for group in found.values() for text in check_group(run, rng, group, others)]
