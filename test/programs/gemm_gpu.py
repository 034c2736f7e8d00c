"""Every GPU kernel of gemm on this machine's GPUs, on ragged sizes, in all layouts, k split and shared evenly, compared
by the program itself with sums in 64-bit arithmetic.

--device emulator --arch NAME runs the same products on the emulator instead, to try the script without a GPU.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

from _gemm_model import WARP_SPECIALIZED

PROGRAM = Path(os.environ["TEGULA_BIN"]) / "gemm"
SIZES = [(1, 7, 9), (129, 257, 65), (300, 136, 520)]
LONG_K = (65, 129, 4104)


def gemm(*words):
    result = subprocess.run([PROGRAM, *(str(w) for w in words)], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr.strip()


def products(kernel):
    """The options of each product of a kernel."""
    layouts = [("row", "col")]  # k along rows of memory, which tensor copies can read in every type
    if kernel["name"] not in WARP_SPECIALIZED:
        layouts = list(itertools.product(("row", "col"), repeat=2))
    for (m, n, k), (a, b) in itertools.product(SIZES, layouts):
        yield ["--m", m, "--n", n, "--k", k, "--layout-a", a, "--layout-b", b, "--batch", 2]
    if kernel["splits"]:
        for (a, b), splits in itertools.product(layouts, (3, "stream")):
            m, n, k = LONG_K
            yield ["--m", m, "--n", n, "--k", k, "--layout-a", a, "--layout-b", b, "--splits", splits]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="gpu", choices=("gpu", "emulator"))
    parser.add_argument("--arch", help="only this architecture")
    arguments = parser.parse_args()
    choice = ["--device", arguments.device, *(["--arch", arguments.arch] if arguments.arch else [])]
    status, listed, message = gemm("--list-tiles", "--json", *choice)
    if status != 0:
        sys.exit(message)
    problems, passed, absent = [], 0, ""
    for kernel in json.loads(listed):
        own = ["--device", arguments.device, "--arch", kernel["arch"], "--type", kernel["type"], "--tile",
               kernel["name"], "--verify"]
        for options in products(kernel):
            status, _, message = gemm(*own, *options)
            if status == 2 and "no GPU" in message:
                absent = message
                break
            passed += status == 0
            if status != 0:
                problems.append(" ".join(str(w) for w in [*own, *options, "->", status, message]))
    if not passed and not problems:
        print(f"skipped: {absent.removeprefix('tegula: ') or 'gemm has no kernel for a GPU'}")
        return 77
    print(f"{passed} products are right, {len(problems)} are not")
    for problem in problems[:20]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
