"""Arrays of the cases of run_ops.py in a machine's memory, and how results are compared."""

import numpy

from _attention_model import rounded
from _bfloat16 import bfloat16_of_bits, bits_of_bfloat16

TAG, FIRST = 0x5A << 40, 1 << 30  # addresses that stand for arrays: launches/recorder.hpp


class Array:
    """A case's array in the machine's memory: numbers of float16, bfloat16 (kept in 16 bits), float32 or integers."""

    def __init__(self, run, values, kind):
        self.kind, self.shape = kind, numpy.shape(values)
        self.memory = run.numbers(encode(values, kind))

    def read(self):
        return decode(self.memory.read(), self.kind).reshape(self.shape)


def encode(values, kind):
    values = numpy.asarray(values)
    if kind == "bf16":
        return bits_of_bfloat16(rounded(values, "bf16"))
    return numpy.ascontiguousarray(values.astype(kind))


def decode(data, kind):
    if kind == "bf16":
        return bfloat16_of_bits(numpy.frombuffer(data, numpy.uint16))
    return numpy.frombuffer(data, kind).copy()


def patched(argument, arrays):
    """The bytes of an argument with the arrays' addresses in the places of those that stand for them."""
    words = bytearray.fromhex(argument)
    for at in range(0, len(words) - 7, 8):
        word = int.from_bytes(words[at:at + 8], "little")
        if word >> 40 == TAG >> 40 and word & FIRST:
            number = word >> 32 & 0xFF
            words[at:at + 8] = (arrays[number].memory.addr + (word & FIRST - 1)).to_bytes(8, "little")
    return bytes(words)


def near(what, got, exact, relative, absolute):
    got, exact = numpy.asarray(got, numpy.float64), numpy.asarray(exact, numpy.float64)
    wrong = ~((numpy.abs(got - exact) <= relative * numpy.abs(exact) + absolute) | (numpy.isnan(got) & numpy.isnan(exact)))
    if wrong.any():
        at = tuple(int(x) for x in numpy.argwhere(wrong)[0])
        return [f"{what}: {int(wrong.sum())} of {wrong.size} differ, at {at} {got[at]} for {exact[at]}"]
    return []


def same(what, got, exact):
    return [] if numpy.array_equal(got, exact) else [f"{what} differs"]


HALF, BF16 = 2.0**-11, 2.0**-8


def softmax(x):
    power = numpy.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def rounded_to(values, kind):
    """Values that the element type has, in float64."""
    if kind == "bf16":
        return rounded(values, "bf16").astype(numpy.float64)
    return numpy.asarray(values).astype(kind).astype(numpy.float64)
