"""bfloat16 in NumPy, which has no such type: numbers that it holds, as 16 bits each."""

import numpy


def bits_of_bfloat16(x):
    return (x.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def bfloat16_of_bits(bits):
    """As float32."""
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)
