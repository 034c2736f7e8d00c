"""Every GPU kernel of gemm on this machine's GPUs, on ragged sizes, in all layouts, k split and shared evenly, compared
by the program itself with sums in 64-bit arithmetic.

--device emulator --arch NAME runs the same products on the emulator instead, to try the script without a GPU.
"""

import itertools
import sys

from _on_gpus import run_on_gpus

SIZES = [(1, 7, 9), (129, 257, 65), (300, 136, 520)]
LONG_K = (65, 129, 4104)


def products(kernel):
    """The options of each product of a kernel."""
    tile = ["--tile", kernel["name"]]
    layouts = [("row", "col")]  # k along rows of memory, which tensor copies can read in every type
    if not kernel["name"].startswith("ws"):
        layouts = list(itertools.product(("row", "col"), repeat=2))
    for (m, n, k), (a, b) in itertools.product(SIZES, layouts):
        if kernel["name"].startswith(("ws", "tc")):
            n = -(-n // 4) * 4  # tensor copies write whole 16 bytes
        yield [*tile, "--m", m, "--n", n, "--k", k, "--layout-a", a, "--layout-b", b, "--batch", 2]
    if kernel["splits"]:
        for (a, b), splits in itertools.product(layouts, (3, "stream")):
            m, n, k = LONG_K
            yield [*tile, "--m", m, "--n", n, "--k", k, "--layout-a", a, "--layout-b", b, "--splits", splits]


if __name__ == "__main__":
    sys.exit(run_on_gpus("gemm", products))
