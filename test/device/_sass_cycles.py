"""The cost of a round of the main loop on an NVIDIA multiprocessor, in clocks, from the machine code of kernels that multiply
matrices. Used by check_isa.py.

    matrix   the products, at the chip's rate (chip/speeds.hpp). All take 32 bytes of k, and all types have the rate of their bytes.
    issue    instructions of one of four schedulers, one a clock. A warpgroup has a warp on each, so that these are the round of
             a warp; on top come the round of the warp that copies and, of tcgen05, that of the lane that multiplies.
    shared   shared memory at 128 bytes a clock: operands of products, reads and writes of the warps, and what copies bring

A round is that of one warpgroup for wgmma, which reads A and B of each instruction from shared memory, or B alone. All
warpgroups but one multiply, and share what a round of the filling warps brings, and its instructions. In a ping-pong schedule
and in the latent form, which symbols name, each stage is for one of them.

tcgen05 runs by itself: one lane issues. The instruction descriptor has its shape, a constant. A round is that lane's. Softmax
and gradients of scores are rounds of other warps, with exponentials. They read all scores from tensor memory: as many columns
as products begin in a round whose operands both lie along k. In a pair of blocks each has half of the rows and of the copies.

mma.sync takes its operands from registers, and all warps do the same: a round is a warp's, whose scheduler has a quarter of the
chip's rate, and shared memory serves four. The rate of sm_90a is wgmma's, that of sm_100a tcgen05's.

Filling warps are one that copies and a warpgroup that writes operands, in one loop or in two. Warps that transpose what was
copied move one copy a round; their instructions count as if spread over the four schedulers.

Among several loops, that with the fewest instructions for each product counts. `shared` has no number where the bytes of copies are no
constant. Not counted: bulk copies out of shared memory, bank conflicts. Lanes that read one address, which vector registers
hold, count as if each had its own.
"""

import re
import struct
import sys

import _cycle_model
import _sass

BANKS = 128  # bytes a clock
WGMMA = re.compile(r"[HIQ]GMMA\.64x(\d+)x\d+\S* R\d+, (R\d+, )?gdesc")
TCGEN05 = re.compile(r"UTC[HQIO]*MMA(\.2CTA)?\S* (gdesc|tmem)\[.*idesc\[(UR\d+)\].* (!?UP\w+)$")
FILLS = r"UTMALDG\b|STS\b|STSM\b"
NOT_FILLING = r"LDTM\b|UTMASTG\b|MUFU\.EX2|BAR\b"  # softmax and epilogues, which wait and write as well
OWN_STAGES = "consumer_modeE1E|latent"
WARP_PRODUCT = re.compile(r"([HIQ])MMA\.168(\d+)\.(\S+)")
WARP_COPY = re.compile(r"LDGSTS\S*?\.(64|128)\b")
EXPECT = re.compile(r"SYNCS\.ARRIVE\.TRANS64 RZ, \[.*\], (R\d+)$")
ACCESS = re.compile(r"(LDSM|STSM|LDS|STS)(\S*) (.*)")
SCALES = re.compile(r"UTCCP\S*\.4x32dp128bit")


def constant(code, at, register):
    """The number in a register before the instruction `at`, as the text has it; None where it is computed."""
    for n in range(at - 1, -1, -1):
        written = re.match(rf"([\w.]+) {register}, (.*)", code.instructions[n])
        if not written:
            continue
        half = re.fullmatch(r"-RZ, RZ, (\S+), (\S+)", written[2]) if written[1] == "HFMA2" else None
        if half:
            low, high = (struct.unpack("<H", struct.pack("<e", float(half[i])))[0] for i in (2, 1))
            return high << 16 | low
        moved = re.fullmatch(r"(?:RZ, RZ, )?(0x[0-9a-f]+|U?R\d+)", written[2])
        if not moved or not re.match(r"U?MOV|IMAD\.(MOV\.)?U32", written[1]):
            return None
        return int(moved[1], 16) if moved[1].startswith("0x") else constant(code, n, moved[1])
    return None


def product(code, at):
    """(rows, columns, bytes read of shared memory, columns of scores that it begins) of a product, of one block; None if it has
    no shape."""
    text = code.instructions[at]
    found = WGMMA.match(text)
    if found:
        columns = int(found[1])
        return 64, columns, 32 * (columns + (0 if found[2] else 64)), 0
    found = TCGEN05.match(text)
    shape = constant(code, at, found[3]) if found else None
    if shape is None:
        return None
    blocks, columns = 2 if found[1] else 1, (shape >> 17 & 63) * 8
    rows = (shape >> 24 & 31) * 16 // blocks
    begins = found[4] == "!UPT" and not shape >> 15 & 3
    return rows, columns, 32 * (columns // blocks + (rows if found[2] == "gdesc" else 0)), columns if begins else 0


def access_clocks(text):
    """Clocks of shared memory of a warp's instruction."""
    if SCALES.match(text):
        return 512 / BANKS
    found = ACCESS.match(text)
    if not found:
        return 0
    if "[U" in found[3] or "[RZ" in found[3]:  # one address of all lanes
        return 1
    if found[1] in ("LDSM", "STSM"):
        return int((re.search(r"\.([24])$", found[2]) or [0, 1])[1])
    wide = re.search(r"\.(64|128)\b", found[2])
    narrow = re.search(r"\.[US](8|16)\b", found[2])
    return max(1, 32 * int((wide or narrow or [0, 32])[1]) // 8 / BANKS)


def filling_rounds(code):
    """(the whole loop, a round), as places, of the loop that copies operands into shared memory and of the one in which warps
    write them, empty where there is none. Such a loop waits at an mbarrier and arrives at one; pages or panels may be loops inside it."""
    runs, loops = code.loops()
    texts = [code.instructions[first:last + 1] for first, last, _ in runs]

    def has(loop, pattern):
        return {n for n in loop if any(re.match(pattern, text) for text in texts[n])}
    loops = [loop for loop in loops if has(loop, FILLS) and has(loop, r"SYNCS\.PHASECHK") and has(loop, r"SYNCS\.ARRIVE") and
             not has(loop, _sass.MATRIX.pattern) and not has(loop, NOT_FILLING)]
    loops = [loop for loop in loops if not any(other < loop for other in loops)]
    found = []
    for copying in (True, False):
        of = _sass.COPY.pattern if copying else FILLS
        chosen = [loop for loop in loops if bool(has(loop, _sass.COPY.pattern)) == copying]
        loop = max(chosen, key=lambda loop: (len(has(loop, EXPECT.pattern)), len(has(loop, of))), default=None)
        if loop is None:
            found.append(([], []))
            continue
        entered = {to for n, (_, _, after) in enumerate(runs) if n not in loop for to in after}
        head = min(loop & entered or loop)
        way = None
        for together in (False, True):  # all of them, or one where a round has one of several
            marks = {n: frozenset(["fill" if together else n]) for n in has(loop, of)}
            for n in has(loop, r"LDG\b"):  # not the last round, which loads nothing for the next
                marks[n] = marks.get(n, frozenset()) | {"load"}
            way = way or code.shortest_round(runs, loop, head, marks, frozenset().union(*marks.values()))
        way = way or code.shortest_round(runs, loop, head)
        found.append(tuple([at for n in part for at in range(runs[n][0], runs[n][1] + 1)] for part in (sorted(loop), way)))
    return found


def filling(code):
    """(instructions of a scheduler, clocks of shared memory) of the warps that fill shared memory, in a round of them: of what
    copies bring, and of what a warpgroup writes. Clocks are None where bytes of copies are no constant: instructions that
    transpose then count once."""
    (loop, copying), (_, writing) = filling_rounds(code)
    expected = [at for at in copying if EXPECT.match(code.instructions[at])]
    expected = expected or [at for at in loop if EXPECT.match(code.instructions[at])]
    # One on a condition is for an operand that the first round brings.
    expected = [at for at in expected if code.always[at]] or expected
    bytes_ = [constant(code, at, EXPECT.match(code.instructions[at])[1]) for at in expected]
    if copying and (not bytes_ or None in bytes_):
        return (len(copying), None), (len(writing), None)
    rounds = []
    for way in (copying, writing):
        texts = [code.instructions[at] for at in way]
        own = sum(map(access_clocks, texts))
        turned = sum(access_clocks(text) for text in texts if text.startswith("LDSM"))
        if turned:  # Some of the warps read what a copy brought, once, in a loop whose rounds are not known.
            times = max(bytes_, default=0) / BANKS / turned
            rounds.append((times * len(texts) / 4, times * own))
        else:
            rounds.append((len(texts), 4 * own))
    return (rounds[0][0], rounds[0][1] + sum(bytes_) / BANKS), rounds[1]


def warp_product(text):
    """Multiply-adds of a warp's product, as of 16-bit floats; None if it has no shape."""
    found = WARP_PRODUCT.match(text)
    if not found:
        return None
    size = 4 if "TF32" in found[3] else 2 if found[1] == "H" else 1
    return 16 * 8 * int(found[2]) * size // 2


def warp_numbers(code, arch, way):
    """The clocks of a round of mma.sync."""
    texts = [code.instructions[at] for at in way]
    products = [warp_product(text) for text in texts if _sass.MATRIX.match(text)]
    if not products or None in products:
        return {}
    matrix = 4 * sum(products) / _cycle_model.read_speed(arch)["multiply_adds"]
    copied = sum(32 * int(found[1]) // 8 / BANKS for found in map(WARP_COPY.match, texts) if found)
    return clocks(matrix, len(texts), 4 * (copied + sum(map(access_clocks, texts))))


def clocks(matrix, issue, shared):
    """The numbers of a round by their words."""
    found = {"sass_matrix_clocks": round(matrix), "sass_issue_slots": round(issue),
             "sass_issue_percent": round(100 * issue / matrix)}
    if shared is not None:
        found |= {"sass_shared_clocks": round(shared), "sass_shared_percent": round(100 * shared / matrix)}
    return found


def numbers(code, arch, symbol, threads):
    """The clocks of a kernel by the words of check_isa.py; none where the model does not hold."""
    ways = [way for _, way in code.main_rounds(whole=True)]
    count = [sum(1 for at in way if _sass.MATRIX.match(code.instructions[at])) for way in ways]
    way = min(ways, key=lambda way: len(way) / count[ways.index(way)], default=[])
    if not any(WGMMA.match(text) or TCGEN05.match(text) for text in code.instructions):
        return warp_numbers(code, arch, way)
    products = [product(code, at) for at in way if _sass.MATRIX.match(code.instructions[at])]
    if not products or None in products:
        return {}
    one_lane = any(TCGEN05.match(code.instructions[at]) for at in way)
    blocks = 2 if any(".2CTA" in code.instructions[at] for at in way) else 1
    matrix = sum(rows * columns * 16 for rows, columns, _, _ in products) / _cycle_model.read_speed(arch)["multiply_adds"]

    warps = 1 if one_lane else 4
    issue = len(way)
    shared = sum(bytes_ for _, _, bytes_, _ in products) / BANKS + warps * sum(access_clocks(code.instructions[at]) for at in way)
    scores = sum(begun for *_, begun in products)
    if scores:
        rest = min((way for _, way in code.main_rounds(_sass.EXPONENTIAL)), key=len, default=[])
        texts = [code.instructions[at] for at in rest]
        columns = sum(int(found[1]) for found in (re.match(r"LDTM\.x(\d+)", text) for text in texts) if found)
        if not columns:
            return {}
        times = scores / columns
        issue += times * len(texts)
        shared += 4 * times * sum(map(access_clocks, texts))

    (copying, copied), (writing, written) = filling(code)
    sharing = 1 if one_lane or re.search(OWN_STAGES, symbol) else max(threads // 128 - 1, 1)
    issue += (copying + writing) / sharing
    return clocks(matrix, issue, None if copied is None else shared + (copied / blocks + written) / sharing)


def self_test():
    """Planted: what each part of a loop adds."""
    def frame(arch, inside, threads, symbol="kernel", shape="0x10400490", copy="NOP", write="NOP", bytes_="R4"):
        code = _sass.parse(f"""\t.section\t.text.kernel,"ax",@progbits
        /*0000*/                   HFMA2 R4, -RZ, RZ, 0, -0.0 ;
        /*0008*/                   UMOV UR17, {shape} ;
        /*0010*/                   IMAD.U32 R5, RZ, RZ, UR17 ;
.L_x_1:
        /*0020*/                   {inside} ;
        /*0030*/              @!P0 BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
.L_x_2:
        /*0050*/                   SYNCS.ARRIVE.TRANS64 RZ, [R6+URZ+0x38000], {bytes_} ;
        /*0058*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6], R2 ;
        /*005c*/                   {copy} ;
        /*0060*/                   UTMALDG.3D [UR16], [UR6], desc[UR14] ;
        /*0070*/              @!P0 BRA `(.L_x_2) ;
        /*0080*/                   EXIT ;
.L_x_3:
        /*0090*/                   LDTM.x128 R8, tmem[UR4] ;
        /*00a0*/                   MUFU.EX2 R8, R8 ;
        /*00b0*/                   STS.64 [R7], R8 ;
        /*00c0*/              @!P0 BRA `(.L_x_3) ;
        /*00d0*/                   EXIT ;
.L_x_4:
        /*00e0*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6], R2 ;
        /*00f0*/                   {write} ;
        /*0100*/                   SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R6], RZ ;
        /*0110*/              @!P0 BRA `(.L_x_4) ;
        /*0120*/                   EXIT ;
""")["kernel"]
        assert constant(code, 2, "R4") == 0x8000 and constant(code, 3, "R5") == int(shape, 16) and constant(code, 3, "R6") is None
        return tuple(numbers(code, arch, symbol, threads).values())
    next_ = " ;\n        /*0028*/                   "
    both, one = "HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24, gsb0", "HGMMA.64x256x16.F32 R24, R4, gdesc[UR4].tnspB, R24"
    # 32768 bytes are 256 clocks, of two warpgroups 128; A and B of 64x256x16 are 80, B alone 64. Five instructions copy.
    for inside, threads, clocks, issue, shared in (
            (both, 384, 128, 4.5, 208), (both, 256, 128, 7, 336), (one, 384, 128, 4.5, 192),
            (both + next_ + both, 384, 256, 5.5, 288), (both + next_ + "NOP", 384, 128, 5.5, 208),
            (both + next_ + "LDS R2, [R7]", 384, 128, 5.5, 212), (both + next_ + "LDS.128 R8, [R7+0x10]", 384, 128, 5.5, 224),
            (both + next_ + "LDS.128 R8, [UR7+0x10]", 384, 128, 5.5, 212), (both + next_ + "STS.U16 [R7], R2", 384, 128, 5.5, 212),
            (both + next_ + "STSM.16.MT88.4 [R7], R8", 384, 128, 5.5, 224), (both + next_ + "LDSM.16.M88 R2, [R7]", 384, 128, 5.5, 212)):
        assert frame("sm_90a", inside, threads) == (clocks, round(issue), round(100 * issue / clocks), shared,
                                                    round(100 * shared / clocks)), (inside, frame("sm_90a", inside, threads))
    assert frame("sm_90a", both, 384, "consumer_modeE1E") == frame("sm_90a", both, 256)
    # The one consumer of 256 threads has the copies for itself. Operands are written in the copying round or in one of four
    # instructions, by four warps; two warps that transpose read and write the bytes of a copy, 512 an instruction.
    assert frame("sm_90a", both, 256, "latent")[1::2] == (7, 336)
    turn = next_.join(("LDSM.16.MT88.4 R8, [R7]", "STSM.16.M88.4 [R7], R8"))
    first = "@P0 SYNCS.ARRIVE.TRANS64 RZ, [R6+URZ+0x38000], R4"
    pages = "UTMALDG.3D [UR16], [UR6], desc[UR14] ;\n.L_x_5:\n        /*005e*/                   NOP ;\n" \
            "        /*005f*/              @P1 BRA `(.L_x_5)"
    either = next_.join(("@P2 BRA `(.L_x_2)", "@P1 BRA `(.L_x_5)", "NOP", "UTMALDG.3D [UR16], [UR6], desc[UR14]", "NOP",
                         "BRA `(.L_x_2) ;\n.L_x_5:\n        /*005e*/                   NOP"))
    for copy, write, issue, shared in ((either, "NOP", 9, 336), ("STS.128 [R7], R8", "NOP", 7, 352), ("NOP", "STS.128 [R7], R8", 11, 352), ("NOP", turn, 87, 848),
                                       (first, "NOP", 7, 336), (pages, "NOP", 9, 336), ("NOP", "BAR.SYNC 1, 128" + next_ + "STS [R7], R8", 7, 336)):
        found = frame("sm_90a", both, 256, copy=copy, write=write)
        assert found[1:4:2] == (issue, shared), (copy, write, found)
    # Bytes that are computed: there is no number of clocks, and what writes is issued still, four instructions.
    for write, issue in (("NOP", 7), ("STS.128 [R7], R8", 11)):
        assert frame("sm_90a", both, 256, write=write, bytes_="R10") == (128, issue, round(100 * issue / 128)), write
    for inside, found in (("HMMA.16816.F32.BF16 R8, R4, R2, R8", (8, 2, 25, 0, 0)), ("HMMA.1688.F32 R8, R4, R2, R8", (4, 2, 50, 0, 0)),
                          ("HMMA.1688.F32.TF32 R8, R4, R2, R8", (8, 2, 25, 0, 0)), ("IMMA.16832.S8.S8 R8, R4, R2, R8", (8, 2, 25, 0, 0)),
                          ("IMMA.16832.S8.S8 R8, R4, R2, R8" + next_ + "LDSM.16.M88.4 R4, [R7]", (8, 3, 38, 16, 200)),
                          ("HMMA.16816.F32 R8, R4, R2, R8" + next_ + "LDGSTS.E.BYPASS.LTC128B.128 [R7], desc[UR4][R8.64]", (8, 3, 38, 16, 200))):
        assert frame("sm_80", inside, 128) == found, (inside, frame("sm_80", inside, 128))
    product_ = "UTCHMMA{} {}[UR4], gdesc[UR6], tmem[UR18], tmem[UR16], idesc[UR17], UP0"
    # 256 x 256 x 16: in a pair a block has half of the rows, of B and of the copies.
    for pair, a, clocks, shared in ((".2CTA", "gdesc", 128, 192), (".2CTA", "tmem", 128, 160), ("", "gdesc", 256, 384)):
        found = frame("sm_100a", product_.format(pair, a), 256)
        assert found == (clocks, 7, round(700 / clocks), shared, round(100 * shared / clocks)), (pair, a, found)
    # 256 columns of scores: two rounds of the four warps that read 128, each with four instructions and 256 bytes stored.
    begins = product_.format("", "gdesc").replace("UP0", "!UPT")
    for shape, issue, shared in (("0x10400490", 15, 400), ("0x10408490", 7, 384), ("0x10410490", 7, 384)):
        assert frame("sm_100a", begins, 256, shape=shape)[1:4:2] == (issue, shared), (shape, frame("sm_100a", begins, 256, shape=shape))
    assert access_clocks("UTCCP.T.S.2CTA.4x32dp128bit tmem[UR4], gdesc[UR6]") == 4
    return 0


if __name__ == "__main__":
    sys.exit(self_test())
