"""Operands of instructions, and the structures of machine.h that hold them."""

import ctypes
import re
import struct

from operations import Unknown

ROW = 64
VECTORS, ACCUMULATORS = 128, 128 + 256 * ROW
TEMPORARY = 128 + 512 * ROW
VCC, M0, NULL, EXEC = 106, 124, 125, 126
LOADS, STORES, SHARED, SCALARS = range(4)  # queues of requests
VECTOR_MEMORY, SHARED_MEMORY, SCALAR_MEMORY = range(3)

SPECIAL = {"vcc": VCC, "vcc_lo": VCC, "vcc_hi": VCC + 1, "m0": M0, "null": NULL, "exec": EXEC, "exec_lo": EXEC,
           "exec_hi": EXEC + 1, "flat_scratch": 102, "flat_scratch_lo": 102, "flat_scratch_hi": 103,
           "xnack_mask": 104, "xnack_mask_lo": 104, "xnack_mask_hi": 105}
REGISTER = re.compile(r"^([sva]|ttmp)(?:(\d+)|\[(\d+):(\d+)\])(?:\.([lh]))?$")
FLOATS = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494", "0.15915494309189532"}
SELECT = {"DWORD": 0, "WORD_0": 1, "WORD_1": 2, "BYTE_0": 3, "BYTE_1": 4, "BYTE_2": 5, "BYTE_3": 6}


class Operand(ctypes.Structure):
    _fields_ = [("base", ctypes.c_int32)] + [(name, ctypes.c_uint8) for name in (
        "is_vector", "negate", "absolute", "select", "sign_extend", "negate_high", "low_from_high", "high_from_high",
        "modifies")] + [("value", ctypes.c_uint32 * 2)]


class Span(ctypes.Structure):
    _fields_ = [("first", ctypes.c_uint16), ("count", ctypes.c_uint16)]


class Record(ctypes.Structure):
    _fields_ = [("run", ctypes.c_uint64), ("address", ctypes.c_uint64), ("d", Operand), ("d1", Operand),
                ("s", Operand * 4), ("par", ctypes.c_int32 * 24), ("counts", ctypes.c_uint32),
                ("clamp", ctypes.c_uint8), ("scale", ctypes.c_uint8), ("keeps_half", ctypes.c_uint8),
                ("reads", ctypes.c_uint16), ("read", Span * 10)]


def constant(text, kind):
    """The words of a constant in an operand of that type."""
    if text in FLOATS or re.fullmatch(r"-?\d+\.\d+(e[-+]?\d+)?", text):
        value = 1 / (2 * 3.141592653589793) if text.startswith("0.1591549") else float(text)
        if kind == "f64":
            low, high = struct.unpack("<II", struct.pack("<d", value))
            return low, high
        if kind in ("f16", "packed f16"):
            return struct.unpack("<H", struct.pack("<e", value))[0], 0
        word = struct.unpack("<I", struct.pack("<f", value))[0]
        return word, word if kind == "packed f32" else 0
    value = int(text, 0)
    if kind == "f64" and text.startswith("0x"):
        return 0, value & 0xffffffff
    literal_is_unsigned = text.startswith("0x") and kind[0] != "i"
    high = 0 if value >= 0 and (literal_is_unsigned or value < 1 << 31) else 0xffffffff
    return value & 0xffffffff, (value >> 32 & 0xffffffff) if abs(value) >> 32 else high


def register(text):
    """(word, is a row of lanes, number of registers) of a register's name, or None."""
    if text in SPECIAL:
        return SPECIAL[text], False, 1 if text.endswith(("_lo", "_hi")) or text in ("m0", "null") else 2
    match = REGISTER.match(text)
    if not match:
        return None
    kind, one, first, last, _ = match.groups()
    number, count = (int(one), 1) if one else (int(first), int(last) - int(first) + 1)
    if kind == "v" and number + count > 512:
        raise Unknown(f"{text}: the machine has 512 vector registers")
    if kind in ("s", "ttmp"):
        return number + (108 if kind == "ttmp" else 0), False, count
    return (VECTORS if kind == "v" else ACCUMULATORS) + number * ROW, True, count


def operand(text, kind="u32"):
    x = Operand(base=-1)
    if text in ("off", "lds"):
        return x
    inner = text
    if inner.startswith("-") and not re.match(r"-[\d]", inner):
        x.negate, inner = 1, inner[1:]
    for function, field in (("neg", "negate"), ("abs", "absolute"), ("sext", "sign_extend")):
        if inner.startswith(f"{function}("):
            setattr(x, field, 1)
            inner = inner[len(function) + 1:-1]
    if inner.startswith("|"):
        x.absolute, inner = 1, inner.strip("|")
    found = register(inner)
    if found:
        x.base, x.is_vector = found[0], found[1]
        if inner.endswith((".l", ".h")):
            x.select = 1 if inner.endswith(".l") else 2
    elif inner in ("scc", "src_scc", "vccz", "execz") or "shared_base" in inner or "private_base" in inner:
        raise Unknown(f"the operand {inner}")
    elif inner.startswith("lit64("):
        value = int(inner[6:-1], 0)
        x.value[:] = value & 0xffffffff, value >> 32
    else:
        x.value[:] = constant(inner, kind)
    x.modifies = int(bool(x.negate or x.absolute or x.select or x.sign_extend))
    return x


def span(text):
    """Where `pending` counts a register, by its name: the first place and the number of places, or None."""
    found = register(re.sub(r"^-|\||^neg\(|^abs\(|^sext\(|\)$", "", text))
    if not found or found[0] == NULL:
        return None
    base, is_vector, count = found
    return (128 + (base - VECTORS) // ROW if is_vector else base), count
