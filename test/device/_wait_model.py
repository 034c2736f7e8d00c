"""Counters of AMD's memory instructions, the order in which these return, and the registers that they write late, by
generation. From LLVM's "User Guide for AMDGPU Backend", memory model, and AMD's ISA documents, "Data dependency resolution".
Used by wait_check.py.

An access is in a queue. Queues in order return in order: once `n` later ones are outstanding at most, this one is done.
Scalar loads return in any order: they are done when nothing that shares their counter is outstanding.
"""

import functools
import re
from dataclasses import dataclass

VECTOR, STORE, SHARED, SCALAR = "vector memory", "vector store", "shared memory", "scalar load"
# Queues of gfx1250 alone: copies between global and shared memory by the lanes, and tiles by the tensor data mover.
ASYNC, TENSOR = "asynchronous copy", "tensor copy"

# Which queues a wait for a counter is about. Before gfx10 vector stores and loads are one queue.
COUNTERS = {"vmcnt": (VECTOR,), "vscnt": (STORE,), "lgkmcnt": (SHARED, SCALAR), "loadcnt": (VECTOR,),
            "storecnt": (STORE,), "dscnt": (SHARED,), "kmcnt": (SCALAR,), "asynccnt": (ASYNC,), "tensorcnt": (TENSOR,)}
NO_MEMORY = ("expcnt", "samplecnt", "bvhcnt", "alu", "event", "xcnt")
ALL_QUEUES = (VECTOR, STORE, SHARED, SCALAR, ASYNC, TENSOR)
# Queues of loads whose destination may be shared memory.
DIRECT_QUEUES = (VECTOR, ASYNC, TENSOR)


@dataclass(frozen=True)
class Instruction:
    queue: str = ""             # what it waits in until it is done, if anywhere
    late: tuple = ()            # registers that have their values then
    registers: tuple = ()       # all others it names
    shared: str = ""            # "read" or "write" of shared memory
    to_shared: bool = False     # a load whose destination is shared memory
    waits: tuple = ()           # (queue, how many may still be outstanding)
    signals: str = ""           # barrier it arrives at
    awaits: str = ""            # barrier it waits at
    ends: bool = False
    problem: str = ""


def names_of(text):
    """Registers named in operands: v7, a7, s7 and the halves of vcc."""
    found = []
    for kind, one, first, last, vcc in re.findall(r"\b([vsa])(?:(\d+)|\[(\d+):(\d+)\])|\bvcc(_lo|_hi)?\b", text):
        if kind:
            found += [f"{kind}{i}" for i in (range(int(first), int(last) + 1) if first else [int(one)])]
        elif "vcc" in text:
            found += [f"vcc{vcc}"] if vcc else ["vcc_lo", "vcc_hi"]
    return tuple(found)


def old_generation(arch):
    return len(arch) == 6  # gfx90a, gfx942: one counter of loads and stores


def read_waits(opcode, operands):
    """(queue, limit) of a wait instruction; None where it cannot be read."""
    if opcode == "s_wait_idle":
        return tuple((queue, 0) for queue in ALL_QUEUES)
    if opcode == "s_waitcnt":
        parts = re.findall(r"(vm|lgkm|exp)cnt\((\d+)\)", operands)
        if not parts and int(operands, 0) == 0:
            parts = [("vm", 0), ("lgkm", 0)]
        named = [(f"{name}cnt", int(limit)) for name, limit in parts]
    else:
        names = re.sub(r"s_wait(cnt)?_", "", opcode)
        limit = int(operands.split(",")[-1], 0)
        both = names.split("_")
        named = [(both[0], limit >> 8), (both[1], limit & 0xff)] if len(both) > 1 else [(both[0], limit)]
    if any(name not in COUNTERS and name not in NO_MEMORY for name, _ in named):
        return None
    return tuple((queue, limit) for name, limit in named for queue in COUNTERS.get(name, ()))


def vector_access(opcode, operands, arch):
    first, _, rest = operands.partition(",")
    if opcode.startswith("flat_"):
        return Instruction(problem="a flat access: neither counter alone says when it is done")
    everything = names_of(operands)
    if re.search(r"_(wb|wbinv|wbl2|inv|invl2|gl[01]_inv|wbinvl1\w*)$", opcode):
        if not arch.startswith("gfx12"):
            return Instruction()
        return Instruction(queue=STORE if "_wb" in opcode else VECTOR)
    if "_async_" in opcode:
        return Instruction(queue=ASYNC, registers=everything, to_shared="_to_lds_" in opcode)
    if "_load" in opcode:
        if "_lds_" in opcode or re.search(r"\blds\b", operands):
            return Instruction(queue=VECTOR, registers=everything, to_shared=True)
        return Instruction(queue=VECTOR, late=names_of(first), registers=names_of(rest))
    if "_atomic" in opcode:
        flag = r"\bsc0\b" if re.match(r"gfx9[45]", arch) else r"\bglc\b|RETURN"
        if re.search(flag, operands):
            return Instruction(queue=VECTOR, late=names_of(first), registers=names_of(rest))
    elif "_store" not in opcode:
        return Instruction(problem=f"{opcode}, a memory instruction that is not known here")
    return Instruction(queue=VECTOR if old_generation(arch) else STORE, registers=everything)


def shared_access(opcode, operands):
    first, _, rest = operands.partition(",")
    exchange = re.match(r"ds_(b?permute|swizzle)", opcode)
    if exchange or re.match(r"ds_(read|load)_", opcode):
        return Instruction(queue=SHARED, late=names_of(first), registers=names_of(rest),
                           shared="" if exchange else "read")
    if "_rtn_" in opcode:
        return Instruction(queue=SHARED, late=names_of(first), registers=names_of(rest), shared="write")
    if re.match(r"ds_(gws|param|direct|ordered|consume|append|bvh)", opcode):
        return Instruction(problem=f"{opcode}, a memory instruction that is not known here")
    return Instruction(queue=SHARED, registers=names_of(operands), shared="write")


CLUSTER = "-3"  # at this barrier one wave arrives for its block, and all of the block wait


def barrier_name(operand):
    """-1 is the block's, -3 the cluster's; disassemblers write them in 16 bits."""
    return {"0xffff": "-1", "0xfffd": CLUSTER}.get(operand, operand)


@functools.lru_cache(maxsize=None)
def decode(text, arch):
    opcode, _, operands = text.partition(" ")
    operands = operands.strip()
    if re.match(r"(global|buffer|flat|scratch|tbuffer)_", opcode):
        return vector_access(opcode, operands, arch)
    if opcode.startswith("cluster_load_async_to_lds"):
        return vector_access(opcode, operands, arch)
    if opcode in ("tensor_load_to_lds", "tensor_store_from_lds"):
        return Instruction(queue=TENSOR, registers=names_of(operands), to_shared="_to_lds" in opcode)
    if opcode.startswith("ds_"):
        return shared_access(opcode, operands)
    if re.match(r"s_(load|buffer_load|memtime|memrealtime|sendmsg_rtn)", opcode):
        first, _, rest = operands.partition(",")
        return Instruction(queue=SCALAR, late=names_of(first), registers=names_of(rest))
    if re.match(r"s_waitcnt_depctr|s_wait_(alu|event|expcnt|samplecnt|bvhcnt|xcnt)\b", opcode):
        return Instruction()
    if opcode.startswith("s_wait"):
        waits = read_waits(opcode, operands)
        return Instruction(problem=f"{text}, a wait that is not known here") if waits is None else Instruction(waits=waits)
    if opcode == "s_barrier":
        return Instruction(signals="-1", awaits="-1")
    if opcode.startswith("s_barrier_signal"):
        return Instruction(signals=barrier_name(operands))
    if opcode == "s_barrier_wait":
        return Instruction(awaits=barrier_name(operands))
    if re.match(r"image_|lds_|cluster_|tensor_|s_(atomic|store|buffer_(store|atomic)|barrier)", opcode):
        return Instruction(problem=f"{opcode}, a memory instruction that is not known here")
    implied = ("vcc_lo", "vcc_hi") if "vcc" in opcode else ()
    return Instruction(registers=names_of(operands) + implied, ends=opcode.startswith("s_endpgm"))
