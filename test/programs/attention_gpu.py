"""Every GPU kernel of attention on this machine's GPUs, on ragged lengths, with masks, a soft cap and grouped
heads, those for few queries with the keys in three shares, and the backward pass, compared by the program itself with the formula in 64-bit arithmetic.

--device emulator --arch NAME runs the same on the emulator instead, to try the script without a GPU.
"""

import sys
import tempfile

import numpy

from _on_gpus import run_on_gpus
from _program import most_columns

LENGTHS = [(1, 1), (1, 300), (65, 127), (300, 129)]
MASKS = [[], ["--causal"], ["--causal-top-left"], ["--window", "40,20"], ["--softcap", "2"]]


def attentions(kernel, folder):
    """The options of each run of a kernel."""
    sizes, _, kind = kernel["tile"].partition("-")
    few_queries = kind == "decoding"
    # "128x64x128" of a kernel that is built in, "128 columns" of one that is compiled.
    columns = int(sizes.split("x")[2] if "x" in sizes else sizes.split()[0])
    for queries, keys in LENGTHS:
        for mask in MASKS:
            if kind and "--softcap" in mask:
                continue
            yield ["--splits", 3 if few_queries else 1, "--batch", 2, "--heads", 4, "--kv-heads", 2, "--head-dim",
                   columns, "--value-dim", columns - 8, "--seq-q", queries, "--seq-k", keys, *mask]
    if few_queries or columns > most_columns("attention_backward", kernel["arch"], kernel["type"], kernel["device"]):
        return
    for queries, keys in LENGTHS:
        numpy.save(f"{folder}/dO.npy", numpy.random.default_rng(1).standard_normal((2, 4, queries, columns)).astype("f4"))
        for mask in MASKS:
            yield ["--splits", 1, "--batch", 2, "--heads", 4, "--kv-heads", 2, "--head-dim", columns, "--seq-q", queries,
                   "--seq-k", keys, "--dout", f"{folder}/dO.npy", *mask]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(run_on_gpus("attention", lambda kernel: attentions(kernel, temporary)))
