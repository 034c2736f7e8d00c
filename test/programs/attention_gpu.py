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
PAGE = 16  # keys


def paged_tensors(folder, columns, queries, keys):
    """The options that name Q, caches of pages and the table of two sequences, with files of random numbers."""
    rng = numpy.random.default_rng(keys)
    pages = 2 * -(-keys // PAGE)
    arrays = {"q": rng.standard_normal((2, 4, queries, columns)), "k": rng.standard_normal((pages, 2, PAGE, columns)),
              "v": rng.standard_normal((pages, 2, PAGE, columns - 8)), "page-table": rng.permutation(pages).reshape(2, -1),
              "key-lengths": numpy.array([keys, max(1, keys - 5)])}
    words = []
    for name, array in arrays.items():
        path = f"{folder}/{name}_{columns}_{queries}_{keys}.npy"
        numpy.save(path, array.astype("f4" if array.dtype.kind == "f" else "i4"))
        words += [f"--{name}", path]
    return words


def attentions(kernel, folder):
    """The options of each run of a kernel."""
    sizes, _, kind = kernel["tile"].partition("-")
    few_queries = kind == "decoding"
    # "128x64x128" of a kernel that is built in, "128 columns" of one that is compiled.
    columns = int(sizes.split("x")[2] if "x" in sizes else sizes.split()[0])
    is_latent = columns > 256
    feature = ["--dropout", 0.25] if kind == "dropout" else []
    for queries, keys in LENGTHS:
        for mask in MASKS:
            if (kind in ("decoding", "warp-specialized") or is_latent) and "--softcap" in mask:
                continue
            if kind == "pages":
                yield ["--splits", 1, *paged_tensors(folder, columns, queries, keys), *mask]
            else:
                yield ["--splits", 3 if few_queries else 1, "--batch", 2, "--heads", 4, "--kv-heads", 2, "--head-dim",
                       columns, "--value-dim", min(columns - 8, 512), "--seq-q", queries, "--seq-k", keys, *feature, *mask]
    if few_queries or kind == "pages" or columns > most_columns("attention_backward", kernel["arch"], kernel["type"],
                                                                kernel["device"]):
        return
    for queries, keys in LENGTHS:
        numpy.save(f"{folder}/dO.npy", numpy.random.default_rng(1).standard_normal((2, 4, queries, columns)).astype("f4"))
        for mask in MASKS:
            yield ["--splits", 1, "--batch", 2, "--heads", 4, "--kv-heads", 2, "--head-dim", columns, "--seq-q", queries,
                   "--seq-k", keys, "--dout", f"{folder}/dO.npy", *feature, *mask]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(run_on_gpus("attention", lambda kernel: attentions(kernel, temporary)))
