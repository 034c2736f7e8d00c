"""Runs kernels of AMD code objects without a GPU: gfx90a, gfx942, gfx950, gfx1100, gfx1201 and gfx1250.

It runs the machine code itself, which llvm-objdump decodes. AMD's own pseudo-code says what an operation computes; it comes
from the PyPI package tinygrad (pseudocode.py, operations.py). Memory, waits, matrix products and exchanges between lanes are
C in this folder. `reason_to_skip` says what is missing for that.

Memory is late, as on a GPU (memory.c): a store is seen, and a loaded register valid, at the wait that covers it, or at
some time before, by `policy`; a register used before that is a fault. Waves take turns in an order given by a number.
"""

import bisect
import ctypes
import struct
import sys
import weakref
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parents[2] / "examples" / "gemm"))

import _code_object  # noqa: E402
import decoding  # noqa: E402
import disassembly  # noqa: E402
import operands  # noqa: E402
import operations  # noqa: E402
from operations import Unknown  # noqa: E402

POLICIES = ("at_once", "early", "late", "mixed")
GENERATIONS = {"gfx90a": 9, "gfx942": 9, "gfx950": 9, "gfx1100": 11, "gfx1201": 12, "gfx1250": 12.5}
MACHINES = {0x3f: "gfx90a", 0x4c: "gfx942", 0x4f: "gfx950", 0x41: "gfx1100", 0x4e: "gfx1201", 0x49: "gfx1250"}  # of an ELF file's flags
FAULTS = ("", "no memory at this address", "no shared memory at this address", "a misaligned address",
          "a register that a load has not been waited for", "lanes 16 to 31 of an operand differ from lanes 0 to 15",
          "a use of this instruction that the machine does not know", "too many instructions",
          "waves wait for each other", "a trap")
REGISTER_WORDS, REGISTERS, LANES = 128 + 515 * 64, 128 + 512, 64


class Fault(Exception):
    """The kernel did what a GPU would not survive, or what the machine does not know."""


def reason_to_skip():
    """Returns what is missing here, or an empty string where kernels run."""
    try:
        operations.table(9)
    except ImportError:
        return "the Python package tinygrad, which has AMD's pseudo-code, is not installed (./dev does that)"
    if disassembly.tool() is None:
        return "llvm-objdump is not installed"
    if operations.compiler() is None:
        return "there is no C compiler"
    return ""


def run_files(check, what):
    """For scripts whose arguments are code objects: check(code object) gives what is wrong with one. Returns the exit status;
    `what` names the results if all are right."""
    reason = reason_to_skip()
    if reason:
        print(reason)
        return 77
    files = sys.argv[1:]
    problems = [f"{file}: {problem}" for file in files for problem in check(CodeObject(file))]
    for problem in problems[:40]:
        print(problem)
    print(f"{len(problems)} wrong" if problems else f"{len(files)} files, every {what} right")
    return 1 if problems else 0


class Wave(ctypes.Structure):
    """The beginning of C's; its queues, which are empty between blocks, lie behind."""

    _fields_ = [("r", ctypes.c_uint32 * REGISTER_WORDS), ("scc", ctypes.c_uint32), ("lanes", ctypes.c_uint32),
                ("index", ctypes.c_uint32), ("pc", ctypes.c_uint32), ("state", ctypes.c_uint32),
                ("signalled", ctypes.c_uint32), ("group", ctypes.c_void_p), ("issued", ctypes.c_uint64),
                ("pending_total", ctypes.c_uint32), ("pending", ctypes.c_uint8 * REGISTERS)]


class Range(ctypes.Structure):
    _fields_ = [("first", ctypes.c_uint64), ("end", ctypes.c_uint64)]


class Group(ctypes.Structure):
    _fields_ = [("program", ctypes.c_void_p), ("length", ctypes.c_uint32), ("waves", ctypes.c_uint32),
                ("alive", ctypes.c_uint32), ("shared_bytes", ctypes.c_uint32), ("policy", ctypes.c_uint32),
                ("wave", ctypes.c_void_p), ("shared", ctypes.c_void_p), ("memory", ctypes.c_void_p),
                ("ranges", ctypes.c_uint64), ("limit", ctypes.c_uint64), ("executed", ctypes.c_uint64),
                ("random", ctypes.c_uint64), ("order", ctypes.c_uint32), ("arrived", ctypes.c_uint32),
                ("generation", ctypes.c_uint32), ("fault", ctypes.c_uint32), ("fault_wave", ctypes.c_uint32),
                ("fault_pc", ctypes.c_uint32), ("fault_register", ctypes.c_uint32), ("fault_address", ctypes.c_uint64),
                ("float_mode", ctypes.c_uint32)]


def size_of(which):
    """The size of a structure of machine.h, and that the structures here are of the same."""
    function = operations.runtime().size_of
    function.restype = ctypes.c_uint64
    for i, here in ((0, operands.Operand), (1, operands.Record), (3, Group)):
        assert function(i) == ctypes.sizeof(here), f"{here} is not as machine.h has it"
    return function(which)


class DeviceMemory:
    """Bytes that kernels may touch, and no byte beside them."""

    alive = weakref.WeakSet()

    def __init__(self, size):
        self.size, self.storage = size, ctypes.create_string_buffer(size + 512)
        self.addr = (ctypes.addressof(self.storage) + 255) // 256 * 256
        DeviceMemory.alive.add(self)

    def write(self, data, offset=0):
        ctypes.memmove(self.addr + offset, bytes(data), len(data))

    def read(self, size=None):
        return ctypes.string_at(self.addr, self.size if size is None else size)


class CodeObject:
    """A file of kernels, loaded."""

    library = operations.Library()

    def __init__(self, path):
        self.path = Path(path)
        self.data = self.path.read_bytes()
        flags, = struct.unpack_from("<I", self.data, 48)
        self.arch = MACHINES.get(flags & 0xff)
        if self.arch is None:
            raise Unknown(f"{path}: machine {flags & 0xff:#x}")
        self.generation = GENERATIONS[self.arch]
        self.lanes = 64 if self.generation == 9 else 32
        self.metadata = _code_object.read_kernels(self.path)
        self.load()
        self.decode()

    def load(self):
        """Segments at their addresses; symbols; relocations are not expected of kernels."""
        headers, sections = struct.unpack_from("<QQ", self.data, 32)
        _, headers_count, _, sections_count, _ = struct.unpack_from("<HHHHH", self.data, 54)
        segments = [struct.unpack_from("<IIQQQQQQ", self.data, headers + 56 * i) for i in range(headers_count)]
        loads = [s for s in segments if s[0] == 1]
        self.memory = DeviceMemory(max(s[3] + s[6] for s in loads))
        for _, _, offset, address, _, size, _, _ in loads:
            self.memory.write(self.data[offset:offset + size], address)
        table = [struct.unpack_from("<IIQQQQIIQQ", self.data, sections + 64 * i) for i in range(sections_count)]
        self.symbols = {}
        for _, kind, _, _, offset, size, link, _, _, _ in table:
            if kind == 4 and size:
                raise Unknown(f"{self.path}: relocations")
            for at in range(offset, offset + size if kind == 11 else offset, 24):
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                start = table[link][4] + name
                self.symbols[self.data[start:self.data.index(b"\0", start)].decode()] = value

    def decode(self):
        """Records of all instructions; one that is not known raises when a kernel comes to it."""
        self.listing, self.of_address, self.problems, count = {}, {}, {}, 0
        for instruction in disassembly.disassemble(self.path, self.arch):
            self.of_address[instruction.address], self.listing[count] = count, instruction
            count += decoding.record_count(instruction)
        names = {name for instruction in self.listing.values() for name in decoding.operation_names(instruction)}
        decoder = decoding.Decoder(self.generation, self.arch, CodeObject.library.load(names, self.generation),
                                   CodeObject.library.functions)
        self.program = (operands.Record * (count + 1))()
        for at, instruction in self.listing.items():
            try:
                made = decoder.decode(instruction, self.of_address)
            except (Unknown, ValueError, KeyError, IndexError) as problem:
                self.problems[at] = f"{instruction.whole}: {problem}"
                made = [decoder.record("s_trap", instruction, [])]
            self.program[at:at + len(made)] = made

    def kernel(self, symbol):
        return Kernel(self, symbol)


class Kernel:
    """A kernel of a code object; its descriptor is that of LLVM's "User Guide for AMDGPU Backend"."""

    def __init__(self, code, symbol):
        self.code, self.symbol, self.metadata = code, symbol, code.metadata[symbol]
        at = code.symbols[f"{symbol}.kd"]
        descriptor = code.memory.read()[at:at + 64]
        self.static_shared, self.scratch, _ = struct.unpack_from("<III", descriptor, 0)
        self.entry = at + struct.unpack_from("<q", descriptor, 16)[0]
        self.mode, self.resources, self.properties, self.preload = struct.unpack_from("<IIHH", descriptor, 48)
        if self.scratch:
            raise Unknown(f"{symbol}: {self.scratch} bytes of scratch a lane")
        if code.generation > 9 and not self.properties >> 10 & 1:
            raise Unknown(f"{symbol}: waves of 64")

    def arguments(self, values, grid, block, shared):
        """Bytes of the kernel's arguments, what the compiler hides among them included."""
        data = bytearray(max(self.metadata["kernarg_segment_size"], 8))
        plain = [a for a in self.metadata.get("args", []) if not a[".value_kind"].startswith("hidden_")]
        if len(values) != len(plain):
            raise Fault(f"{self.symbol} takes {len(plain)} arguments, not {len(values)}")
        for argument, value in zip(plain, values):
            value = struct.pack("<Q", value.addr) if isinstance(value, DeviceMemory) else value
            if len(value) != argument[".size"]:
                raise Fault(f"an argument of {self.symbol} has {argument['.size']} bytes, not {len(value)}")
            data[argument[".offset"]:argument[".offset"] + len(value)] = value
        hidden = {"hidden_dynamic_lds_size": shared, "hidden_grid_dims": 3}
        for i, axis in enumerate("xyz"):
            hidden.update({f"hidden_block_count_{axis}": grid[i], f"hidden_group_size_{axis}": block[i]})
        for argument in self.metadata.get("args", []):
            value = hidden.get(argument[".value_kind"])
            if value is not None:
                at, size = argument[".offset"], argument[".size"]
                data[at:at + size] = value.to_bytes(size, "little")
        return bytes(data)

    def launch(self, grid, block, arguments, shared=0, policy="late", order=0, limit=100_000_000):
        """Instructions executed by all waves of a grid of blocks. `order`: 0 and 1 start the waves from the first and
        from the last; other numbers are seeds of random orders, of the policy "mixed" and of the order of blocks."""
        grid, block = (tuple(x) + (1,) * (3 - len(x)) for x in (grid, block))
        threads = block[0] * block[1] * block[2]
        lanes = self.code.lanes
        waves = -(-threads // lanes)
        packed = self.arguments(arguments, grid, block, shared)
        argument = DeviceMemory(len(packed))
        argument.write(packed)
        packet = DeviceMemory(64)
        packet.write(struct.pack("<HHHHHHIIIII", 2, 3, *block, 0, *[g * b for g, b in zip(grid, block)], 0, shared))
        ranges = sorted((m.addr, m.addr + m.size) for m in DeviceMemory.alive)
        memory = (Range * len(ranges))(*(Range(a, b) for a, b in ranges))
        size = self.static_shared + shared
        storage = (ctypes.c_uint8 * max(size, 16))()
        room = [ctypes.create_string_buffer(size_of(2)) for _ in range(waves)]
        own = [Wave.from_buffer(x) for x in room]
        pointers = (ctypes.c_void_p * waves)(*(ctypes.addressof(w) for w in own))
        keeps_denormals = self.mode >> 16 & 3 == 3
        group = Group(program=ctypes.addressof(self.code.program), length=len(self.code.program) - 1, waves=waves,
                      shared_bytes=size, policy=POLICIES.index(policy), wave=ctypes.addressof(pointers),
                      shared=ctypes.addressof(storage), memory=ctypes.addressof(memory), ranges=len(ranges),
                      limit=limit, random=order * 0x9e3779b97f4a7c15 + 1 & 2**64 - 1, order=order,
                      float_mode=0x1f80 | (0 if keeps_denormals else 0x8040))
        blocks = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
        if order % 2:
            blocks.reverse()
        for number in blocks:
            ctypes.memset(storage, 0xc3, ctypes.sizeof(storage))
            group.alive, group.arrived, group.generation = waves, 0, 0
            for i, wave in enumerate(own):
                self.start(wave, i, number, block, waves, argument, packet, ctypes.addressof(group))
            operations.runtime().run_group(ctypes.byref(group))
            if group.fault:
                raise Fault(self.describe(group, number))
        return group.executed

    def start(self, wave, index, number, block, waves, argument, packet, group):
        ctypes.memset(ctypes.addressof(wave), 0, ctypes.sizeof(Wave))
        ctypes.memset(ctypes.addressof(wave.r) + 4 * 128, 0xa5, 4 * (REGISTER_WORDS - 128))
        wave.lanes, wave.index, wave.group = self.code.lanes, index, group
        wave.pc = self.code.of_address[self.entry]
        threads, lanes = block[0] * block[1] * block[2], self.code.lanes
        active = (1 << min(lanes, threads - index * lanes)) - 1
        wave.r[126], wave.r[127] = active & 0xffffffff, active >> 32
        user = []
        for bit, value in ((1, packet.addr), (2, packet.addr), (3, argument.addr), (4, 0), (5, 0)):
            if self.properties >> bit & 1:
                user += [value & 0xffffffff, value >> 32]
        if self.properties & 1:
            user = [0, 0, 0, 0] + user
        if self.preload & 0x7f:
            start = 4 * (self.preload >> 7)
            data = argument.read()[start:start + 4 * (self.preload & 0x7f)]
            user += struct.unpack(f"<{len(data) // 4}I", data)
        user += [0xa5a5a5a5] * ((self.resources >> 1 & 31) - len(user))
        if self.code.generation >= 12:
            wave.r[108 + 9], wave.r[108 + 7] = number[0], number[1] | number[2] << 16
        else:
            user += [number[i] for i in range(3) if self.resources >> 7 + i & 1]
            user += [waves] if self.resources >> 10 & 1 else []
        wave.r[0:len(user)] = user
        for lane in range(lanes):
            t = index * lanes + lane
            wave.r[128 + lane] = t % block[0] | t // block[0] % block[1] << 10 | t // (block[0] * block[1]) << 20

    def describe(self, group, number):
        """A sentence on a fault."""
        at = group.fault_pc
        index = max((i for i in self.code.listing if i <= at), default=0)
        instruction = self.code.listing[index]
        starts = sorted((value, name) for name, value in self.code.symbols.items() if not name.endswith(".kd"))
        function = starts[max(bisect.bisect(starts, (instruction.address, "~")) - 1, 0)]
        place = (f"block {number}, wave {group.fault_wave}, {function[1]}+{instruction.address - function[0]:#x}: "
                 f"{instruction.whole}")
        if FAULTS[group.fault] == "a trap":
            return f"{self.code.problems.get(index, 'a trap')} ({place})"
        detail = ""
        if group.fault == 4:
            r = group.fault_register
            accumulates = self.code.generation == 9 and r >= 384
            name = f"s{r}" if r < 128 else f"a{r - 384}" if accumulates else f"v{r - 128}"
            detail = f" ({name})"
        elif group.fault in (1, 2, 3):
            detail = f" ({group.fault_address:#x})"
        return f"{FAULTS[group.fault]}{detail}: {place}"
