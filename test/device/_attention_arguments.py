"""Arguments of the kernels of attention as C structures, and tensors in a device's memory."""

import ctypes

import numpy

from _bfloat16 import bfloat16_of_bits, bits_of_bfloat16

POINTER, LONG, INT, FLOAT = ctypes.c_uint64, ctypes.c_int64, ctypes.c_int32, ctypes.c_float


def structure(name, **fields):
    """A C structure whose members, zero at first, have these types."""
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


# kernel/attention/arguments.hpp, backward/workspace.hpp, split/arguments.hpp and append/arguments.hpp. That the sizes
# are the compiler's is checked at each launch.
Tensor = structure("Tensor", data=POINTER, batch=LONG, head=LONG, row=LONG)
Rows = structure("Rows", data=POINTER, batch=LONG, head=LONG)
Scale = structure("Scale", data=POINTER, batch=LONG, head=LONG, block=LONG, block_rows=INT)
Band = structure("Band", left=INT, right=INT, diagonal=INT, prefix=INT, prefix_lengths=POINTER)
Lists = structure("Lists", counts=POINTER, blocks=POINTER, batch=LONG, head=LONG, capacity=INT, queries=INT, keys=INT)
Scores = structure("Scores", data=POINTER, batch=LONG, head=LONG, query=LONG, key=LONG)
Alibi = structure("Alibi", slopes=POINTER, batch=LONG)
Dropout = structure("Dropout", threshold=INT, offset=INT, seed=LONG)
Lengths = structure("Lengths", query_offsets=POINTER, key_offsets=POINTER, key_lengths=POINTER,
                    query_rows=INT, key_rows=INT)
Pages = structure("Pages", table=POINTER, batch=LONG, page_length=INT, pages=INT)
ATTENTION = dict(
    batch=LONG, heads=INT, kv_heads=INT, seq_q=INT, seq_k=INT, head_dim=INT, value_dim=INT, q=Tensor, k=Tensor, v=Tensor,
    o=Tensor, lse=Rows, scale=FLOAT, score=ctypes.c_uint8, q_scale=Scale, k_scale=Scale, v_scale=Scale, band=Band,
    lists=Lists, boolean=Scores, bias=Scores, alibi=Alibi, sinks=POINTER, dropout=Dropout, lengths=Lengths, pages=Pages)
Attention = structure("Attention", **ATTENTION)
Capped = structure("Capped", **{**ATTENTION, "score": FLOAT})  # with a soft cap
Documented = structure("Documented", **{**ATTENTION, "score": POINTER})  # with the functor same_document
Rotary = structure("Rotary", cosines=POINTER, sines=POINTER, row=LONG, positions=INT, columns=INT,
                   interleaved=ctypes.c_uint8)
Append = structure(
    "Append", batch=LONG, heads=INT, kv_heads=INT, rows=INT, head_dim=INT, value_dim=INT, new_k=Tensor, new_v=Tensor,
    k=Tensor, v=Tensor, capacity=INT, pages=Pages, cached=POINTER, cached_rows=INT, new_offsets=POINTER,
    key_lengths=POINTER, rotary=Rotary, q=Tensor, rotated_q=Tensor)


def shares_of(attention):
    """The structure of a split of this attention's keys."""
    return structure("Split", attention=attention, splits=INT, workspace=POINTER, workspace_size=LONG)


Cache = structure("Cache", values=Tensor, scales=Tensor, rope=Tensor)  # latent_cache.hpp


def gradients_of(attention):
    """The structures of a backward pass of this forward one: the problem, and what its kernels are given."""
    backward = structure("Backward", forward=attention, d_o=Tensor, dq=Tensor, dk=Tensor, dv=Tensor, d_bias=Scores,
                         d_sinks=POINTER, lists_by_keys=Lists)
    return backward, structure("Gradients", problem=backward, normalizers=POINTER, deltas=POINTER,
                               logarithms=POINTER, dq=POINTER, padded_rows=INT)


class Stored:
    """An array [batch, heads, rows, columns] in a device's memory, rows `PADDING` columns of a pattern apart."""

    PATTERN, PADDING = 0xff, 16

    def __init__(self, run, array):
        array = numpy.ascontiguousarray(array)
        self.shape, self.type = array.shape, array.dtype
        whole = numpy.full((*array.shape[:3], array.shape[3] + self.PADDING), 0, array.dtype)
        whole.view(numpy.uint8)[...] = self.PATTERN
        whole[..., :array.shape[3]] = array
        self.whole = whole.shape
        self.memory = run.numbers(whole, array.dtype)

    def tensor(self):
        row = self.whole[3]
        return Tensor(self.memory.addr, self.whole[1] * self.whole[2] * row, self.whole[2] * row, row)

    def read(self):
        """The array; a pattern that was overwritten is a fault."""
        whole = numpy.frombuffer(self.memory.read(), self.type).reshape(self.whole)
        if (whole[..., self.shape[3]:].copy().view(numpy.uint8) != self.PATTERN).any():
            raise ValueError("what lies between rows was overwritten")
        return whole[..., :self.shape[3]].copy()


def cache_of_records(tensor):
    """The cache of the latent form whose keys are records: 512 bytes of values, four scales, and the columns of the position."""
    def part(first, size):
        return Tensor(tensor.data + first, tensor.batch // size, tensor.head // size, tensor.row // size)
    return Cache(part(0, 1), part(512, 4), part(528, 2))


def bits_of(x, kind):
    """Numbers that the type holds, as 16 bits each."""
    return x.astype(numpy.float16).view(numpy.uint16) if kind == "f16" else bits_of_bfloat16(x)


def numbers_of(bits, kind):
    return (bits.view(numpy.float16) if kind == "f16" else bfloat16_of_bits(bits)).astype(float)


def plain_argument(q, k, v, o, lse, scale, right=-1, kind=Attention):
    batch, heads, seq_q, columns = q.shape
    return kind(batch=batch, heads=heads, kv_heads=k.shape[1], seq_q=seq_q, seq_k=k.shape[2], head_dim=columns,
                value_dim=v.shape[3], q=q.tensor(), k=k.tensor(), v=v.tensor(), o=o.tensor(),
                lse=Rows(lse.addr, heads * seq_q, seq_q), scale=scale, band=Band(-1, right, 0, 0, 0))
