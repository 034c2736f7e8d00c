#!/usr/bin/env python3
"""Writes the sources of libtegula_bench: kernels of kernels.json with the word `bench` that bench_gemm does not have, and
operations on rows.

    write_library.py --out build/benchmark/library [ARCH...]     # of these architectures; none: of all with the word

A file is one architecture's. library.cmake sets tegula_units, as cmake/kernels.py does. An operation has a name as bench.py
asks for it: attention/SCHEDULE/TYPE/COLUMNS/MASK, FORM/TYPE/TILE of products. A file is written only if its text changes.
"""

import argparse
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("cmake", "test/gpu")]
import kernels  # noqa: E402
from write_checks import WEIGHTS, element_of, kernels_of_schedule, prologue_table  # noqa: E402

COMMENT = "// Written by benchmark/gpu/write_library.py from kernels.json.\n\n"
VARIANTS = {"plain": ("full", "attention_variant<>"), "causal": ("causal", "attention_variant<attention_mask::band>")}
PACKED = ("attention_variant<attention_mask::band, attention_bias::none, attention_weights::all, attention_cache::contiguous, "
          "attention_heads::packed>")


# Forms of `rows` -> the call that adds them; {} is the element type.
ROWS = {"losses": "add_losses<target, {}>", "softmax_gradients": "add_softmax_gradients<target, {}>",
        "layer_norm_gradients": "add_norm_gradients<target, {}, norm_kind::layer>",
        "rms_norm_gradients": "add_norm_gradients<target, {}, norm_kind::rms>"}


def multiply(k):
    """The lines that add a form of GEMM that bench_gemm does not measure."""
    t, tile, form = element_of(k), k["tile"], k["form"]
    if form == "block_scaled":
        return [f'add_block_scaled<warp_specialized_scaled_tiles<target, {t}>::{tile}, bfloat16>("{form}/{k["type"]}/{tile}")']
    if form == "list":
        return [f'add_list<warp_specialized_tiles<target, {t}>::{tile}, {t}>("{form}/{k["type"]}/{tile}")']
    if form in WEIGHTS and k["schedule"] == "warp_specialized":
        weights, name = WEIGHTS[form]
        return [f'add_persistent_weights<warp_specialized_tiles<target, {t}>::{tile}, {weights}>("weights/{name}/{k["type"]}/{tile}")']
    if form in WEIGHTS:
        weights, name = WEIGHTS[form]
        return [f'add_weights<gemm_tiles<target, {t}>::{tile}, {weights}, {kernels.ORDERS[word[1]]}>'
                f'("weights/{name}/{k["type"]}/{tile}/{word}")' for word in k["orders"]]
    raise SystemExit(f"kernels.json: a GEMM of {k['target']} has the word bench and the form {form}; write_library.py does not know it")


def calls(k):
    """The header of benchmark/gpu that adds a kernel, and the lines."""
    t, family = element_of(k), k["family"]
    if family == "gemm":
        return "products", multiply(k)
    if family == "moe":
        gated, word = ("_gated", ", true") if k["form"] == "gated" else ("", "")
        return "products", [f'add_moe<{prologue_table(k)}_tiles<target, {t}>::{k["tile"]}{word}>("moe{gated}/{k["type"]}/{k["tile"]}")']
    if family == "convolution":
        return "convolution", [f'add_convolution<{prologue_table(k)}_tiles<target, {t}>::{k["tile"]}, convolution_direction::{k["form"]}>'
                               f'("convolution/{k["form"]}/{k["type"]}/{k["tile"]}")']
    if family == "rows":
        return "row_gradients", [f'{ROWS[k["form"]].format(t)}("{k["type"]}")']
    return "attention", [attend(k)]


def attend(k):
    """The line that adds a kernel of attention."""
    t, c = element_of(k), k["columns"]
    schedule = "specialized" if k["schedule"] == "warp_specialized" else k["schedule"]
    name = "{}/{}/{}/{}/{}".format
    if k["form"] == "few_queries":
        return (f"add_attention_split<attention_split_kernel<decoding_tile_for<target, {t}, {c}>, {t}, {PACKED}>>"
                f'("{name("attention", "few_queries", k["type"], c, "full")}")')
    if k["form"] in ("latent", "latent_fp8") and k["schedule"] == "warp_specialized":
        tile = f"warp_specialized_latent_tile<target, {t}{', float8_e4m3' if k['form'] == 'latent_fp8' else ''}>"
        return (f"add_attention_split<warp_specialized_latent_attention<{tile}, {t}, {PACKED}>>"
                f'("{name("attention", k["form"], k["type"], c, "full")}")')
    if k["form"] == "clustered":
        return (f"add_attention<warp_specialized_attention<clustered_attention_tile_for<target, {t}, {c}>, {t}>>"
                f'("{name("attention", "clustered", k["type"], c, "full")}")')
    if k["form"] not in VARIANTS:
        raise SystemExit(f"kernels.json: {k['family']} of {k['target']} has the word bench and the form {k['form']}; "
                         f"write_library.py knows {', '.join([*VARIANTS, 'few_queries', 'latent', 'latent_fp8', 'clustered'])}")
    mask, variant = VARIANTS[k["form"]]
    named = f'("{name(k["family"], schedule, k["type"], c, mask)}")'
    if k["family"] == "attention_backward":
        fused = kernels_of_schedule(k)
        chooser = {"specialized": "warp_specialized_backward_for", "fused": fused}.get(schedule, "attention_backward_for")
        return f"add_attention_backward<{chooser}<target, {t}, {c}, {c}, {variant}>>{named}"
    kernel, tile = (("warp_specialized_attention", "warp_specialized_attention_tile_for") if schedule == "specialized" else
                    ("attention_kernel", "attention_tile_for"))
    result = "bfloat16" if k["type"].startswith("fp8") else t
    return f"add_attention<{kernel}<{tile}<target, {t}, {c}>, {result}, {variant}>>{named}"


def sources(archs):
    """name of each file -> its architecture and text."""
    listed = [k for k in kernels.read_kernels() if "bench" in k["in"] and not (k["family"] == "gemm" and k["form"] in kernels.BENCH_FORMS)]
    of_file = {}
    for k in listed:
        if not archs or k["target"] in archs:
            header, lines = calls(k)
            # What is compiled together.
            part = {"attention": k["schedule"], "rows": "gradients"}.get(k["family"].removesuffix("_backward"), k["form"])
            name = f"{k['family']}_{'weights' if k['form'] in WEIGHTS else part}".rstrip("_")
            of_file.setdefault((header, name, k["target"]), []).extend(lines)
    files = {}
    for (header, name, arch), lines in of_file.items():
        text = ",\n    ".join(lines)
        files[f"library_{name}_{arch}.gpu.cpp"] = arch, (
            f'{COMMENT}#include "benchmark/gpu/{header}.hpp"\n\nusing namespace tegula;\nusing namespace gpu_library;\n'
            f"using target = arch::{arch};\n\nstatic const bool added[] = {{\n    {text},\n}};\n")
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
