"""An emulator of AMD's machine code for run_code_objects.py, where the machine has one.

The emulator is no part of this project: a Python file, whose path is in TEGULA_AMD_EMU, with a class CodeObject whose
kernels have launch(grid, block, args, lds), a class DevBuf for memory and an exception EmuError; what it needs itself
(TINYGRAD_PATH) it finds on its own. Added here is what it gets wrong; `needed` of a result says that a kernel ran it:

    accumulator_ds   CDNA: LDS reads and writes whose data are accumulation registers (the instruction's acc bit, which
                     the emulator passed over: gemm_bf16_large_kk of gfx90a was off by 8 then)
"""

import ctypes
import functools
import importlib.util
import os
import re
from pathlib import Path

import numpy

VECTORS, SCALARS = 256, 260
EXEC, PROGRAM_COUNTER = 126, 256
FAILED = 0xfffffffffffffffe  # a program counter that the emulator reports as an illegal use
DS_DATA = re.compile(r"DS_(READ|WRITE)(2?)(ST64)?_B(32|64|96|128)$")


def reason_to_skip():
    """Why the emulator cannot be used here; empty where it can."""
    path = os.environ.get("TEGULA_AMD_EMU", "")
    if not path:
        return "TEGULA_AMD_EMU does not name an emulator of AMD's machine code"
    if not Path(path).exists():
        return f"there is no emulator of AMD's machine code at {path}"
    return ""


@functools.cache
def load():
    """The emulator's module, completed."""
    path = Path(os.environ["TEGULA_AMD_EMU"])
    specification = importlib.util.spec_from_file_location("amd_emu", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    Additions(module)
    return module


def words(address, count):
    return numpy.frombuffer((ctypes.c_uint32 * count).from_address(address), numpy.uint32)


class Wave:
    """The registers of a wave, by address."""

    def __init__(self, scalars, vectors, accumulators, lanes):
        self.scalars = words(scalars, SCALARS)
        self.vectors = words(vectors, VECTORS * lanes).reshape(VECTORS, lanes)
        self.accumulators = words(accumulators, VECTORS * lanes).reshape(VECTORS, lanes)
        mask = int(self.scalars[EXEC]) | int(self.scalars[EXEC + 1]) << 32
        self.active = numpy.array([mask >> lane & 1 for lane in range(lanes)], bool)

    def move_on(self, size):
        at = (int(self.scalars[PROGRAM_COUNTER]) | int(self.scalars[PROGRAM_COUNTER + 1]) << 32) + size
        self.jump(at)

    def jump(self, to):
        self.scalars[PROGRAM_COUNTER] = to & 0xffffffff
        self.scalars[PROGRAM_COUNTER + 1] = to >> 32


class Additions:
    """Instructions as this project has them, put before the emulator's own."""

    def __init__(self, module):
        self.module = module
        self.used = module.tegula_used = set()
        # Scalars, vectors, memory, LDS, scratch, accumulators, the instruction's fields.
        function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6, ctypes.POINTER(ctypes.c_int32))
        self.functions = {"tegula_ds": function(self.run_ds)}
        original_address, original_native = module._cfn, module.Engine.native

        def address(name):
            if name in self.functions:
                return ctypes.cast(self.functions[name], ctypes.c_void_p).value
            return original_address(name)

        def native(engine, instruction, name, raw):
            found = self.find(engine, name, instruction.size(), int.from_bytes(raw[:12], "little"))
            return found or original_native(engine, instruction, name, raw)

        module._cfn, module.Engine.native = address, native

    def find(self, engine, name, size, word):
        """The function for an instruction and its fields, or None."""
        def field(low, bits):
            return word >> low & ((1 << bits) - 1)

        if engine.arch != "cdna":
            return None
        if name.startswith("DS_") and field(25, 1):
            return self.find_ds(name, size, field)
        if name.startswith(("GLOBAL_", "FLAT_", "SCRATCH_")) and field(55, 1):
            raise self.module.EmuError(f"{name} with accumulation registers is not emulated")
        return None

    def find_ds(self, name, size, field):
        match = DS_DATA.match(name)
        if not match:
            raise self.module.EmuError(f"{name} with accumulation registers is not emulated")
        store, pair, far = match.group(1) == "WRITE", bool(match.group(2)), bool(match.group(3))
        width = int(match.group(4)) // 32
        scale = 4 * width * (64 if far else 1)
        offsets = [field(0, 8) * scale, field(8, 8) * scale] if pair else [field(0, 16)]
        data = [field(40, 8), field(48, 8)] if store else [field(56, 8), field(56, 8) + width]
        return "tegula_ds", [size, 64, int(store), width, field(32, 8), len(offsets), *offsets, *data[:len(offsets)]]

    def run_ds(self, scalars, vectors, memory, lds, scratch, accumulators, fields):
        self.used.add("accumulator_ds")
        size, lanes, store, width, address, count = fields[:6]
        wave = Wave(scalars, vectors, accumulators, lanes)
        for i in range(count):
            offset, register = fields[6 + i], fields[6 + count + i]
            first = wave.vectors[address][wave.active].astype(numpy.int64) + offset
            if first.size and (first.max() + 4 * width > self.module.tegula_shared_bytes or (first % 4).any()):
                return wave.jump(FAILED)
            shared = words(lds, self.module.tegula_shared_bytes // 4)
            for j in range(width):
                if store:
                    shared[first // 4 + j] = wave.accumulators[register + j][wave.active]
                else:
                    wave.accumulators[register + j, wave.active] = shared[first // 4 + j]
        return wave.move_on(size)
