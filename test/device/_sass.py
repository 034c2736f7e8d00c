"""NVIDIA's machine code as nvdisasm prints it: instructions and loops of every kernel, and what no kernel may have.

    MEMBAR wider than CTA, ERRBAR   a fence of the whole GPU. An instruction that looks cheap may become one: an arrival at an
                                    mbarrier that releases to the cluster, say.
    R2UR in a main loop of wgmma    where a descriptor is made of it. wgmma takes descriptors from uniform registers; this one
                                    was computed in vector registers, as the compiler does not know it to be uniform.
    LDL, STL                        local memory

A main loop is one with matrix instructions that holds no smaller one with some.
"""

import heapq
import re
import subprocess
import sys

MATRIX = re.compile(r"(HMMA|IMMA|QMMA|DMMA|HGMMA|IGMMA|QGMMA|UTC[HQIO]MMA)\b")
EXPONENTIAL = re.compile(r"MUFU\.EX2\b")
COPY = re.compile(r"UTMALDG\b")
DIVISION = re.compile(r"I2F\b.*\.RP\b|CALL\b.*_(div|rem)_[su]64")  # of integers, of 32 bits and of 64
COMPARISON = re.compile(r"U?ISETP\.(?:(?:GE|LT)\.U32\S* \w+, \w+, (U?R\d+)(?:\.reuse)?, (U?R\d+|c\[.*?\]\[.*?\])|"
                        r"(?:GT|LE)\.U32\S* \w+, \w+, (U?R\d+)(?:\.reuse)?, (U?R\d+))")
SUBTRACTION = re.compile(r"(U?IADD3|VIADD|IMAD\.IADD)\b.* -(U?R\d+|c\[)")
WAIT = re.compile(r"WARPGROUP\.DEPBAR\.LE gsb0, 0x0")
STORE = re.compile(r"UTMASTG\b")
TILES = re.compile(r"(UTMASTG|STG|UTC[HQIO]MMA)\b")  # in a loop around that of products: it is one over tiles of the result
# Rounds of a loop that stores C in chunks by tensor copies: what such a round has, and what it has not.
CHUNKS = {
    "plain": ((), r"LDG|LDS|MUFU|FMUL|FFMA"),
    "source": ((r"LDS", r"FFMA"), r"LDG|MUFU|FMUL|FADD"),
    "bias": ((r"LDS", r"FADD"), r"LDG|MUFU|FMUL|FFMA"),
    "silu": ((r"MUFU\.EX2", r"MUFU\.RCP"), r"LDG|LDS|CALL"),
}


class Code:
    """Instructions of one kernel in order, without their predicates; `always[i]`: i has none. Labels by name."""

    def __init__(self):
        self.instructions = []
        self.always = []
        self.labels = {}

    def target(self, at):
        """Where the branch at `at` goes; None where that is none."""
        found = re.match(r"BRA\b.*`\((\.L_x_\d+)\)", self.instructions[at])
        return self.labels.get(found.group(1)) if found else None

    def blocks(self):
        """Straight runs of instructions as (first, last, successors by number)."""
        count = len(self.instructions)
        ends = [at for at in range(count) if re.match(r"(BRA|BRX|EXIT|RET)\b", self.instructions[at])]
        starts = sorted({0, *self.labels.values(), *(at + 1 for at in ends)} - {count})
        number = {first: n for n, first in enumerate(starts)}
        runs = []
        for n, first in enumerate(starts):
            last = (starts + [count])[n + 1] - 1
            # The condition of BRA.DIV is its own, that of BRA.U an operand.
            leaves = last in ends and self.always[last] and not re.match(r"BRA\.(DIV|U !?UP\d)", self.instructions[last])
            goes = [] if leaves else [last + 1]
            goes.append(self.target(last))
            runs.append((first, last, [number[to] for to in goes if to in number]))
        return runs

    def dominators(self):
        """The blocks, what leads to each, and as bits the blocks that all ways to it come through."""
        runs = self.blocks()
        before = [[] for _ in runs]
        for n, (_, _, after) in enumerate(runs):
            for to in after:
                before[to].append(n)
        everything = (1 << len(runs)) - 1
        dominators = [1] + [everything] * (len(runs) - 1)
        changed = True
        while changed:
            changed = False
            for n in range(1, len(runs)):
                common = everything
                for b in before[n]:
                    common &= dominators[b]
                if common | 1 << n != dominators[n]:
                    dominators[n], changed = common | 1 << n, True
        return runs, before, dominators

    def loops(self):
        """The natural loops, as sets of block numbers: a branch back to a block that all ways to it come through."""
        runs, before, dominators = self.dominators()
        loops = {}
        for n, (_, _, after) in enumerate(runs):
            for head in after:
                if dominators[n] >> head & 1:
                    body, waiting = loops.setdefault(head, {head}), [n]
                    while waiting:
                        b = waiting.pop()
                        if b not in body:
                            body.add(b)
                            waiting += before[b]
        return runs, list(loops.values())

    def shortest_round(self, runs, loop, start, marks={}, wanted=frozenset()):
        """The blocks of the shortest round of a loop from `start` whose `marks`, a set by block, together are those `wanted`;
        None where no round has them."""
        waiting, seen = [(0, start, frozenset(), [])], set()
        while waiting:
            length, n, had, way = heapq.heappop(waiting)
            if n == start and way:
                if had == wanted:
                    return way
                continue
            if (n, had) in seen or n not in loop:
                continue
            seen.add((n, had))
            had |= marks.get(n, frozenset())
            for to in runs[n][2]:
                heapq.heappush(waiting, (length + runs[n][1] - runs[n][0] + 1, to, had, way + [n]))
        return None

    def main_rounds(self, of=MATRIX, whole=False):
        """(all instructions of the loop, those of its shortest round), as numbers, of each loop with instructions `of`. A round
        begins where there are most of them; what waits again, and again, is not in the shortest. With `whole`, it is the
        shortest round with all of them, where there is one."""
        runs, loops = self.loops()
        count = [sum(1 for at in range(first, last + 1) if of.match(self.instructions[at])) for first, last, _ in runs]

        def places(blocks):
            return [at for n in blocks for at in range(runs[n][0], runs[n][1] + 1)]
        loops = [loop for loop in loops if any(count[n] for n in loop)]
        found = []
        for loop in loops:
            if any(other < loop for other in loops):
                continue
            start = max(loop, key=lambda n: count[n])
            marks = {n: frozenset([n]) for n in loop if count[n]}
            way = self.shortest_round(runs, loop, start, marks, frozenset(marks)) if whole else None
            way = way or self.shortest_round(runs, loop, start)
            if way:
                found.append((places(sorted(loop)), places(way)))
        return found

    def main_loops(self, of=MATRIX):
        """main_rounds as texts."""
        return [tuple([self.instructions[at] for at in part] for part in pair) for pair in self.main_rounds(of)]

    def chunk_round(self, has, has_not):
        """Instructions of the shortest round, with some that match each of `has` and none that matches `has_not`, of the loop
        that stores C in chunks; 0 without such a round, None without such a loop."""
        runs, loops = self.loops()
        texts = [self.instructions[first:last + 1] for first, last, _ in runs]
        stores = [n for n, text in enumerate(texts) if any(map(STORE.match, text))]
        loops = [loop for loop in loops if any(n in loop for n in stores) and
                 not any(MATRIX.match(text) for n in loop for text in texts[n])]
        if not loops:
            return None
        loop = min(loops, key=len)
        loop = {n for n in loop if not any(re.match(has_not, text) for text in texts[n])}
        marks = {n: frozenset(i for i, one in enumerate(has) if any(re.match(one, text) for text in texts[n])) for n in loop}
        start = next((n for n in stores if n in loop), None)
        way = None if start is None else self.shortest_round(runs, loop, start, marks, frozenset(range(len(has))))
        return sum(len(texts[n]) for n in way or [])

    def divisions_behind(self):
        """Divisions of integers behind the wait for the last matrix instructions of a warpgroup."""
        runs, _, dominators = self.dominators()
        last = sum(1 << n for n, (a, b, _) in enumerate(runs) if any(map(WAIT.match, self.instructions[a:b + 1])))
        return sum(1 for n, (a, b, _) in enumerate(runs) if dominators[n] & last
                   for text in self.instructions[a:b + 1] if DIVISION.match(text))

    def divisions_inside(self):
        """Divisions of integers in the smallest loops with matrix instructions, with exponentials, and with copies and a wait,
        whichever way a round takes. A loop around one of matrix instructions is a round as well, but one over tiles: it
        stores, or multiplies by tcgen05, whose results other warps store."""
        runs, loops = self.loops()
        texts = [self.instructions[first:last + 1] for first, last, _ in runs]
        inside = set()
        for wanted in ((MATRIX,), (EXPONENTIAL,), (COPY, re.compile(r"SYNCS\.PHASECHK"))):
            chosen = [loop for loop in loops if all(any(one.match(text) for n in loop for text in texts[n]) for one in wanted)]
            inside.update(*(loop for loop in chosen if not any(other < loop for other in chosen) or wanted == (MATRIX,) and
                            not any(TILES.match(text) for n in loop for text in texts[n])))
        return divisions([text for n in sorted(inside) for text in texts[n]])


def divisions(texts):
    """Divisions of integers among instructions in order. Of 32 bits: by their reciprocals or, where these are computed ahead, by
    the two comparisons of a remainder with the divisor, which is subtracted between them, that correct a quotient. Of 64 bits:
    by their calls."""
    found = [text for text in texts if DIVISION.match(text)]
    calls = sum(text.startswith("CALL") for text in found)
    number, less, compared = {}, {}, set()  # of a register: the instruction that wrote it; of such a one: what it subtracted from
    for at, text in enumerate(texts):
        comparison = COMPARISON.match(text)
        if comparison:
            remainder, divisor = comparison[1] or comparison[4], comparison[2] or comparison[3]
            compared.add((number.get(remainder, remainder), divisor))
            continue
        written = re.match(r"[\w.]+ (?:U?P[T\d]+, )*(U?R\d+)\b,?(.*)", text)
        if written:
            if SUBTRACTION.match(text):
                less[at] = [number.get(name, name) for name in re.findall(r" (U?R\d+)", written[2])]
            number[written[1]] = at
    corrected = sum(1 for at, divisor in compared if any((before, divisor) in compared for before in less.get(at, ())))
    return max(len(found) - calls, corrected) + calls


def parse(text):
    """{symbol: Code} of nvdisasm -c."""
    kernels = {}
    code = None
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([\w$]+)", line)
        label = re.match(r"(\.L_x_\d+):", line)
        instruction = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?(.*?)\s*;", line)
        if section:
            code = kernels.setdefault(section.group(1), Code())
        elif re.match(r"\s*\.section\s", line):
            code = None
        elif code and label:
            code.labels[label.group(1)] = len(code.instructions)
        elif code and instruction:
            code.always.append(instruction.group(1) is None)
            code.instructions.append(instruction.group(2))
    return kernels


def read(nvdisasm, cubin):
    return parse(subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout)


def problems(code):
    found = []
    for what, pattern in (("a fence wider than the block", r"MEMBAR\b(?!.*\.CTA$)"), ("an ERRBAR", r"(CGA)?ERRBAR\b"),
                          ("local memory in the machine code", r"(LDL|STL)\b")):
        lines = [text for text in code.instructions if re.match(pattern, text)]
        if lines:
            found.append(f"{what}, {len(lines)} times: {lines[0]}")
    loops = [loop for loop, _ in code.main_loops()]
    moved = [text for loop in loops if any(re.match(r"[HIQ]GMMA\b", text) for text in loop) for text in moved_descriptors(loop)]
    if moved:
        found.append(f"R2UR of a descriptor in a loop with matrix instructions, {len(moved)} times: {moved[0]}")
    split = list(dict.fromkeys(text for loop in loops for text in split_bytes(loop)))
    if split:
        found.append(f"a byte of an operand of a matrix instruction on its own, {len(split)} times: {split[0]}")
    return found


def split_bytes(loop):
    """The PRMT that take one byte of what ldmatrix read, in a loop with matrix instructions of 8 bits: registers of operands
    stay whole."""
    read, found = set(), []
    for text in loop + loop if any(re.match(r"[IQ]MMA\b", text) for text in loop) else []:
        one = re.match(r"PRMT R\d+, (R\d+)(?:\.reuse)?, 0x777[123], RZ", text)
        if one and one[1] in read and text not in found:
            found.append(text)
        load = re.match(r"LDSM\.\S*\.([124]) R(\d+)", text)
        written = re.match(r"[\w.]+ (?:P\d, )?(R\d+)\b", text)
        if load:
            read.update(f"R{int(load[2]) + n}" for n in range(int(load[1])))
        elif written:
            read.discard(written[1])
    return found


def moved_descriptors(loop):
    """The R2UR of a loop whose number reaches a matrix instruction's descriptor, which is four uniform registers."""
    sources, reached = {}, []  # of a uniform register: the R2UR that its number came from
    for text in loop + loop:
        written = re.match(r"[\w.]+ (?:U?P[T\d], )?(UR\d+)\b,? ?", text)
        read = text[written.end():] if written else text
        found = {moved for name in re.findall(r"UR\d+", read) for moved in sources.get(int(name[2:]), ())}
        for first in re.findall(r"gdesc\[UR(\d+)\]", text):
            reached += [moved for at in range(4) for moved in sources.get(int(first) + at, ()) if moved not in reached]
        if written:
            for at in range(2 if re.match(r"\S*(\.64|WIDE)", text) else 1):
                sources[int(written[1][2:]) + at] = {text} if text.startswith("R2UR ") else found
    return reached


def awaited_numbers(loop):
    """The loads of 4 bytes from global memory in a loop whose number an instruction reads before the next matrix
    instruction: no product hides their latency."""
    loaded, found = {}, []
    for text in loop + loop:
        if MATRIX.match(text):
            loaded = {}
            continue
        written = re.match(r"[\w.]+ (?:P[T\d], )?R(\d+)\b(?!])", text)
        read = re.findall(r"\bR(\d+)(\.64)?", text[written.end():] if written else text)
        read = [int(number) + more for number, wide in read for more in range(2 if wide else 1)]
        found += [loaded[name] for name in read if name in loaded and loaded[name] not in found]
        if written:
            loaded.pop(int(written[1]), None)  # a branch may set it
        if re.match(r"LDG\.E(\.(?!(64|128|U8|S8|U16|S16)\b)\w+)* R", text):
            loaded[int(written[1])] = text
    return found


def numbers(code):
    """The counts of a kernel, by the words of check_isa.py. The loop counted is the main loop with the fewest instructions a
    matrix instruction."""
    chunks = {f"sass_chunk_{name}": code.chunk_round(*what) for name, what in CHUNKS.items()}
    chunks = {name: count for name, count in chunks.items() if count is not None}
    chunks["sass_loop_divisions"] = code.divisions_inside()
    best = min(((len(way), sum(1 for text in way if MATRIX.match(text))) for _, way in code.main_loops()),
               key=lambda pair: pair[0] / pair[1], default=None)
    if not best:
        return chunks
    awaited = {text for loop, _ in code.main_loops() for text in awaited_numbers(loop)}
    return {"sass_loop_per_hundred": round(100 * best[0] / best[1]), "sass_divisions_behind": code.divisions_behind(),
            "sass_awaited_numbers": len(awaited), **chunks}


def self_test():
    """Planted: every rule turns red by its own line, and only inside the loop where it asks for one."""
    frame = """\t.section\t.text.kernel,"ax",@progbits
        /*0000*/                   {before} ;
.L_x_1:
        /*0010*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR16], R2 ;
        /*0020*/              @!P0 BRA `(.L_x_3) ;
.L_x_2:
        /*0030*/                   HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0 ;
        /*0040*/               @P0 {inside} ;
        /*0050*/              @!P0 BRA `(.L_x_1) ;
        /*0058*/                   WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
        /*0060*/                   {behind} ;
        /*0064*/                   EXIT ;
.L_x_3:
        /*0070*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR16], R2 ;
        /*0080*/              @!P0 BRA `(.L_x_3) ;
        /*0090*/                   BRA `(.L_x_2) ;
\t.section\t.nv.info,"",@"SHT_CUDA_INFO"
        /*0000*/                   MEMBAR.SC.SYS ;
"""
    for before, inside, count in (("NOP", "NOP", 0), ("MEMBAR.ALL.CTA", "MEMBAR.SC.CTA", 0), ("MEMBAR.ALL.GPU", "NOP", 1),
                                  ("NOP", "MEMBAR.SC.SYS", 1), ("ERRBAR", "NOP", 1), ("NOP", "CGAERRBAR", 1),
                                  ("NOP", "R2UR UR4, R2", 1), ("NOP", "R2UR UR8, R2", 0), ("R2UR UR4, R2", "NOP", 0), ("LDL R1, [R2]", "NOP", 1),
                                  ("NOP", "STL.64 [R2], R4", 1)):
        code = parse(frame.format(before=before, inside=inside, behind="NOP"))["kernel"]
        assert len(code.instructions) == 12 and len(code.main_loops()) == 1, code.instructions
        assert numbers(code) == {"sass_loop_per_hundred": 500, "sass_divisions_behind": 0,
                                 "sass_awaited_numbers": 0, "sass_loop_divisions": 0}, numbers(code)
        assert len(problems(code)) == count, (before, inside, problems(code))
    for branch, count in (("BRA.U !UP0, `(.L_x_2)", 0), ("BRA `(.L_x_2)", 1)):  # a loop only if the branch may go on
        code = parse(f"""\t.section\t.text.kernel,"ax",@progbits
.L_x_1:
        /*0000*/                   HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0 ;
        /*0010*/                   {branch} ;
        /*0020*/                   BRA `(.L_x_1) ;
.L_x_2:
        /*0030*/                   EXIT ;
""")["kernel"]
        assert len(code.main_loops()) == 1 - count, branch
    jumps = parse("""\t.section\t.text.kernel,"ax",@progbits
.L_x_1:
        /*0000*/                   HGMMA.64x8x16.F32 R24, gdesc[UR4], R24 ;
        /*0010*/              @!P0 BRA `(.L_x_2) ;
        /*0020*/                   HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, gsb0 ;
.L_x_2:
        /*0030*/              @!P1 BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
""")["kernel"]
    assert [[len(way) for _, way in jumps.main_rounds(whole=whole)] for whole in (False, True)] == [[3], [4]]
    load, matrix, use = "LDG.E.CONSTANT R5, [R2.64]", "HMMA.16816.F32 R8, R16, R20, R8", "IMAD.WIDE R6, R5, R4, R6"
    for loop, count in (([load, use, matrix], 1), ([load, matrix, use], 0), ([use, matrix, load], 1),
                        ([matrix, use, load, matrix], 0), ([load, "SHFL.IDX PT, R7, R4, R9, 0x1f", matrix], 0),
                        (["LDG.E.64 R4, [R2.64]", use, matrix], 0), ([load, "MOV R5, RZ", matrix], 0), ([load, "LDGSTS.E.128 [R9], [R4.64]", matrix], 1)):
        assert len(awaited_numbers(loop)) == count, loop
    for before, behind, count in (("I2F.U32.RP R2, R3", "NOP", 0), ("NOP", "I2F.U32.RP R2, R3", 1)):
        code = parse(frame.format(before=before, inside="NOP", behind=behind))["kernel"]
        assert numbers(code)["sass_divisions_behind"] == count, code.instructions
    for inside, behind, count in (("I2F.U32.RP R2, R3", "NOP", 1), ("NOP", "I2F.U32.RP R2, R3", 0), ("I2F.S32 R2, R3", "NOP", 0),
                                  ("I2F.RP R2, R3", "NOP", 1), ("MUFU.RCP R2, R3", "NOP", 0), ("CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_u64)", "NOP", 1),
                                  ("CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath)", "NOP", 0)):
        for product in ("HGMMA.64x8x16.F32 R24", "UTMALDG.3D [UR16]", "MUFU.EX2 R24, R24", "LDG.E R24, [R2.64]"):
            text = frame.format(before="NOP", inside=inside, behind=behind).replace("HGMMA.64x8x16.F32 R24", product)
            assert parse(text)["kernel"].divisions_inside() == (0 if product[0] == "L" else count), (inside, product)
    quotient = ["IMAD.HI.U32 R4, R11, R0, RZ", "IMAD.MOV R5, RZ, RZ, -R4", "IMAD R6, R5, UR7, R0", "ISETP.GE.U32.AND P1, PT, R6, UR7, PT",
                "IADD3 R6, R6, -UR7, RZ", "ISETP.GE.U32.AND P1, PT, R6.reuse, UR7, PT", "VIADD R6, R6, -UR7"]
    ahead = quotient[:3] + ["VIADD R8, R6, -UR7", "ISETP.GE.U32.AND P2, PT, R8, UR7, PT", "ISETP.GE.U32.AND P1, PT, R6, UR7, PT"]
    signed = ["I2F.RP R9, R8", "ISETP.GT.U32.AND P4, PT, R12, R7, PT", "IADD3 R7, PT, PT, R7, -R8, RZ", "ISETP.GE.U32.AND P3, PT, R7, R12, PT"]
    old = ["ISETP.GE.U32.AND P1, PT, R6, c[0x0][0x174], PT", "IMAD.IADD R6, R6, 0x1, -R9", "ISETP.GE.U32.AND P1, PT, R6, c[0x0][0x174], PT"]
    range_ = ["ISETP.GE.U32.AND P1, PT, R6, UR7, PT", "VIADD R6, R6, 0x1", "ISETP.GE.U32.AND P1, PT, R6, UR7, PT"]
    other = quotient[:5] + ["ISETP.GE.U32.AND P1, PT, R6, UR8, PT"]
    overwritten = quotient[:5] + ["LDS R6, [R7]"] + quotient[5:]
    for texts, count in ((quotient, 1), (quotient + quotient, 2), (ahead, 1), (signed, 1), (signed + quotient, 2), (signed[1:], 1), (old, 1),
                         (range_, 0), (other, 0), (overwritten, 0), (quotient[:5], 0)):
        assert divisions(texts) == count, (texts, divisions(texts))
    for product, stored, count in (("HMMA.16816.F32", "NOP", 1), ("HMMA.16816.F32", "STG.E desc[UR4][R4.64], R15", 0),
                                   ("HMMA.16816.F32", "STS [R7], R15", 1), ("UTCHMMA", "NOP", 0)):
        inner = parse(f"""\t.section\t.text.kernel,"ax",@progbits
.L_x_1:
        /*0000*/                   I2F.RP R2, R3 ;
.L_x_2:
        /*0010*/                   {product} R8, R4, R2, R8 ;
        /*0020*/              @!P0 BRA `(.L_x_2) ;
        /*0030*/                   {stored} ;
        /*0040*/              @!P1 BRA `(.L_x_1) ;
        /*0050*/                   EXIT ;
""")["kernel"]
        assert inner.divisions_inside() == count, (product, stored)
    for load, count in (("LDSM.16.M88.4 R4, [R40]", 1), ("LDSM.16.M88.4 R8, [R40]", 0), ("LDSM.16.M88.2 R6, [R40]", 1),
                        ("LDSM.16.M88.2 R4, [R40]", 0), ("LDS.128 R4, [R40]", 0)):
        for matrix in ("QMMA.16832.F32.E4M3.E4M3", "HMMA.16816.F32"):
            found = split_bytes([load, "PRMT R2, R7.reuse, 0x7771, RZ", f"{matrix} R8, R4, R2, R8"])
            assert len(found) == (count if matrix[0] == "Q" else 0), (load, matrix, found)
    chunks = """\t.section\t.text.kernel,"ax",@progbits
.L_x_1:
        /*0000*/              @!P0 BRA `(.L_x_2) ;
        /*0010*/                   {sum} R2, R3, R4, R5 ;
        /*0020*/                   LDSM.16.M88.4 R4, [R4] ;
.L_x_2:
        /*0030*/                   UTMASTG.3D [UR20], [UR30], desc[UR8] ;
        /*0040*/              @!P0 BRA `(.L_x_1) ;
        /*0050*/                   EXIT ;
"""
    for add, source, bias in (("FFMA", 5, 0), ("FADD", 0, 5), ("FMUL", 0, 0)):
        code = parse(chunks.format(sum=add))["kernel"]
        assert numbers(code) == {"sass_chunk_plain": 3, "sass_chunk_source": source, "sass_chunk_bias": bias,
                                 "sass_chunk_silu": 0, "sass_loop_divisions": 0}, (add, numbers(code))
    return 0


if __name__ == "__main__":
    sys.exit(self_test())
