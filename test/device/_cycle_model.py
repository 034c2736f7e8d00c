"""The cost of a round of a kernel's main loop for the units of an AMD SIMD, in cycles, by the chip's rates. Used by
attention_cycles.py and benchmark/beside_rivals.py.

For one wave:

    matrix          products, at the rate of chip/speeds.hpp
    vector          the vector ALU: an instruction takes wave size / lanes of the ALU; transcendental ones, and conversions on
                    CDNA, four times that (LLVM's scheduling model). On CDNA a product takes the ALU for its issue besides;
                    on RDNA for its whole time: LLVM counts WMMA of gfx11 and gfx12 among the ALU's instructions.
    transcendental  those of them; on RDNA a unit beside the ALU, which spends one issue on each
    shared          bytes between shared memory and registers, at the compute unit's rate divided by its SIMDs
    global          bytes loaded from global memory, at the rate of the cache
    alone           all instructions one after the other, at least an issue each: a wave that overlaps nothing

W waves share a SIMD: as many as registers and shared memory leave room for. Units work beside each other as far as
there are waves to feed them, so that W rounds take the largest of W times each unit and once `alone`. The share of the
matrix units is W times `matrix` of that: 1 where nothing but the products bounds the loop. Not modelled: latency of memory,
barriers, bank conflicts (tests elsewhere count none), caches.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "gemm"))
import _code_object  # noqa: E402

MATRIX = re.compile(r"v_(?:mfma|wmma)_(?:scale_)?[fi](?:32|16)_(\d+)x(\d+)x(\d+)_?(\w+)")
# Two operands of 4 or 6 bits, for which AMD names twice the rate of bytes. Scales cost nothing in LLVM's model.
NARROW = re.compile(r"(?=.*\bcbsz:[234])(?=.*\bblgp:[234])")
TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos|rcp_iflag)_[bf](16|32)")
# Full rate: pairs of f16 toward zero, pairs of bf16 and f16 in LLVM's model of gfx950, and bytes to floats.
CONVERSION = re.compile(r"v_cvt_(?!pk_?rtz|pk_b?f16|f32_ubyte)\w*f(16|32|8)\w*")
SWAP = re.compile(r"v_permlane\d+_swap")  # two instructions in that model
SHARED = re.compile(r"ds_(?:read|write|load|store)(2?)(?:st64|addrtid)?_[biu](8|16|32|64|96|128)")
EXCHANGE = re.compile(r"ds_b?permute|ds_swizzle")
GLOBAL = re.compile(r"(?:buffer|global)_load_(?:lds_)?([a-z0-9]+)")
GLOBAL_BYTES = {"dwordx4": 16, "dwordx3": 12, "dwordx2": 8, "dword": 4, "ushort": 2, "short": 2, "ubyte": 1, "sbyte": 1,
                "b128": 16, "b96": 12, "b64": 8, "b32": 4, "u16": 2, "i16": 2, "d16": 2, "u8": 1, "i8": 1}

# Shared memory of what _code_object.REGISTER_FILES' four SIMDs have together, a CDNA compute unit or an RDNA workgroup
# processor, and how many waves a SIMD holds at most (ISA guides, CDNA 3 and 4 white papers).
SHARED_MEMORY = {"gfx90a": (65536, 8), "gfx942": (65536, 8), "gfx950": (163840, 8), "gfx1100": (131072, 16),
                 "gfx1201": (131072, 16)}


def read_speed(arch):
    """The fields of chip_speed that are whole numbers, by name."""
    text = (ROOT / "include/tegula/chip/speeds.hpp").read_text(encoding="utf-8")
    record = re.search(rf"chip_speed {arch} = \{{(.*?)\}};", text, re.DOTALL)
    if not record:
        raise ValueError(f"chip/speeds.hpp has no speeds of {arch}")
    speed = {name: int(value) for name, value in re.findall(r"^    int (\w+) = (\d+);", text, re.MULTILINE)}
    return speed | {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+)", record[1])}


class Chip:
    """Rates of a SIMD; the chip's own figures are those of chip/speeds.hpp."""

    def __init__(self, arch):
        speed = read_speed(arch)
        simds, self.byte_rate = speed["simds"], speed["byte_rate"]
        self.arch = arch
        self.cdna = arch.startswith("gfx9")
        self.lanes = 64 if self.cdna else 32
        self.multiply_adds = speed["multiply_adds"] / simds
        self.shared_rate, self.global_rate = speed["shared_bytes"] / simds, speed["cache_bytes"] / simds
        self.pass_cycles = 4 if self.cdna else 1  # of 16 and of 32 lanes: one vector instruction


def matrix_cycles(chip, text):
    """Cycles of a matrix instruction of inputs of 4 to 16 bits."""
    shape = MATRIX.match(text)
    m, n, k = (int(shape.group(i)) for i in (1, 2, 3))
    bytes_ = not shape.group(4).startswith(("f16", "bf16"))
    rate = (chip.byte_rate if bytes_ else 1) * (2 if NARROW.search(text) else 1)
    return m * n * k / (chip.multiply_adds * rate)


def vector_cycles(chip, text):
    """(cycles of the vector ALU, cycles of the transcendental unit) of an instruction that is no product."""
    if TRANSCENDENTAL.match(text):
        slow = 4 * chip.pass_cycles
        return (slow if chip.cdna else chip.pass_cycles), slow
    slow = 4 if chip.cdna and CONVERSION.match(text) else 2 if SWAP.match(text) else 1
    return slow * chip.pass_cycles, 0


def moved_bytes(text):
    """(bytes of a lane to or from shared memory, bytes of a lane from global memory)."""
    found = SHARED.match(text)
    if found:
        return (2 if found.group(1) else 1) * int(found.group(2)) // 8, 0
    if EXCHANGE.match(text):
        return 4, 0
    found = GLOBAL.match(text)
    return 0, GLOBAL_BYTES[found.group(1)] if found else 0


def round_cycles(arch, texts):
    """Cycles of one wave's round by unit."""
    chip = Chip(arch)
    cycles = dict.fromkeys(("matrix", "vector", "transcendental", "shared", "global", "alone"), 0)
    for text in texts:
        if MATRIX.match(text):
            product = matrix_cycles(chip, text)
            cycles["matrix"] += product
            cycles["vector"] += chip.pass_cycles if chip.cdna else product
            cycles["alone"] += product
        elif text.startswith("v_"):
            vector, transcendental = vector_cycles(chip, text)
            cycles["vector"] += vector
            cycles["transcendental"] += transcendental
            cycles["alone"] += max(vector, transcendental)
        else:
            shared, loaded = moved_bytes(text)
            cycles["shared"] += chip.lanes * shared / chip.shared_rate
            cycles["global"] += chip.lanes * loaded / chip.global_rate
            cycles["alone"] += chip.pass_cycles
    return {name: round(value) for name, value in cycles.items()}


def waves_a_simd(arch, registers, threads, shared_bytes):
    """Waves that a SIMD holds at a time, of blocks of that many threads, which all four SIMDs share alike."""
    available, unit, _ = _code_object.REGISTER_FILES[arch]
    memory, most = SHARED_MEMORY[arch]
    waves = threads // (64 if arch.startswith("gfx9") else 32) / 4
    blocks = min(available // (-(-registers // unit) * unit), most) // waves
    if shared_bytes:
        blocks = min(blocks, memory // shared_bytes)
    return int(blocks * waves)


def matrix_share(cycles, waves):
    """(the share of the matrix units, the name of what takes the longest)."""
    time = {name: waves * cycles[name] for name in ("matrix", "vector", "transcendental", "shared", "global")}
    time["alone"] = cycles["alone"]
    longest = max(time, key=lambda name: (time[name], name == "matrix"))
    return time["matrix"] / time[longest], longest
