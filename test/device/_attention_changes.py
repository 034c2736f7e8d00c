"""Changes of a kernel's scores, by its name: masks, biases, dropout, a soft cap and documents. They lie in a device's memory,
and are given as test/programs/_attention_model.py takes them."""

import numpy

from _attention_arguments import Alibi, Attention, Capped, Documented, Dropout, Lists, Scores
from _attention_model import dropout_factors

CAP = 1.5
DROPOUT = (16384, 5, 0x123456789abcdef0)


def lists_in(run, seen, queries, keys):
    """Block lists [heads, blocks of queries, blocks of keys] in a device's memory, and what keeps them there. queries, keys:
    of a block."""
    capacity = seen.shape[2] + 1
    counts, blocks = seen.sum(2), numpy.full((*seen.shape[:2], capacity), -1)
    for place, count in numpy.ndenumerate(counts):
        blocks[place][:count] = numpy.flatnonzero(seen[place])
    memory = [run.numbers(x, numpy.int32) for x in (counts, blocks)]
    return Lists(memory[0].addr, memory[1].addr, 0, seen.shape[1], capacity, queries, keys), memory


class Changes:
    """The changes for a problem [heads, queries, keys]: `options` of the formula; `apply` writes them to the arguments."""

    def __init__(self, run, rng, kernel, heads, queries, keys, blocks=(128, 64), repeated_bias=False):
        """blocks: queries and keys of the blocks that lists name. repeated_bias: all heads share one bias. Otherwise each head
        has its own, with NaN between its elements. It then hides the keys of the first tile from the first head's last queries."""
        self.members, self.memory, added = {}, [], numpy.zeros((1, 1, 1))
        distance = numpy.arange(queries)[:, None] + keys - queries - numpy.arange(keys)
        if kernel.bias == "tensor":
            added = rng.standard_normal((1 if repeated_bias else heads, queries, keys)).astype(numpy.float32)
            if repeated_bias:
                self.bias = self.keep(run, added, numpy.float32)
                self.members["bias"] = Scores(self.bias.addr, 0, 0, keys, 1)
            else:
                added[0, -3:, :kernel.columns + 2] = -1e30
                spread = numpy.full((*added.shape, 2), numpy.nan, numpy.float32)
                spread[..., 0] = added
                # The last element is the end of its memory, as the mask's is.
                of_bias = self.keep(run, spread.reshape(-1)[:-1], numpy.float32)
                self.members["bias"] = Scores(of_bias.addr, 0, queries * keys * 2, keys * 2, 2)
        if kernel.bias == "alibi":
            slopes = 0.5 / 8.0**numpy.arange(heads, dtype=numpy.float32)
            added = -slopes[:, None, None].astype(float) * abs(distance)
            self.members["alibi"] = Alibi(self.keep(run, slopes, numpy.float32).addr, 0)
        seen = numpy.ones((1, 1, 1), bool)
        if kernel.mask == "boolean":
            seen = rng.integers(0, 4, (1, queries, keys)) != 0
            self.members["boolean"] = Scores(self.keep(run, seen[0].T, numpy.uint8).addr, 0, 0, 1, queries)
        if kernel.mask == "lists":
            seen = self.listed(run, heads, queries, keys, *blocks)
        if kernel.documents:
            document = numpy.arange(max(queries, keys), dtype=numpy.int32) // 50
            seen = seen & (document[:queries, None] == document[:keys])
            self.members["score"] = self.keep(run, document, numpy.int32).addr
        if kernel.dropout:
            self.members["dropout"] = Dropout(*DROPOUT)
        if kernel.soft_cap:
            self.members["score"] = CAP
        self.argument = Capped if kernel.soft_cap else Documented if kernel.documents else Attention
        changed = kernel.bias != "none" or kernel.mask in ("boolean", "lists") or kernel.documents
        self.options = {"softcap": CAP if kernel.soft_cap else 0.0,
                        "bias": numpy.where(seen, added.astype(float), -numpy.inf) if changed else None,
                        "kept": dropout_factors(heads, queries, keys, *DROPOUT) if kernel.dropout else None}

    def keep(self, run, values, kind):
        self.memory.append(run.numbers(values, kind))
        return self.memory[-1]

    def listed(self, run, heads, queries, keys, block_queries, block_keys):
        """The keys that lists show. In the first head a block of queries sees its own block of keys, every other one before it,
        and the first. In the other heads all but the last block of queries see the first block of keys. With two blocks or
        more of queries and of keys, one block of keys is seen by two or more, another by none, and some queries see none."""
        shape = heads, -(-queries // block_queries), -(-keys // block_keys)
        head, row, column = numpy.ogrid[:shape[0], :shape[1], :shape[2]]
        triangle = (column <= row) & ((column == 0) | ((row - column) % 2 == 0))
        blocks = numpy.where(head == 0, triangle, (column == 0) & (row < shape[1] - 1))
        blocks = numpy.broadcast_to(blocks, shape)
        for member, of in (("lists", blocks), ("lists_by_keys", blocks.swapaxes(1, 2))):
            self.members[member], memory = lists_in(run, of, block_queries, block_keys)
            self.memory += memory
        return numpy.repeat(numpy.repeat(blocks, block_queries, 1), block_keys, 2)[:, :queries, :keys]

    def apply(self, forward):
        for name, value in self.members.items():
            if name != "lists_by_keys":
                setattr(forward, name, value)
