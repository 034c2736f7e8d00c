#!/usr/bin/env python3
"""Writes the sources of libtegula_bench: attention of kernels.json with the word `bench`, and operations on rows.

    write_library.py --out build/benchmark/library [ARCH...]     # of these architectures; none: of all with the word

A file is one architecture's. library.cmake sets tegula_units, as cmake/kernels.py does. An operation is
FAMILY/SCHEDULE/TYPE/COLUMNS/MASK, as bench.py asks for it. A file is written only if its text changes.
"""

import argparse
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("cmake", "test/gpu")]
import kernels  # noqa: E402
from write_checks import element_of  # noqa: E402

COMMENT = "// Written by benchmark/gpu/write_library.py from kernels.json.\n\n"
VARIANTS = {"plain": ("full", "attention_variant<>"), "causal": ("causal", "attention_variant<attention_mask::band>")}
PACKED = ("attention_variant<attention_mask::band, attention_bias::none, attention_weights::all, attention_cache::contiguous, "
          "attention_heads::packed>")


def call(k):
    """The line that adds a kernel."""
    t, c = element_of(k), k["columns"]
    schedule = "specialized" if k["schedule"] == "warp_specialized" else k["schedule"]
    name = "{}/{}/{}/{}/{}".format
    if k["form"] == "few_queries":
        return (f"add_attention_split<attention_split_kernel<decoding_tile_for<target, {t}, {c}>, {t}, {PACKED}>>"
                f'("{name("attention", "few_queries", k["type"], c, "full")}")')
    if k["form"] not in VARIANTS:
        raise SystemExit(f"kernels.json: {k['family']} of {k['target']} has the word bench and the form {k['form']}; "
                         f"write_library.py knows {', '.join([*VARIANTS, 'few_queries'])}")
    mask, variant = VARIANTS[k["form"]]
    named = f'("{name(k["family"], schedule, k["type"], c, mask)}")'
    if k["family"] == "attention_backward":
        chooser = "warp_specialized_backward_for" if schedule == "specialized" else "attention_backward_for"
        return f"add_attention_backward<{chooser}<target, {t}, {c}, {c}, {variant}>>{named}"
    kernel, tile = (("warp_specialized_attention", "warp_specialized_attention_tile_for") if schedule == "specialized" else
                    ("attention_kernel", "attention_tile_for"))
    return f"add_attention<{kernel}<{tile}<target, {t}, {c}>, {t}, {variant}>>{named}"


def sources(archs):
    """name of each file -> its architecture and text."""
    listed = [k for k in kernels.read_kernels() if "bench" in k["in"] and k["family"].startswith("attention")]
    of_file = {}
    for k in listed:
        if not archs or k["target"] in archs:
            of_file.setdefault((k["family"], k["schedule"], k["target"]), []).append(k)
    files = {}
    for (family, schedule, arch), some in of_file.items():
        calls = ",\n    ".join(map(call, some))
        files[f"library_{family}_{schedule}_{arch}.gpu.cpp"] = arch, (
            f'{COMMENT}#include "benchmark/gpu/attention.hpp"\n\nusing namespace tegula;\nusing namespace gpu_library;\n'
            f"using target = arch::{arch};\n\nstatic const bool added[] = {{\n    {calls},\n}};\n")
    for arch in archs or sorted({k["target"] for k in listed}):
        files[f"library_rows_{arch}.gpu.cpp"] = arch, (
            f'{COMMENT}#include "benchmark/gpu/rows.hpp"\n\n'
            f'static const bool added = gpu_library::add_rows<tegula::arch::{arch}, tegula::bfloat16>("bf16");\n')
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archs", nargs="*")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    units = []
    for name, (arch, text) in sources(arguments.archs).items():
        kernels.write_if_changed(arguments.out / name, text)
        units.append(f"{name}:{arch}:sample")
    kernels.write_list(arguments.out, "library", units)


if __name__ == "__main__":
    main()
