"""Attention on sm_90a: instructions of a round of the loop with products, and ours beside FlashAttention-3's and FlashMLA's.

    python3 -m rivals.wgmma      whether a loop is counted as it should be; benchmark/ and test/device/ are in PYTHONPATH
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

import _sass
from rivals.checkouts import FLASH_ATTENTION, FLASH_MLA, Refused

# Accesses of shared memory: how many matrices of 8 rows, or bits of a lane where they are not 32.
SHARED = re.compile(r"(?:(?:LDSM|STSM)\S*\.([124])|(?:LDS|STS)(?:\.U)?(?:\.[US]?(8|16|64|128))?) ")
# Instructions of SASS that are no vector instructions: products, the uniform datapath, branches, barriers and waits.
NOT_VECTOR = re.compile(r"(HGMMA|U[A-Z]|R2UR|S2UR|BRA|BAR|SYNCS|WARPGROUP|WARPSYNC|DEPBAR|LDGDEPBAR|BSSY|BSYNC|NOP|VOTEU|ELECT)")


def main_loops(nvdisasm, cubin, name):
    """The shortest rounds of the loops with products, of the one kernel whose symbol has the name or matches the pattern. Raises
    Refused where there is none, or more than one."""
    found = [code for symbol, code in _sass.read(nvdisasm, cubin).items() if re.search(name, symbol)]
    if len(found) != 1:
        raise Refused(f"{len(found)} kernels of {cubin} match {name!r}, where one was expected")
    return [way for _, way in found[0].main_loops(re.compile("HMMA|[HQ]GMMA"))]


def count(nvdisasm, cubin, name):
    """(instructions, vector instructions) of a warp's round for each 64x128x16 multiply-adds of four warps, and how many a round
    has, by wgmma or by mma.sync; of the kernel as main_loops finds it. None where no loop has products."""
    rounds = []
    for way in main_loops(nvdisasm, cubin, name):
        shapes = [re.match(r"HGMMA\.64x(\d+)x16\.F32", text) for text in way]
        work = sum(int(s[1]) for s in shapes if s) / 128 + sum(text.startswith("HMMA.16816.F32") for text in way) / 16
        if work:
            vector = sum(1 for text in way if not NOT_VECTOR.match(text) and not text.startswith("HMMA"))
            rounds.append((len(way) / work, vector / work, work))
    return min(rounds) if rounds else None


def describe(what, found):
    return f"sm_90a {what}: " + ("no loop with products" if not found else
                                 f"{found[0]:.1f} instructions, {found[1]:.1f} of vector units, {found[2]:.0f} products a round")


def our_cubin(build, name):
    """(the cubin of a file of test/device or None, the words for that)"""
    cubin = build / "test" / "device" / name / "sm_90a" / f"{name}.cubin"
    return (cubin, "") if cubin.exists() else (None, "not compiled here; ./dev test --full compiles it")


def compile_one(rival, nvcc, checkout, cutlass, count_of, *definitions):
    """count_of(the cubin of one kernel) and the bytes of registers that it spills."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernel.cubin"
        spilled = rival.compile(nvcc, checkout, cutlass, cubin, *definitions)
        return count_of(cubin), spilled


TYPES = {"bf16": "bfloat16_t", "f16": "half_t"}  # our names, those of CUTLASS
# Kernels of test/device with as many columns. A causal kernel has a smaller tile at 128 columns.
FORWARD = (("bf16", 128, "banded", (False, True)), ("f16", 64, "plain", (False,)))
# In five products: a kernel of attention_backward_hopper_fused. In seven: keys_kernel and queries_kernel of a file. Then whether
# FlashAttention-3's kernels are causal and whether they are deterministic.
BACKWARD = (("bf16", 128, "keys_of_128", "attention_backward_hopper", ((False, False), (True, False), (False, True))),
            ("f16", 64, "keys_of_64", "attention_backward_hopper_columns", ((False, False),)))


def compare_flash_attention(build, nvdisasm, nvcc, checkout, cutlass):
    """Sentences: instructions for the work of a 64x128x16 wgmma; of the backward passes also those for 64 x 32 scores, so that
    five products can be compared with seven."""
    yield FLASH_ATTENTION.describe(nvcc, checkout, cutlass)

    def theirs(part, kind, columns, causal, ordered):
        """The counts of one kernel, and what is said of it."""
        definitions = [f"RIVAL_COLUMNS={columns}", f"RIVAL_TYPE={TYPES[kind]}", f"RIVAL_CAUSAL={str(causal).lower()}",
                       f"RIVAL_ORDERED={str(ordered).lower()}"] + ["RIVAL_BACKWARD"] * (part == "Bwd")
        found, spilled = compile_one(FLASH_ATTENTION, nvcc, checkout, cutlass,
                                     lambda cubin: count(nvdisasm, cubin, f"FlashAttn{part}Sm90"), *definitions)
        of = f"FlashAttention-3's, {'causal' if causal else 'all keys'}{', deterministic' if ordered else ''}"
        if not found:
            raise Refused(f"{of}, {kind}, {columns} columns: no loop of it multiplies by wgmma")
        return found, f"{of}, {spilled} bytes spilled"

    for kind, columns, name, masks in FORWARD:
        what, fewest = f"attention {kind}, {columns} columns", []
        for causal in masks:
            found, of = theirs("Fwd", kind, columns, causal, False)
            fewest.append(found[0])
            yield describe(f"{what}, {of}", found)
        cubin, missing = our_cubin(build, "attention_hopper")
        if missing:
            yield f"sm_90a {what}, ours: {missing}"
            continue
        found = count(nvdisasm, cubin, name)
        yield describe(f"{what}, ours ({name})", found) + f"; of FlashAttention-3's fewest {found[0] / min(fewest):.2f}"
    for kind, columns, fused, pair, kernels in BACKWARD:
        what = f"attention backward {kind}, {columns} columns"
        scores = columns / 64  # 64 x 32 scores of one product, in units of 64x128x16
        fewest = {False: [], True: []}
        for causal, ordered in kernels:
            found, of = theirs("Bwd", kind, columns, causal, ordered)
            fewest[ordered].append(5 * scores * found[0])
            yield describe(f"{what}, {of}", found) + f"; for 64x32 scores {5 * scores * found[0]:.1f} in five products"
        shape = f"_kernel.*ELi{columns}ELi{columns}E"
        for form, source, parts in (("five products", "attention_backward_hopper_fused", ((fused, 5),)),
                                    ("seven products, deterministic", pair, ((f"keys{shape}", 4), (f"queries{shape}", 3)))):
            cubin, missing = our_cubin(build, source)
            if missing:
                yield f"sm_90a {what}, ours in {form}: {missing}"
                continue
            counts = [products * scores * count(nvdisasm, cubin, name)[0] for name, products in parts]
            said = " + ".join(f"{c:.1f}" for c in counts) + (f" = {sum(counts):.1f}" if len(counts) > 1 else "")
            ratio = f"of FlashAttention-3's fewest {sum(counts) / min(fewest[False]):.2f}"
            if len(parts) > 1 and fewest[True]:
                ratio += f", of its deterministic {sum(counts) / min(fewest[True]):.2f}"
            yield f"sm_90a {what}, ours in {form}: for 64x32 scores {said}; {ratio}"


def cycles(rounds):
    """Cycles of a multiprocessor's units for a round of each consumer of four warps, one round at a time: products by wgmma of
    16 bits at 4096 operations, shared memory at 128 bytes, exponentials at 16, instructions at one of each scheduler. Shared
    memory counts the operands and what warps load and store, without copies from global memory."""
    units = dict.fromkeys(("products", "shared memory", "exponentials", "instructions"), 0)
    for way in rounds:
        units["instructions"] += len(way)
        for text in way:
            product = re.match(r"HGMMA\.64x(\d+)x16\.F32\S* R\d+, (gdesc)?", text)
            moved = SHARED.match(text)
            if product:
                columns = int(product[1])
                units["products"] += columns // 2
                units["shared memory"] += columns // 4 + 16 * bool(product[2])  # a slice of A is in registers otherwise
            elif moved:
                # A warp's access takes whole clocks: bytes of a lane take as long as its words.
                units["shared memory"] += 4 * (int(moved[1]) if moved[1] else -(-32 * int(moved[2] or 32) // 8 // 128))
            elif text.startswith("MUFU"):
                units["exponentials"] += 8
    return units


def compare_flash_mla(build, nvdisasm, nvcc, checkout, cutlass):
    """Sentences: cycles by rates of 64 rows with 576 columns for K and 512 for V, which two consumers multiply with bf16."""
    yield FLASH_MLA.describe(nvcc, checkout, cutlass)
    longest = {}

    def describe_cycles(who, rounds):
        # A consumer has the scores of its keys and half of the output's columns for all keys.
        work = sum(int(columns) for way in rounds for text in way for columns in re.findall(r"^HGMMA\.64x(\d+)x16", text))
        keys = work * 16 // (576 + 512)
        units = cycles(rounds)
        units["shared memory"] += keys * 576 * 2 // 128  # their copy
        longest[who] = max(units.values()) / keys
        return (f"sm_90a latent attention bf16, {who}: rounds of {' and '.join(str(len(way)) for way in rounds)} instructions; "
                f"cycles by rates of {keys} keys: {', '.join(f'{unit} {number}' for unit, number in units.items())}")

    rounds, spilled = compile_one(FLASH_MLA, nvcc, checkout, cutlass,
                                  lambda cubin: main_loops(nvdisasm, cubin, "flash_fwd_splitkv_mla_kernel"))
    yield f"{describe_cycles('FlashMLA', rounds)}; {spilled} bytes spilled"
    cubin, missing = our_cubin(build, "attention_latent_hopper")
    if missing:
        yield f"sm_90a latent attention bf16, ours: {missing}"
        return
    said = describe_cycles("ours", main_loops(nvdisasm, cubin, "bfloat16_format.*attention_cacheE1"))  # of pages, as FlashMLA's
    yield f"{said}; by rates {longest['FlashMLA'] / longest['ours']:.2f} of FlashMLA's speed"


@contextlib.contextmanager
def written_round(instructions):
    """(a disassembler, a file): a kernel named `kernel`, whose loop has the instructions and a branch, for self-tests."""
    text = "\t.section\t.text.kernel,\"ax\",@progbits\n.L_x_1:\n" + "".join(
        f"        /*{16 * n:04x}*/                   {instruction} ;\n"
        for n, instruction in enumerate((*instructions, "@!P0 BRA `(.L_x_1)", "EXIT")))
    with tempfile.TemporaryDirectory() as folder:
        nvdisasm, cubin = Path(folder) / "nvdisasm", Path(folder) / "kernel.cubin"
        nvdisasm.write_text('#!/bin/sh\ncat "$2"\n')
        nvdisasm.chmod(0o755)
        cubin.write_text(text)
        yield nvdisasm, cubin


def self_test():
    """A round of machine code as nvdisasm prints it, counted."""
    round_of = ("HGMMA.64x80x16.F32.BF16 R24, gdesc[UR8], R24", "HGMMA.64x128x16.F32.BF16 R64, R152, gdesc[UR12], R64, gsb0",
                "LDS.64 R2, [R4]", "STSM.16.MT88.4 [R5], R8", "STS [R5], R8",
                "STS.U8 [R5], R8", "STS.U16 [R5+0x2], R8", "LDS.S16 R2, [R4]", "LDS.U.128 R12, [R4]", "MUFU.EX2 R6, R7", "FFMA.FTZ R6, R7, R8, R9",
                "UIADD3 UR4, UR5, 0x1, URZ")
    with written_round(round_of) as (nvdisasm, cubin):
        way, = main_loops(nvdisasm, cubin, "kernel")
        try:
            main_loops(nvdisasm, cubin, "another")
            raise AssertionError("a kernel that is not there was found")
        except Refused as refused:
            assert "0 kernels" in str(refused) and "another" in str(refused), refused
        found = count(nvdisasm, cubin, "^kernel$")
    work = (80 + 128) / 128
    assert found == (13 / work, 9 / work, work), found
    units = cycles([way, way])
    assert units == {"products": 2 * (40 + 64), "shared memory": 2 * (20 + 16 + 32 + 4 * (2 + 4 + 1 + 1 + 1 + 1 + 4)), "exponentials": 2 * 8,
                     "instructions": 2 * 13}, units
    return 0


if __name__ == "__main__":
    sys.exit(self_test())
