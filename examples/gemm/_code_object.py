"""Reads the metadata note of an AMD code object: the facts about its kernels that the runtime reads too.

LLVM's "User Guide for AMDGPU Backend", code object V5 metadata. code_objects.py and the tests of machine code use it.
"""

import math
import struct

# Vector registers of a SIMD for each lane of a wave, the unit in which a wave is given them, and the most that it can name
# (LLVM's guide, "Kernel Descriptor"). Accumulation registers count among them, as in the note. RDNA: waves of 32.
REGISTER_FILES = {"gfx90a": (512, 8, 512), "gfx942": (512, 8, 512), "gfx950": (512, 8, 512),
                  "gfx1100": (1536, 24, 256), "gfx1201": (1536, 24, 256)}

# Names of a kernel's numbers in the note and in the records.
NUMBERS = ("vgpr_count", "agpr_count", "sgpr_count", "vgpr_spill_count", "sgpr_spill_count",
           "private_segment_fixed_size")

MUST_BE_ZERO = {"vgpr_spill_count": "vector registers spilled", "sgpr_spill_count": "scalar registers spilled",
                "private_segment_fixed_size": "bytes of scratch a lane"}

METADATA = 32  # NT_AMDGPU_METADATA
# MessagePack's scalars and lengths by their first byte.
SCALARS = {0xca: ">f", 0xcb: ">d", 0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h", 0xd2: ">i",
           0xd3: ">q"}
LENGTHS = {0xd9: (str, ">B"), 0xda: (str, ">H"), 0xdb: (str, ">I"), 0xdc: (list, ">H"), 0xdd: (list, ">I"),
           0xde: (dict, ">H"), 0xdf: (dict, ">I")}


def unpack(data, at=0):
    """The MessagePack value at that offset, and the offset behind it."""
    first, at = data[at], at + 1
    if first < 0x80 or first >= 0xe0:
        return first - 256 * (first >= 0xe0), at
    if first in (0xc0, 0xc2, 0xc3):
        return {0xc0: None, 0xc2: False, 0xc3: True}[first], at
    if first in SCALARS:
        return struct.unpack_from(SCALARS[first], data, at)[0], at + struct.calcsize(SCALARS[first])
    if first in LENGTHS:
        kind, size = LENGTHS[first]
        count, at = struct.unpack_from(size, data, at)[0], at + struct.calcsize(size)
    elif first < 0xc0:
        kind, count = ((dict, first & 15) if first < 0x90 else (list, first & 15) if first < 0xa0 else
                       (str, first & 31))
    else:
        raise ValueError(f"no metadata has a value that begins with {first:#x}")
    if kind is str:
        return data[at:at + count].decode(), at + count
    values = []
    for _ in range(count * (2 if kind is dict else 1)):
        value, at = unpack(data, at)
        values.append(value)
    return (values, at) if kind is list else (dict(zip(values[::2], values[1::2])), at)


def notes(data):
    """(kind, contents) of the notes of an ELF file."""
    headers, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, at, _, _, length, _, _ = struct.unpack_from("<IIQQQQQQ", data, headers + i * size)
        end = at + length
        while kind == 4 and at < end:  # PT_NOTE
            name, contents, note = struct.unpack_from("<III", data, at)
            at += 12 + (name + 3) // 4 * 4
            yield note, data[at:at + contents]
            at += (contents + 3) // 4 * 4


def read_kernels(path):
    """The metadata of a code object's kernels, by symbol."""
    found = [contents for kind, contents in notes(path.read_bytes()) if kind == METADATA]
    if not found:
        raise ValueError(f"{path} has no metadata of kernels")
    kernels = [{name.removeprefix("."): value for name, value in kernel.items()}
               for kernel in unpack(found[0])[0]["amdhsa.kernels"]]
    return {kernel["symbol"].removesuffix(".kd"): {"agpr_count": 0, **kernel} for kernel in kernels}


def numbers(kernel):
    return {name: kernel[name] for name in NUMBERS}


def memory_problems(kernel):
    """Sentences on what a kernel keeps in memory instead of registers."""
    found = [f"{kernel[field]} {text}" for field, text in MUST_BE_ZERO.items() if kernel[field]]
    return found + ["dynamic stack"] * bool(kernel.get("uses_dynamic_stack"))


def register_problems(kernel, arch, threads):
    """Sentences on why a block of that many threads would not start.

    All its waves are on four SIMDs at once: those of a CDNA compute unit or of an RDNA workgroup processor. They are on two
    where the latter works as single units.
    """
    most_threads = kernel["max_flat_workgroup_size"]
    if threads > most_threads:
        return [f"compiled for blocks of at most {most_threads} threads, started with {threads}"]
    available, unit, most = REGISTER_FILES[arch]
    simds = 4 if kernel.get("workgroup_processor_mode", 1) else 2
    waves = math.ceil(threads / (kernel["wavefront_size"] * simds))
    allowed = min(most, available // waves // unit * unit)
    taken = kernel["vgpr_count"]
    return [f"{taken} vector registers, a block of {threads} threads leaves {allowed}"] if taken > allowed else []


def self_test():
    """That a block's registers can be too many: no compiler takes more than its launch bounds allow."""
    cases = [("gfx942", 64, 256, 512, None), ("gfx942", 64, 257, 256, None), ("gfx942", 64, 512, 257, 256),
             ("gfx90a", 64, 1024, 129, 128), ("gfx90a", 64, 768, 169, 168), ("gfx1100", 32, 512, 257, 256),
             ("gfx1100", 32, 1024, 192, None), ("gfx1201", 32, 1024, 193, 192), ("gfx1201", 32, 896, 217, 216)]
    for arch, lanes, threads, taken, allowed in cases:
        kernel = {"max_flat_workgroup_size": 1024, "wavefront_size": lanes, "vgpr_count": taken}
        expected = [f"{taken} vector registers, a block of {threads} threads leaves {allowed}"] if allowed else []
        assert register_problems(kernel, arch, threads) == expected, (arch, threads, taken)
    half = {"max_flat_workgroup_size": 512, "wavefront_size": 32, "vgpr_count": 200, "workgroup_processor_mode": 0}
    assert register_problems(half, "gfx1100", 512) == ["200 vector registers, a block of 512 threads leaves 192"]
    assert register_problems(half, "gfx1100", 513) == ["compiled for blocks of at most 512 threads, started with 513"]


if __name__ == "__main__":
    self_test()
