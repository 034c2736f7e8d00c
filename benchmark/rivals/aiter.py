"""Ours beside AITER's kernels of attention and products for gfx942 and gfx950, by the models of test/device."""

import re
import shutil
import subprocess
from pathlib import Path

import _amd_code
from _cycle_model import _code_object
from attention_cycles import KERNELS, MATRIX, describe, find_round, main_round
from rivals.checkouts import commit_of

# Where AITER's code objects are, and ours for the same: source, kernel, columns, as attention_cycles.py has it. Their loops
# take rows of any number, as the names say, and sums of dQ in float (a32).
AITER = {
    "gfx942": [("fmha_v3_fwd/MI300/fwd_hd128_bf16_rtna.co", ("attention_bf16", "plain", 128)),
               ("fmha_v3_bwd/bwd_hd128_bf16_a32_rtna_psskddv.co", ("attention_backward_fused", "keys_of_128", 128))],
    "gfx950": [("fmha_v3_fwd/fwd_hd128_bf16.co", ("attention_bf16", "plain", 128)),
               ("fmha_v3_bwd/bwd_hd128_bf16_a32_psskddv.co", ("attention_backward_fused", "keys_of_128", 128))],
}

# Products with both operands along k: what they are, AITER's file, its tile, ours: a file of test/device, a kernel, its tile. Those
# of AITER for block-scaled fp8 want B shuffled by the host.
PRODUCTS = {
    "gfx942": [("block-scaled fp8", "fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_128x128.co", "128x128",
                ("gemm_scaled", "along_k", "128x128"))],
    "gfx950": [("bf16", "bf16gemm/bf16gemm_bf16_tn_256x256.co", "256x256", ("gemm_direct", "along_k_bf16", "256x256x64")),
               ("block-scaled fp8", "fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_128x128.co", "128x128",
                ("gemm_scaled", "along_k", "128x128"))],
}


def without_labels(text, kernels):
    """llvm-objdump's text of assembly by hand, whose labels are symbols: each branch names its kernel and a distance instead."""
    lines, starts, begin, kernel = [], {}, 0, ""
    for line in text.splitlines():
        if found := re.match(r"([0-9a-f]{16}) <(.+)>:$", line):
            address = int(found[1], 16)
            if found[2] in kernels:
                begin, kernel = address, found[2]
            else:
                starts[found[2]] = (kernel, address - begin)
                continue
        lines.append(line)

    def marked(line):
        found = re.match(r"\s+s_c?branch\w*\s+(\S+)", line)
        return line if not found or found[1] not in starts else "{} <{}+0x{:x}>".format(line, *starts[found[1]])

    return "\n".join(map(marked, lines))


def instructions_a_product(arch, texts):
    """Instructions of a round for each 32x32x8 multiply-adds on gfx942, 16x16x32 on gfx950, 16x16x16 on RDNA."""
    shapes = [re.search(r"(\d+)x(\d+)x(\d+)", text) for text in texts if MATRIX.search(text)]
    work = sum(int(s[1]) * int(s[2]) * int(s[3]) for s in shapes)
    return len(texts) * (8192 if arch.startswith("gfx9") else 4096) / work


def disassembled(objdump, path, arch):
    """(code, its metadata) of each kernel of a code object by hand."""
    text = subprocess.run([objdump, "-d", f"--mcpu={arch}", path], check=True, capture_output=True, text=True).stdout
    kernels = _code_object.read_kernels(path)
    for code in _amd_code.read_disassembly(without_labels(text, kernels), arch):
        yield code, kernels[code.symbol]


def compare_products(build, aiter, objdump):
    """Sentences: instructions for the work of a 16x16x32 instruction."""
    for arch, files in PRODUCTS.items():
        for kind, name, tile, (source, kernel, our_tile) in files:
            what, path, counts = f"{arch} {kind} product", aiter / "hsa" / arch / name, []
            if (build / "test" / "device" / source / arch / f"{source}.co").exists():
                texts, _ = find_round(build / "test" / "device", source, arch, kernel)
                counts.append(instructions_a_product(arch, texts))
                yield f"{what}, ours {our_tile}: {counts[0]:.2f}"
            else:
                yield f"{what}, ours {our_tile}: not compiled here; ./dev test --full compiles it"
            if not path.exists():
                yield f"{what}, AITER's {tile}: {path} is not there"
                continue
            for code, fields in disassembled(objdump, path, arch):
                found = instructions_a_product(arch, main_round(code))
                ratio = f"; ours has {counts[0] / found:.2f} of that" if counts else ""
                yield f"{what}, AITER's {tile}: {found:.2f}, {fields['max_flat_workgroup_size'] // 64} waves{ratio}"


def compare(build, aiter):
    """Sentences: ours beside AITER's hand-written kernels, which are disassembled."""
    objdump = next(filter(None, map(shutil.which, ("llvm-objdump-22", "llvm-objdump-19", "llvm-objdump"))), None)
    if objdump is None:
        yield "AITER: no llvm-objdump is installed"
        return
    yield f"AITER {commit_of(aiter)}, code objects as they are shipped, disassembled by {Path(objdump).name}"
    for arch, files in AITER.items():
        for name, (source, kernel, columns) in files:
            path, what = aiter / "hsa" / arch / name, f"{arch} {source} {kernel}, {columns} columns"
            row = next(k for k in KERNELS if k[:4] == (source, arch, kernel, columns))
            if (build / "test" / "device" / source / arch / f"{source}.co").exists():
                texts, fields = find_round(build / "test" / "device", source, arch, kernel, columns)
                yield f"{what}, ours: " + describe(arch, texts, fields["vgpr_count"], fields["max_flat_workgroup_size"], row[4], True)[0]
            else:
                yield f"{what}, ours: not compiled here; ./dev test --full compiles it"
            if not path.exists():
                yield f"{what}, AITER's: {path} is not there"
                continue
            for code, fields in disassembled(objdump, path, arch):
                yield (f"{what}, AITER's {Path(name).stem}: " +
                       describe(arch, main_round(code), fields["vgpr_count"], fields["max_flat_workgroup_size"],
                                fields.get("group_segment_fixed_size", 0), True)[0])
    yield from compare_products(build, aiter, objdump)
