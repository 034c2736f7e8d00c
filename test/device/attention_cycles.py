"""The cycle model of attention's kernels on AMD: what a round of the main loop costs each unit of a SIMD, beside
its instructions a matrix instruction (_cycle_model.py says what is counted and what not).

    attention_cycles.py [--mca llvm-mca] OBJECT...        OBJECT: a code object of test/device, NAME/TARGET/NAME.co
    attention_cycles.py --objects                         the NAME.TARGET of which KERNELS has rows

Reads the objects that it is given and no other, as older ones may lie beside them. Prints a line a kernel, and fails where a
share of the matrix units is below the kernel's bar. On CDNA a second share, with a bar of its own, has what makes waves wait
(_stall_model.py). With llvm-mca, the cycles of each vector and matrix instruction of these rounds are compared with those of
LLVM's scheduling model (CDNA, whose model counts in passes of four cycles).
"""

import argparse
import math
import re
import subprocess
import sys
from pathlib import Path

import _amd_code
import _cycle_model
import _stall_model
from _cycle_model import _code_object
from _targets import targets_of
from check_isa import AMD_WORDS

MATRIX = re.compile(AMD_WORDS["matrix"])

# Source, target, kernel, columns of a head, shared memory of a block, and the least share of the matrix units in per
# cent: 85 is the aim for 128 columns; the others are what there is (docs/performance.md has the reasons). Shared memory:
# tiles of K and V, or that of Q, which comes first; tiles.hpp has their sizes. Last, on CDNA, the least share with waits.
KERNELS = [
    ("attention_bf16", "gfx942", "plain", 128, 32768, 85, 77),
    ("attention_f16", "gfx942", "banded", 128, 32768, 85, 77),
    ("attention_two_stages", "gfx942", "plain", 128, 65536, 85, 78),
    ("attention_two_stages", "gfx942", "banded", 128, 65536, 85, 78),
    ("attention_f16", "gfx942", "plain", 64, 16384, 90, 62),
    ("attention_bf16", "gfx942", "banded", 256, 65536, 64, 60),
    # 8 bits have twice the rate: 76 is 1.5 times the speed of 16 bits with a share of 100, 49 is 1.26 times that with 78.
    ("attention_fp8", "gfx942", "banded", 128, 16384, 76, 49),
    ("attention_fp8_wide", "gfx942", "banded", 256, 32768, 96, 55),
    ("attention_bf16", "gfx950", "plain", 128, 65536, 79, 62),
    ("attention_f16", "gfx950", "banded", 128, 65536, 79, 62),
    ("attention_f16", "gfx950", "plain", 64, 32768, 55, 42),
    ("attention_bf16", "gfx950", "banded", 256, 65536, 47, 51),
    ("attention_fp8", "gfx950", "banded", 128, 32768, 41, 29),
    ("attention_fp8_wide", "gfx950", "banded", 256, 65536, 35, 36),
    ("attention_bf16", "gfx90a", "plain", 128, 32768, 99, 86),
    ("attention_f16", "gfx90a", "plain", 64, 16384, 99, 85),
    ("attention_bf16", "gfx90a", "banded", 256, 65536, 77, 76),
    ("attention_bf16", "gfx1201", "plain", 128, 32768, 85),
    ("attention_f16", "gfx1201", "banded", 128, 32768, 85),
    ("attention_f16", "gfx1201", "plain", 64, 16384, 75),
    # Split keys in pages of whole tiles, and of any length by key.
    ("attention_split", "gfx942", "shares pages", 128, 32768, 79, 58),
    ("attention_split", "gfx942", "shares by key", 128, 32768, 80, 51),
    ("attention_split", "gfx90a", "shares pages", 128, 32768, 99, 77),
    ("attention_split", "gfx90a", "shares by key", 128, 32768, 99, 68),
    ("attention_split", "gfx950", "shares pages", 128, 33792, 78, 58),
    ("attention_split", "gfx950", "shares by key", 128, 33792, 62, 44),
    ("attention_fp8_forms", "gfx942", "shares whole", 128, 16384, 66, 43),
    ("attention_fp8_forms", "gfx950", "shares whole", 128, 16384, 43, 25),
    # The latent form, 576 columns of Q and K and 512 of V.
    ("attention_latent", "gfx942", "shares", 512, 36864, 57, 48),
    ("attention_latent", "gfx950", "shares", 512, 73728, 39, 28),
    # The backward pass: the aim is 55 with waits, which five products miss at 64 columns.
    ("attention_backward", "gfx942", "keys", 64, 32768, 79, 58),
    ("attention_backward", "gfx942", "queries", 64, 32768, 83, 59),
    ("attention_backward", "gfx942", "keys", 128, 65536, 59, 66),
    ("attention_backward", "gfx942", "queries", 128, 32768, 99, 75),
    ("attention_backward", "gfx942", "keys", 256, 65536, 57, 60),
    ("attention_backward", "gfx942", "queries", 256, 65536, 60, 60),
    ("attention_backward_fused", "gfx942", "keys_of_64", 64, 65536, 83, 52),
    ("attention_backward_fused", "gfx942", "keys_of_128", 128, 65536, 58, 65),
    ("attention_backward", "gfx950", "keys", 64, 32768, 66, 55),
    ("attention_backward", "gfx950", "queries", 64, 32768, 65, 55),
    ("attention_backward", "gfx950", "keys", 128, 65536, 44, 60),
    ("attention_backward", "gfx950", "queries", 128, 32768, 85, 72),
    ("attention_backward", "gfx950", "keys dK", 256, 135168, 51, 65),
    ("attention_backward", "gfx950", "keys dV", 256, 135168, 45, 57),
    ("attention_backward", "gfx950", "queries", 256, 67584, 54, 66),
    ("attention_backward_fused", "gfx950", "keys_of_64", 64, 65536, 58, 48),
    ("attention_backward_fused", "gfx950", "keys_of_128", 128, 65536, 45, 57),
    ("attention_backward", "gfx90a", "keys dK", 64, 32768, 99, 69),
    ("attention_backward", "gfx90a", "keys dV", 64, 32768, 99, 56),
    ("attention_backward", "gfx90a", "queries", 64, 32768, 99, 77),
    ("attention_backward", "gfx90a", "keys dK", 128, 65536, 70, 78),
    ("attention_backward", "gfx90a", "keys dV", 128, 65536, 65, 65),
    ("attention_backward", "gfx90a", "queries", 128, 32768, 99, 88),
    ("attention_backward", "gfx90a", "keys dK", 256, 65536, 71, 71),
    ("attention_backward", "gfx90a", "keys dV", 256, 65536, 66, 60),
    ("attention_backward", "gfx90a", "queries", 256, 49152, 75, 75),
    # Block lists, whose next tile is looked up in memory.
    ("attention_backward_lists", "gfx942", "keys", 64, 32768, 73, 31),
    ("attention_backward_lists", "gfx942", "queries", 64, 32768, 79, 32),
    ("attention_backward_lists", "gfx950", "keys", 64, 32768, 50, 13),
    ("attention_backward_lists", "gfx950", "queries", 64, 16896, 59, 17),
    ("attention_backward", "gfx1201", "keys", 64, 32768, 73),
    ("attention_backward", "gfx1201", "queries", 64, 28672, 74),
    ("attention_backward", "gfx1201", "keys", 128, 49152, 81),
    ("attention_backward", "gfx1201", "queries", 128, 45056, 82),
]

# Behind a kernel's name, where several of one name differ so, and what their symbols have: attention_key_part, attention_cache.
# A cache is whole, in pages of whole tiles, or in pages of any length.
FORMS = {"dK": "attention_key_partE1", "dV": "attention_key_partE2", "whole": "attention_cacheE0", "pages": "attention_cacheE1",
         "by key": "attention_cacheE2"}


def main_round(code):
    """The instructions of a round of the loop with the most matrix instructions in a block; none where there is none. A round has
    eight exponentials where its loop can have them: on gfx1201 most are behind a branch for lanes that need none, which the
    shortest way would take."""
    count = [sum(1 for text in block.texts if MATRIX.search(text)) for block in code.blocks]
    fullest = sorted((at for at in range(len(count)) if count[at]), key=lambda at: -count[at])
    round_ = next(filter(None, (_amd_code.walk_round(code.blocks, at, "v_(s_)?exp_", least) for at in fullest for least in (8, 0))), [])
    return [text for _, text in round_]


def find_round(folder, source, arch, name, columns=None):
    """(instructions of the main round, the metadata) of the kernel whose function has that name, with one of FORMS behind it
    if there are several; of several still the one for so many columns of Q, K and V."""
    name, _, form = name.partition(" ")
    part = FORMS.get(form, "")
    path = folder / source / arch
    assembly = (path / f"{source}-hip-amdgcn-amd-amdhsa-{arch}.s").read_text(encoding="utf-8")
    metadata = _code_object.read_kernels(path / f"{source}.co")
    found = [kernel for kernel in _amd_code.read_assembly(assembly) if f"{len(name)}{name}I" in kernel.symbol and part in kernel.symbol]
    code, = found if len(found) == 1 else [kernel for kernel in found if f"ELi{columns}ELi{columns}E" in kernel.symbol]
    return main_round(code), metadata[code.symbol]


def describe(arch, texts, registers, threads, shared_bytes, with_waits):
    """The line of a kernel, and its share of the matrix units without and, if that is asked for, with waits."""
    cycles = _cycle_model.round_cycles(arch, texts)
    waves = _cycle_model.waves_a_simd(arch, registers, threads, shared_bytes)
    share, longest = _cycle_model.matrix_share(cycles, waves)
    matrix = sum(1 for text in texts if MATRIX.search(text))
    numbers = "  ".join(f"{name} {value}" for name, value in cycles.items())
    line = (f"{len(texts)} instructions, {len(texts) / matrix:.2f} a matrix instruction; cycles a wave: {numbers}; "
            f"waves a SIMD {waves}; matrix share {share:.2f}, longest: {longest}")
    if not with_waits:
        return line, share, 1
    waited = _stall_model.matrix_share(arch, texts, waves)
    return f"{line}; with waits {waited:.2f}", share, waited


def compare_with_llvm(mca, arch, texts):
    """How many instructions were compared; sentences on those whose cycles are not those of LLVM's model."""
    chip = _cycle_model.Chip(arch)
    texts = sorted({text.split()[0]: text for text in texts if re.match(r"v_(?!nop)", text)}.values())
    result = subprocess.run([mca, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-iterations=1"],
                            input="\n".join(texts), capture_output=True, text=True, check=True)
    rows = re.findall(r"^ \d+ +(\d+) +([\d.]+) .*\bv_", result.stdout, re.M)
    assert len(rows) == len(texts), f"llvm-mca described {len(rows)} of {len(texts)} instructions: {result.stderr}"
    problems = []
    for text, (latency, throughput) in zip(texts, rows):
        # A product's time in its unit; of others, which it lets begin each pass, the latency.
        product = MATRIX.search(text)
        ours = _cycle_model.matrix_cycles(chip, text) if product else _cycle_model.vector_cycles(chip, text)[0]
        theirs = 4 * float(throughput if product else latency)
        if not math.isclose(ours, theirs):
            problems.append(f"{arch}: {text}: {ours} cycles, LLVM's model has {theirs}")
    return len(rows), problems


def self_test():
    """By hand: a loop that each unit bounds in turn."""
    product, add, exp = "v_mfma_f32_32x32x8_bf16 a, b, c", "v_add_f32 a, b, c", "v_exp_f32_e32 a, b"
    read, load = "ds_read_b128 a, b", "buffer_load_dwordx4 a, b"
    for texts, waves, share, longest in (
            ([product], 1, 1, "matrix"), ([product, add], 1, 32 / 36, "alone"), ([product, add], 2, 1, "matrix"),
            ([product] + 7 * [add] + [exp], 2, 32 / 48, "vector"), ([product] + 2 * [read], 2, 0.5, "shared"),
            ([product] + [load], 2, 0.5, "global")):
        cycles = _cycle_model.round_cycles("gfx942", texts)
        found = _cycle_model.matrix_share(cycles, waves)
        assert math.isclose(found[0], share) and found[1] == longest, (texts, waves, found, cycles)
    cycles = _cycle_model.round_cycles("gfx1201", ["v_wmma_f32_16x16x16_bf16 a, b, c", add, exp])
    assert cycles["matrix"] == 16 and cycles["vector"] == 18 and cycles["transcendental"] == 4, cycles
    for formats, matrix in (("", 32), (" cbsz:4", 32), (" blgp:2", 32), (" cbsz:4 blgp:2", 16), (" cbsz:1 blgp:1", 32)):
        text = f"v_mfma_scale_f32_16x16x128_f8f6f4 a, b, c, a, d, e op_sel_hi:[0,0,0]{formats}"
        cycles = _cycle_model.round_cycles("gfx950", [text])
        assert cycles["matrix"] == cycles["alone"] == matrix, (text, cycles)
    for arch, registers, threads, shared, waves in (("gfx942", 214, 256, 32768, 2), ("gfx942", 140, 256, 16384, 3),
                                                    ("gfx942", 100, 256, 32768, 2), ("gfx942", 256, 512, 65536, 2),
                                                    ("gfx1201", 212, 256, 32768, 6), ("gfx1201", 145, 256, 65536, 4)):
        found = _cycle_model.waves_a_simd(arch, registers, threads, shared)
        assert found == waves, (arch, registers, threads, shared, found)
    # A loop whose second block, the exponentials, is left out by the shortest way.
    blocks = [_amd_code.Block("", list(enumerate(texts)), to) for texts, to in (
        ([product, "s_cbranch_execz .L"], [1, 2]), (8 * [exp], [2]), ([add, "s_cbranch_scc0 .K"], [0]))]
    for least, length in ((0, 4), (8, 12), (9, 0)):
        assert len(_amd_code.walk_round(blocks, 0, "v_exp_", least)) == length, least
    assert len(main_round(_amd_code.Kernel("", "gfx1201", blocks))) == 12
    for source, arch, *_ in KERNELS:
        assert arch in targets_of(source, True), f"no run compiles {source}.cpp for {arch}: name it in the line \"// full targets:\""
    given = of_rows([Path("test/device/attention_bf16/gfx942/attention_bf16.co")])
    assert {(folder, *row[:2]) for folder, row in given} == {(Path("test/device"), "attention_bf16", "gfx942")}


def of_rows(objects):
    """The rows of KERNELS that these code objects have, each with its folder; fails where an object has none."""
    for path in objects:
        rows = [row for row in KERNELS if row[:2] == (path.stem, path.parent.name)]
        if not rows:
            sys.exit(f"attention_cycles: {path}: KERNELS has no row of {path.stem} for {path.parent.name}; give another or add one")
        yield from ((path.parents[2], row) for row in rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("objects", type=Path, nargs="*", metavar="OBJECT")
    parser.add_argument("--objects", dest="list", action="store_true", help="list what has rows")
    parser.add_argument("--mca", help="llvm-mca")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(dict.fromkeys(f"{source}.{arch}" for source, arch, *_ in KERNELS)))
        return 0
    if not arguments.objects:
        parser.error("no OBJECT is given: name code objects of test/device, NAME/TARGET/NAME.co")
    self_test()
    problems, seen = [], {}
    for folder, (source, arch, name, columns, shared_bytes, bar, *of_waits) in of_rows(arguments.objects):
        texts, fields = find_round(folder, source, arch, name, columns)
        line, share, waited = describe(arch, texts, fields["vgpr_count"], fields["max_flat_workgroup_size"], shared_bytes,
                                       bool(of_waits))
        print(f"{arch}  {source} {name}, {columns} columns: {line}")
        if 100 * share < bar:
            problems.append(f"{arch} {source} {name}: matrix share {share:.2f}, bar {bar / 100}")
        if of_waits and 100 * waited < of_waits[0]:
            problems.append(f"{arch} {source} {name}: matrix share with waits {waited:.2f}, bar {of_waits[0] / 100}")
        seen.setdefault(arch, []).extend(texts)
    for arch, texts in seen.items():
        if arguments.mca and arch in ("gfx90a", "gfx942"):
            count, wrong = compare_with_llvm(arguments.mca, arch, texts)
            print(f"{arch}: cycles of {count} kinds of instructions compared with LLVM's model")
            problems += wrong
    for problem in problems:
        print(f"FAILED  {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
