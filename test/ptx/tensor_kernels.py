"""Kernels of test/device/tensor_ops.cpp and convert.cpp on the machine: loads, reductions, changes of distribution."""

import struct

import numpy

from machine import Fault, Machine

ROWS, COLUMNS, LENGTH, STRIDE = 16, 32, 13, 36  # a tile of a block, rows in memory, elements between rows


def argument(*values):
    """Parameters of a kernel: addresses and 64-bit numbers, 32-bit ones as (value,)."""
    data = b""
    for v in values:
        wide = not isinstance(v, tuple)
        data += bytes(-len(data) % (8 if wide else 4)) + struct.pack("<q" if wide else "<i", v if wide else v[0])
    return data


def run_tensor_ops(library, text, seed):
    """Names of kernels whose result is wrong. One block of two warps sees 13 of its 16 rows."""
    rng = numpy.random.default_rng(seed)
    data = rng.standard_normal((LENGTH, STRIDE)).astype(numpy.float32)
    x = data[:, :COLUMNS].astype(numpy.float64)
    weights = numpy.exp2(x - x.max(axis=1, keepdims=True))
    shifted = {"softmax": weights / weights.sum(axis=1, keepdims=True), "to_columns": x, "to_columns_in_chunks": x}
    wrong = []
    for name, value in shifted.items():
        machine = Machine(library, text)
        to, given = machine.add("to", numpy.full((LENGTH, STRIDE), 7, numpy.float32), True), machine.add(
            "from", data.reshape(-1)[: (LENGTH - 1) * STRIDE + COLUMNS]
        )
        machine.launch(
            machine.kernel(f"_ZN6tegula{len(name)}{name}E"),
            1,
            64,
            argument(to, given, (LENGTH,), STRIDE),
            1 << 14,
            seed=seed,
        )
        got = machine.read(to, data.nbytes).view(numpy.float32).reshape(data.shape)
        if not numpy.allclose(got[:, :COLUMNS], value, rtol=1e-5, atol=1e-6) or (got[:, COLUMNS:] != 7).any():
            wrong.append(f"tensor_ops {name}, seed {seed}: wrong result")
    machine = Machine(library, text)
    to, given = machine.add("to", 8 * COLUMNS, True), machine.add("from", data)
    machine.launch(
        machine.kernel("_ZN6tegula11column_bestE"), 1, 64, argument(to, given, (LENGTH,), STRIDE), 1 << 14, seed=seed
    )
    got = machine.read(to, 8 * COLUMNS).view([("value", numpy.float32), ("row", numpy.int32)])
    filled = numpy.vstack([x, numpy.full((ROWS - LENGTH, COLUMNS), -1)])
    if not (
        numpy.array_equal(got["value"], filled.max(axis=0).astype(numpy.float32))
        and numpy.array_equal(got["row"], filled.argmax(axis=0))
    ):
        wrong.append(f"tensor_ops column_best, seed {seed}: wrong result")
    return wrong


# Threads, registers of a thread, bytes of an element. A change of distribution moves each element to one place.
CONVERSIONS = {
    "renamed": (32, 8, 4),
    "swapped": (32, 8, 2),
    "transposed": (32, 8, 4),
    "gathered": (32, 3, 4),
    "across": (128, 32, 2),
    "in_chunks": (128, 32, 2),
    "odd_rows_to_blocks": (64, 15, 4),
    "forced": (32, 8, 4),
    "to_operand_a": (32, 8, 2),
    "to_operand_b": (32, 8, 2),
    "from_accumulator": (32, 8, 2),
}


def conversion(name, threads, registers):
    """Element of the tile by thread and register before and after, as test/device/convert.cpp words the distributions."""
    t, r = numpy.meshgrid(numpy.arange(threads), numpy.arange(registers), indexing="ij")
    rows = t * 8 + r
    halves = t * 8 + r % 2 * 4 + r // 2
    half_rows = (r // 4 * 16 + t % 16) * 8 + t // 16 * 4 + r % 4
    pairs = (t % 8 * 4 + r // 2) * 8 + t // 8 * 2 + r % 2
    lane, warp = t % 32, t // 32
    wave_rows = (warp * 16 + r // 16 * 8 + lane // 4) * 64 + lane % 4 * 16 + r % 16
    wave_columns = (r // 16 * 32 + lane) * 64 + warp * 16 + r % 16
    odd_rows = (r // 3 * 32 + lane) * 6 + warp * 3 + r % 3
    odd_blocks = (lane * 5 + r % 5) * 6 + r // 5 * 2 + warp
    eighths = t // 2 * 16 + t % 2 * 8 + r
    operand_a = (r // 2 % 2 * 8 + t // 4) * 16 + r // 4 * 8 + t % 4 * 2 + r % 2
    operand_b = (r // 2 % 2 * 8 + t % 4 * 2 + r % 2) * 16 + r // 4 * 8 + t // 4
    return {
        "renamed": (rows, halves),
        "swapped": (rows, half_rows),
        "transposed": (rows, pairs),
        "gathered": (t * 3 + r, r * 32 + t),
        "across": (wave_rows, wave_columns),
        "in_chunks": (wave_rows, wave_columns),
        "odd_rows_to_blocks": (odd_rows, odd_blocks),
        "forced": (rows, half_rows),
        "to_operand_a": (eighths, operand_a),
        "to_operand_b": (eighths, operand_b),
        "from_accumulator": (operand_a, eighths),
    }[name]


def run_conversions(library, text, seed):
    rng, wrong = numpy.random.default_rng(seed), []
    for name, (threads, registers, size) in CONVERSIONS.items():
        dtype = numpy.dtype(f"u{size}")
        before, after = conversion(name, threads, registers)
        tile = rng.permutation(threads * registers).astype(dtype)
        machine = Machine(library, text)
        given, to = machine.add("from", tile[before]), machine.add("to", tile.nbytes, True)
        try:
            machine.launch(
                machine.kernel(f"_ZN6tegula{len(name)}{name}E"), 1, threads, argument(to, given), 1 << 14, seed=seed
            )
            if not numpy.array_equal(machine.read(to, tile.nbytes).view(dtype).reshape(after.shape), tile[after]):
                wrong.append(f"convert {name}, seed {seed}: wrong result")
        except Fault as report:
            wrong.append(f"convert {name}, seed {seed}: {report}")
    return wrong
