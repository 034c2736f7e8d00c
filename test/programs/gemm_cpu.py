"""gemm on this CPU against NumPy: cases in which every two values of different options meet, on every target that the machine
has; split k, epilogues, layouts and paddings; types that are built in (--full: every type). Bad input and the rest: gemm.py."""

import random
import sys
import tempfile
from pathlib import Path

from _pairwise import pairwise_cases
from _program import check_cases, problems, types_of_run
from gemm import INTEGER_OPTIONS, OPTIONS, PROGRAM, check_case


def targets():
    """--arch of what this machine has, of those whose arithmetic the model in NumPy knows."""
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    return [name for name, needed in (("x86_avx2", {"avx2", "fma", "f16c"}),
                                      ("x86_avx512", {"avx512f", "avx512bw", "avx512dq", "avx512vl"})) if needed <= flags]


def usable(case):
    case = {**case, **(INTEGER_OPTIONS if case["type"] == "int8" else {}), "device": "cpu"}
    if case["type"] not in ("bf16", "int8") or case["tile"] in ("t1050x512", "t350x256"):
        case["splits"] = None
    if case["splits"]:
        case["tile"] = None
    if case["source"] == "batch" and case["batch"] == "none":
        case["source"] = "matrix"
    return case


def main():
    if not PROGRAM.exists() or not targets():
        print("skipped: gemm is not built" if targets() else "skipped: no CPU with AVX2")
        return 77
    options = OPTIONS | {"arch": targets(), "type": types_of_run(["f32", "bf16"], "f16", "tf32", "int8", "fp8_e4m3"),
                         "tile": [None, "t1050x512", "t350x256", "t84x256"], "m": [1, 2, 13, 85], "n": [1, 31, 64, 257],
                         "k": [1, 31, 64, 515], "splits": [None, 1, 2, 7]}
    with tempfile.TemporaryDirectory() as name:
        count = check_cases(check_case, list(pairwise_cases(options, random.Random(17), usable)), Path(name))
    print("\n".join(problems[:40] + [f"{count} products, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
