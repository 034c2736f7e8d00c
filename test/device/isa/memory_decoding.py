"""Records of waits and of requests to memory (memory.c): loads, stores, atomic operations, exchanges through shared memory."""

import re

from operands import LOADS, SCALARS, SCALAR_MEMORY, SHARED, SHARED_MEMORY, STORES, VECTOR_MEMORY
from operands import Operand, Record, Span, operand, register, span
from operations import Unknown, address_of, runtime

TO_SHARED = 7  # of "atomic": a load that goes to shared memory (memory.c)


def swizzle_mask(instruction):
    """The bits in which the lane differs that ds_swizzle_b32 reads from; of other patterns nothing is known here."""
    text = re.search(r"swizzle\((.*)\)", instruction.whole)
    match = text and re.match(r"(SWAP|REVERSE),\s*(\d+)$|BITMASK_PERM,\s*\"([pi]{5})\"$", text.group(1))
    if not match:
        raise Unknown(instruction.whole)
    if match.group(3):
        return int(match.group(3).replace("p", "0").replace("i", "1"), 2)
    return int(match.group(2)) - (match.group(1) == "REVERSE")


class MemoryDecoder:
    """Records of a code object's waits and requests. `operations` has the Operation of a name, or why there is none,
    `functions` the addresses of their C functions."""

    def __init__(self, generation, arch, operations, functions):
        self.generation, self.arch, self.operations, self.functions = generation, arch, operations, functions

    def record(self, function, instruction, reads, counts=1):
        address = self.functions.get(function) or address_of(runtime(), function)
        if not address:
            raise Unknown(f"the machine has no {function}")
        x = Record(run=address, address=instruction.address, counts=counts)
        spans = [s for s in map(span, reads) if s]
        x.reads = len(spans)
        for i, (first, count) in enumerate(spans):
            x.read[i] = Span(first, count)
        return x

    # Waits

    def wait(self, instruction, name):
        x = self.record("wait_counters", instruction, [])
        left = [-1] * 4
        def limit(queue, count):
            left[queue] = count if left[queue] < 0 else min(left[queue], count)
        if name == "s_wait_idle":
            left = [0] * 4
        elif name == "s_waitcnt":
            for counter, count in re.findall(r"(\w+)\((\d+)\)", instruction.whole):
                if counter == "vmcnt":
                    limit(LOADS, int(count))
                elif counter == "lgkmcnt":
                    limit(SHARED, int(count))
        else:
            number = int(instruction.operands[-1], 0)
            kinds = {"s_waitcnt_vscnt": [STORES], "s_waitcnt_vmcnt": [LOADS], "s_waitcnt_lgkmcnt": [SHARED],
                     "s_waitcnt_expcnt": [], "s_wait_loadcnt": [LOADS], "s_wait_storecnt": [STORES],
                     "s_wait_dscnt": [SHARED], "s_wait_kmcnt": [SCALARS], "s_wait_samplecnt": [], "s_wait_bvhcnt": [],
                     "s_wait_loadcnt_dscnt": [SHARED, LOADS], "s_wait_storecnt_dscnt": [SHARED, STORES]}.get(name)
            if kinds is None:
                raise Unknown(instruction.whole)
            for i, queue in enumerate(kinds):
                limit(queue, number >> 8 * i & 0x3f)
        x.par[:4] = left
        return x

    # Memory: par is described in memory.c

    def request(self, function, instruction, reads, destination, queue, bytes_, kind, signed=0, store=0, d16=0,
                atomic=0, returns=0, addresses=1):
        x = self.record(function, instruction, reads)
        x.d = operand(destination) if destination else Operand(base=-1)
        x.par[:9] = [queue, bytes_, signed, store, d16, atomic, returns, kind, addresses]
        return x

    def access(self, name):
        """Reads the name of a load or store: bytes, sign, d16."""
        d16 = (2 if "hi" in name else 1) if "d16" in name else 0
        wide = re.search(r"dwordx(\d)|_b(32|64|96|128)$", name)
        if wide:
            return (4 * int(wide.group(1)) if wide.group(1) else int(wide.group(2)) // 8), 0, 0
        if name.endswith("_dword"):
            return 4, 0, 0
        narrow = re.search(r"(ubyte|sbyte|byte|ushort|sshort|short|[ui b]8|[uib]16)", name.split("_", 1)[1])
        if not narrow:
            raise Unknown(name)
        text = narrow.group(1)
        return (1 if "byte" in text or text.endswith("8") else 2), int(text[0] in "si" and text != "short"), d16

    def atomic(self, name):
        kinds = {"add_u32": 1, "add": 1, "add_f32": 2, "or": 3, "or_b32": 3, "umax": 4, "max_u32": 4, "smax": 5,
                 "max_i32": 5, "swap": 6, "swap_b32": 6, "wrxchg_b32": 6, "storexchg_b32": 6, "cmpswap": 8,
                 "cmpswap_b32": 8, "cmpst_b32": 8, "cmpstore_b32": 8, "pk_add_f16": 9, "pk_add_bf16": 10, "umin": 11,
                 "min_u32": 11, "smin": 12, "min_i32": 12}
        word = name.split("atomic_")[1]
        # On 64 bits all kinds but those on floating-point numbers.
        narrow = re.sub(r"_x2$|(?<=[uib])64$", lambda found: "32" if found.group() == "64" else "", word)
        if narrow not in kinds:
            raise Unknown(name)
        return kinds[narrow], 4 if narrow == word else 8

    def store_queue(self):
        return LOADS if self.generation == 9 else STORES

    def global_(self, instruction, name):
        operands, mods = instruction.operands, instruction.modifiers
        if name.startswith("global_load_lds"):
            raise Unknown(instruction.whole)
        if "atomic" in name:
            returns = any(key in mods for key in ("glc", "sc0")) or mods.get("th") == "TH_ATOMIC_RETURN"
            d, rest = (operands[0], operands[1:]) if returns else (None, operands)
            kind, bytes_ = self.atomic(name)
            x = self.request("issue_global", instruction, rest, d, LOADS if returns else self.store_queue(), bytes_,
                             VECTOR_MEMORY, store=1, atomic=kind, returns=int(returns))
            address, data, base = rest[:3]
        else:
            bytes_, signed, d16 = self.access(name)
            store = int("_store_" in name)
            d = None if store else operands[0]
            address, data, base = (operands[0], operands[1], operands[2]) if store else (operands[1], None, operands[2])
            x = self.request("issue_global", instruction, operands[1:] if not store else operands, d,
                             self.store_queue() if store else LOADS, bytes_, VECTOR_MEMORY, signed, store, d16)
        x.s[0], x.s[1] = operand(address), operand(base)
        if data:
            x.s[2] = operand(data)
        x.par[10:12] = [int(mods.get("offset", "0"), 0), bytes_ if "scale_offset" in mods else 1]
        return x

    def buffer(self, instruction, name):
        operands, mods = instruction.operands, instruction.modifiers
        if "format" in name:
            raise Unknown(instruction.whole)
        if "lds" in mods:  # no destination, and M0 says where in shared memory
            (bytes_, _, _), (address, descriptor, offset) = self.access(name), operands[:3]
            if bytes_ not in (4, 16):
                raise Unknown(instruction.whole)
            x = self.request("issue_buffer", instruction, [*operands, "m0"], None, LOADS, bytes_, VECTOR_MEMORY,
                             atomic=TO_SHARED)
            x.s[0], x.s[1], x.s[2], x.s[3] = map(operand, (address, descriptor, "m0", offset))
            x.par[10:14] = [int(mods.get("offset", "0"), 0), int("offen" in mods), int("idxen" in mods), int(2 * self.generation)]
            return x
        if "atomic" in name:
            if any(key in mods for key in ("glc", "sc0", "th")):
                raise Unknown(instruction.whole)
            (atomic, bytes_), signed, d16, store = self.atomic(name), 0, 0, 1
            if bytes_ != 4:
                raise Unknown(instruction.whole)
        else:
            (bytes_, signed, d16), store, atomic = self.access(name), int("_store_" in name), 0
        data, address, descriptor, offset = operands[:4]
        x = self.request("issue_buffer", instruction, operands if store else operands[1:], None if store else data,
                         self.store_queue() if store else LOADS, bytes_, VECTOR_MEMORY, signed, store, d16, atomic)
        x.s[0], x.s[1], x.s[2], x.s[3] = map(operand, (address, descriptor, data, offset))
        x.par[10:14] = [int(mods.get("offset", "0"), 0), int("offen" in mods), int("idxen" in mods), int(2 * self.generation)]
        return x

    def shared(self, instruction, name):
        operands, mods = instruction.operands, instruction.modifiers
        if name in ("ds_bpermute_b32", "ds_permute_b32"):
            kind = int(name == "ds_permute_b32")
            x = self.request("issue_exchange", instruction, operands[1:], operands[0], SHARED, 4, SHARED_MEMORY)
            for i, text in enumerate(operands[1:]):
                x.s[i] = operand(text)
            x.par[10:12] = [kind, int(mods.get("offset", "0"), 0)]
            return x
        if name == "ds_swizzle_b32":
            x = self.request("issue_exchange", instruction, operands[1:], operands[0], SHARED, 4, SHARED_MEMORY)
            x.s[0] = x.s[1] = operand(operands[1])
            x.par[10:12] = [2, swizzle_mask(instruction)]
            return x
        atomic = re.match(r"ds_(add|or|min|max|wrxchg|storexchg|cmpst|cmpstore|pk_add)(_rtn)?_(\w+)$", name)
        match = re.match(r"ds_(read|write|load|store)(2?)(?:addr)?(_2addr)?_?(st(?:ride)?64)?_?(.*)$", name)
        if atomic:
            kind, bytes_ = self.atomic(f"atomic_{atomic.group(1)}_{atomic.group(3)}")
            d, operands = (operands[0], operands[1:]) if atomic.group(2) else (None, operands)
            if atomic.group(1) == "cmpst":  # the others name what is written first
                operands = [operands[0], operands[2], operands[1]]
            x = self.request("issue_shared", instruction, operands, d, SHARED, bytes_, SHARED_MEMORY, store=1, atomic=kind,
                             returns=int(d is not None))
        elif match:
            store = int(match.group(1) in ("write", "store"))
            pair = bool(match.group(2) or match.group(3))
            turned = re.match(r"b64_tr_b(8|16)$", match.group(5))
            bytes_, signed, d16 = (8, 0, 0) if turned else self.access("ds_" + match.group(5))
            x = self.request("issue_shared", instruction, operands if store else operands[1:],
                             None if store else operands[0], SHARED, bytes_, SHARED_MEMORY, signed, store, d16,
                             addresses=2 if pair else 1)
            x.par[9] = int(turned.group(1)) // 8 if turned else 0
            scale = bytes_ * (64 if match.group(4) else 1)
            x.par[10:12] = ([int(mods.get(key, "0"), 0) * scale for key in ("offset0", "offset1")] if pair
                            else [int(mods.get("offset", "0"), 0), 0])
        else:
            raise Unknown(instruction.whole)
        if atomic:
            x.par[10] = int(mods.get("offset", "0"), 0)
        sources = operands if x.par[3] else operands[1:]
        for i, text in enumerate(sources):
            x.s[i] = operand(text)
        return x

    def scalar_load(self, instruction, name):
        operands, mods = instruction.operands, instruction.modifiers
        match = re.search(r"_(?:dword(?:x(\d+))?|b(\d+)|([ui])(8|16))$", name)
        if not match:
            raise Unknown(instruction.whole)
        words = int(match.group(2)) // 32 if match.group(2) else int(match.group(1) or 1)
        narrow = int(match.group(4) or 0) // 8  # gfx12 reads bytes and halves, extended to a word
        x = self.request("issue_scalar", instruction, operands[1:], operands[0],
                         SCALARS if self.generation >= 12 else SHARED, narrow or 4 * words, SCALAR_MEMORY,
                         signed=int(match.group(3) == "i"))
        x.s[0] = operand(operands[1])
        x.s[1] = Operand(base=-1)
        immediate = int(mods.get("offset", "0"), 0)
        if register(operands[2]):
            x.s[1] = operand(operands[2])
        else:
            immediate += int(operands[2], 0)
        x.par[10:13] = [immediate, int("buffer" in name), (narrow or 4 * words) if "scale_offset" in mods else 1]
        return x
