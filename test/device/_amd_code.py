"""Kernels of AMD machine code, from assembly (.s) or from llvm-objdump's text, as blocks of instructions with their
successors. Used by check_isa.py and wait_check.py.
"""

import heapq
import re
import sys
from dataclasses import dataclass, field


@dataclass
class Block:
    """Instructions that run one after the other, with the lines they are in."""

    label: str
    code: list = field(default_factory=list)  # (line number, text)
    successors: list = field(default_factory=list)  # numbers of blocks
    problem: str = ""  # why the successors are not known

    @property
    def texts(self):
        return [text for _, text in self.code]


@dataclass
class Kernel:
    symbol: str
    arch: str
    blocks: list


BRANCH = re.compile(r"s_(c?branch\w*|endpgm\w*|setpc_b64|swappc_b64)\b")
INSTRUCTION = re.compile(r"[a-z]\w+(\s|$)")
MATRIX = r"^v_(s?mfmac?|s?wmmac?)_"
# gfx1250 writes the low 8 bits of a vector register's number; s_set_vgpr_msb has the others, and the text says them.
FULL_NAME = re.compile(r"\bv(?:\d+|\[\d+:\d+\]) /\*(v[^*]*)\*/")


def walk_round(blocks, start, pattern="", least=0):
    """The instructions, as (line, text), executed from block `start` until it is reached again, by the shortest way of those that
    have at least so many instructions with the pattern: what a kernel executes more where k is longer by one round of the loop.
    Empty where the block is in no loop, or in none with so many."""
    waiting = [(0, start, 0, [])]
    seen = set()
    while waiting:
        _, at, count, way = heapq.heappop(waiting)
        if at == start and way:
            if count == least:
                return way
            continue
        if (at, count) in seen:
            continue
        if way:
            seen.add((at, count))
        way = way + blocks[at].code
        if least:
            count = min(least, count + sum(1 for text in blocks[at].texts if re.match(pattern, text)))
        for successor in blocks[at].successors:
            heapq.heappush(waiting, (len(way), successor, count, way))
    return []


def main_loop(kernel):
    """The round, as (line, text), of the loop that has the most matrix instructions in a block; empty if none has one."""
    matrix = [sum(1 for text in block.texts if re.search(MATRIX, text)) for block in kernel.blocks]
    return walk_round(kernel.blocks, matrix.index(max(matrix))) if any(matrix) else []


def whole_loop(kernel):
    """All instructions of that loop, as (line, text), in the order of the code: those that a round may leave out, too."""
    matrix = [sum(1 for text in block.texts if re.search(MATRIX, text)) for block in kernel.blocks]
    if not any(matrix):
        return []
    start = matrix.index(max(matrix))

    def reached(successors):
        seen, waiting = set(), [start]
        while waiting:
            for to in successors[waiting.pop()]:
                if to not in seen:
                    seen.add(to)
                    waiting.append(to)
        return seen
    after = [block.successors for block in kernel.blocks]
    before = [[at for at, to in enumerate(after) if n in to] for n in range(len(after))]
    return [line for at in sorted(reached(after) & reached(before)) for line in kernel.blocks[at].code]


def find_loops(blocks):
    """The loops, each as a sorted list of its blocks' numbers: those that a jump back to the loop's first block comes from. All
    ways to the jump go through that block."""
    before = [[] for _ in blocks]
    for at, block in enumerate(blocks):
        for to in block.successors:
            before[to].append(at)
    # Bits of the blocks that all ways to a block go through.
    through = [1] + [(1 << len(blocks)) - 1] * (len(blocks) - 1)
    changed = True
    while changed:
        changed = False
        for at in range(1, len(blocks)):
            ways = -1
            for way in before[at]:
                ways &= through[way]
            now = (ways & through[at]) | 1 << at
            changed |= now != through[at]
            through[at] = now
    loops = {}
    for first in range(len(blocks)):
        waiting = [at for at in before[first] if through[at] >> first & 1]
        seen = {first, *waiting} if waiting else set()
        while waiting:
            at = waiting.pop()
            more = set(before[at]) - seen if at != first else set()
            seen |= more
            waiting += more
        if seen:
            loops[first] = sorted(seen)
    return list(loops.values())


def divisions(texts):
    """Divisions of integers among instructions in order. Of 32 bits: by their reciprocals or, where these are computed ahead, by
    the two comparisons of a remainder with the divisor, which is subtracted, that correct a quotient. Of 64 bits: by the
    constant that scales."""
    reciprocals = sum(text.startswith("v_rcp_iflag_f32") for text in texts)
    corrected, compared = 0, {}
    for at, text in enumerate(texts):
        found = re.match(r"s_cmp_ge_u32 \w+, (\S+)|v_cmp_(?:ge_u32\S* \S+, \S+, (\S+)|le_u32\S* \S+, (\S+), )", text)
        if not found:
            continue
        divisor = found[1] or found[2] or found[3]
        if not any(text.startswith(("s_sub", "v_sub")) and divisor in re.split(r",? ", text) for text in texts[max(at - 12, 0):at]):
            continue
        if at - compared.get(divisor, -99) <= 12:
            corrected += 1
            compared.pop(divisor)
        else:
            compared[divisor] = at
    return max(reciprocals, corrected) + sum("0x5f7ffffc" in text for text in texts)


def awaited_numbers(kernel):
    """Loads of 4 bytes from global memory, as (line, text), in that loop whose number an instruction reads before the next
    matrix instruction. No product hides their latency, as it does for numbers that are looked up a tile ahead."""
    loop, loaded, found = whole_loop(kernel), {}, []
    for line, text in loop + loop:  # twice round
        if re.search(MATRIX, text):
            loaded = {}
            continue
        named = registers_of(text)
        read = registers_of(text.partition(",")[2]) if re.match(r"v_|global_load|buffer_load", text) else named
        found += [loaded[name] for name in read if name in loaded and loaded[name] not in found]
        loaded = {name: load for name, load in loaded.items() if name not in named}  # a branch may set it
        if re.match(r"(global|buffer)_load_(dword|b32)\b", text):
            loaded[named[0]] = line, text
    return found


def registers_of(text):
    """The vector registers that an instruction names, in their order."""
    found = re.findall(r"\bv(?:(\d+)|\[(\d+):(\d+)\])", text)
    return [f"v{i}" for one, first, last in found for i in (range(int(first), int(last) + 1) if first else [int(one)])]


def read_blocks(lines):
    """Blocks of numbered lines; a block starts at a label or behind a branch."""
    blocks = [Block("")]
    for number, line in lines:
        if line.endswith(":"):
            blocks.append(Block(line[:-1]))
        elif INSTRUCTION.match(line):
            if blocks[-1].code and BRANCH.match(blocks[-1].code[-1][1]):
                blocks.append(Block(""))
            blocks[-1].code.append((number, line))
    numbers = {block.label: at for at, block in enumerate(blocks) if block.label}
    for at, block in enumerate(blocks):
        connect(blocks, numbers, at, block)
    return blocks


def connect(blocks, numbers, at, block):
    last = block.code[-1][1] if block.code else ""
    branch = BRANCH.match(last)
    kind = branch.group(1) if branch else ""
    if not re.match(r"branch|endpgm|setpc", kind) and at + 1 < len(blocks):
        block.successors.append(at + 1)
    if "branch" in kind:
        target = last.split()[-1]
        if target in numbers:
            block.successors.append(numbers[target])
        else:
            block.problem = f"a branch to {target}, which is nowhere"
    elif kind == "setpc_b64":
        # A branch too far for its immediate: the distance is added to the program counter.
        far = re.findall(r"(\.L\w+)-\.Lpost_getpc", " ".join(block.texts))
        if far and far[-1] in numbers:
            block.successors.append(numbers[far[-1]])
        else:
            block.problem = "a jump to an address in registers"
    elif kind == "swappc_b64":
        block.problem = "a call"


def read_assembly(text):
    """The kernels of a .s file."""
    target = re.search(r'\.amdgcn_target\s+"[\w.-]*?-(gfx\w+)', text)
    kernels = set(re.findall(r"^\s*\.amdhsa_kernel\s+(\S+)", text, re.M))
    found, symbol, lines = [], None, []
    for number, line in enumerate(text.splitlines(), 1):
        line = FULL_NAME.sub(r"\1", line.split(";")[0].split("//")[0].strip())
        if symbol is None:
            if line.endswith(":") and line[:-1] in kernels:
                symbol, lines = line[:-1], []
        elif line.startswith(".Lfunc_end"):
            found.append(Kernel(symbol, target.group(1), read_blocks(lines)))
            symbol = None
        else:
            lines.append((number, line))
    return found


def read_disassembly(text, arch):
    """The kernels in what `llvm-objdump -d` prints; lines are numbered by their byte in the kernel. Branches are marked
    there with their target as <symbol+offset>."""
    found = []
    for part in re.split(r"^[0-9a-f]{16} <(?=[^>]+>:$)", text, flags=re.M)[1:]:
        symbol, body = part.split(">:\n", 1)
        code = re.findall(r"^\s+([a-z]\w+.*?)\s*// ([0-9A-F]+):.*?(?:<\S+?\+0x([0-9a-f]+)>)?$", body, re.M)
        if not code:
            continue
        start = int(code[0][1], 16)
        # The kernel's own name stands for its first instruction.
        code = [(FULL_NAME.sub(r"\1", text), int(address, 16) - start,
                 0 if text.split()[-1] == symbol else int(target, 16) if target else None)
                for text, address, target in code]
        targets = {target for _, _, target in code}
        lines = []
        for text, at, target in code:
            if at in targets:
                lines.append((at, f"at_{at:x}:"))
            lines.append((at, text if target is None else f"{text.split()[0]} at_{target:x}"))
        found.append(Kernel(symbol, arch, read_blocks(lines)))
    return found


def self_test():
    """Planted: a quotient whose reciprocal is computed before the loop, and what is none."""
    quotient = ["s_mul_hi_u32 s10, s27, s67", "s_mul_i32 s16, s10, s65", "s_sub_i32 s16, s27, s16", "s_sub_i32 s42, s16, s65",
                "s_cmp_ge_u32 s16, s65", "s_cselect_b32 s16, s42, s16", "s_cmp_ge_u32 s16, s65", "s_cselect_b32 s10, s17, s10"]
    of_lanes = ["v_sub_u32_e32 v3, v2, v9", "v_cmp_ge_u32_e32 vcc, v2, v9", "v_cndmask_b32_e32 v2, v2, v3, vcc",
                "v_cmp_le_u32_e32 vcc, v9, v2"]
    dropped = ["v_cmp_le_u32_e32 vcc, s4, v2", "v_cmp_le_u32_e32 vcc, s4, v3"]
    for texts, count in ((quotient, 1), (quotient + quotient, 2), (of_lanes, 1), (dropped, 0), (quotient[:5], 0),
                         (["v_rcp_iflag_f32_e32 v1, v2"] + quotient, 1), (["v_rcp_f32_e32 v0, v0"], 0),
                         (["v_rcp_f32_e32 v0, v0", "v_mul_f32_e32 v0, 0x5f7ffffc, v0"], 1)):
        assert divisions(texts) == count, (texts, divisions(texts))
    return 0


if __name__ == "__main__":
    sys.exit(self_test())
