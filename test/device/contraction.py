"""Kernels leave no choice of rounding to compilers: with contraction off they have as many multiply-adds as without.

    contraction.py [--nvdisasm FILE] DEFAULT OFF...

DEFAULT and OFF are assembly for AMD (.s) or machine code for NVIDIA (.cubin) of one source. OFF was compiled with
-ffp-contract=off or -fmad=false. A kernel with fewer multiply-adds there has a sum of a product that is not written as
multiply_add, or a product that is not rounded_product: a GPU's results differ from the emulator's, and with flags.
"""

import argparse
import re
import sys
from pathlib import Path

import _amd_code
import _sass

FUSED = re.compile(r"(v_(?:dual_|pk_)?(?:fma|fmac|fmaak|fmamk|mad|mac)_(?:\w*mix\w*|f\w+)|FFMA2?|DFMA)\b")


def kernels_of(path, nvdisasm):
    """{symbol: texts of instructions}"""
    if path.suffix == ".s":
        return {kernel.symbol: [text for block in kernel.blocks for text in block.texts]
                for kernel in _amd_code.read_assembly(path.read_text())}
    return {symbol: code.instructions for symbol, code in _sass.read(nvdisasm, path).items()}


def count_fused(texts):
    return sum(len(FUSED.findall(text)) for text in texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvdisasm")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    problems, seen = [], 0
    for default, off in zip(arguments.files[::2], arguments.files[1::2], strict=True):
        found = [kernels_of(path, arguments.nvdisasm) for path in (default, off)]
        if found[0].keys() != found[1].keys() or not found[0]:
            problems.append(f"{default} and {off} have different kernels, or none")
            continue
        for symbol, texts in found[0].items():
            fused, written = count_fused(texts), count_fused(found[1][symbol])
            seen += fused
            if fused != written:
                problems.append(f"{default.name}: {fused} multiply-adds, {written} of them written: {symbol}")
    if seen == 0:
        problems.append("no kernel has a multiply-add")
    print("\n".join(problems) or f"{seen} multiply-adds, all written")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
