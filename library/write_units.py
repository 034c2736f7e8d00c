#!/usr/bin/env python3
"""Writes the sources of the library of kernels: kernels of kernels.json with the word `check`, with their checks, and
operations: on those with the word `bench` that bench_gemm does not have, and on rows where these have checks.

    write_units.py --out build/library/units ARCH...     # of these architectures
    write_units.py --out build/library/units             # of all

A kernel with both words is in one file, so that it is compiled once. library.cmake sets tegula_units, as cmake/kernels.py does,
and the global property tegula_needs_FILE to the files whose kernels the checks of FILE start by name.
An operation has a name as bench.py asks for it: attention/SCHEDULE/TYPE/COLUMNS/MASK, FORM/TYPE/TILE of products. A file is
written only if its text changes.
"""

import argparse
import pathlib
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("cmake", "test/gpu")]
import kernels  # noqa: E402
import write_checks  # noqa: E402
from write_checks import WEIGHTS, element_of, kernels_of_schedule, output_of, prologue_table, table_of_tile  # noqa: E402

COMMENT = ["// Written by library/write_units.py from kernels.json."]
VARIANTS = {"plain": ("full", "attention_variant<>"), "causal": ("causal", "attention_variant<attention_mask::band>")}
PACKED = ("attention_variant<attention_mask::band, attention_bias::none, attention_weights::all, attention_cache::contiguous, "
          "attention_heads::packed>")
# Forms of `rows` -> the call that adds them; {} is the element type.
ROWS = {"losses": "add_losses<target, {}>", "softmax_gradients": "add_softmax_gradients<target, {}>",
        "layer_norm_gradients": "add_norm_gradients<target, {}, norm_kind::layer>",
        "rms_norm_gradients": "add_norm_gradients<target, {}, norm_kind::rms>"}
ROW_OPERATIONS = "rows", ['gpu_library::add_rows<target, bfloat16>("bf16")']
# Calls in a file of operations without checks: as many as compile in about a minute.
MOST_OPERATIONS = 8


def multiply(k):
    """The calls that add a form of GEMM that bench_gemm does not measure."""
    t, tile, form = element_of(k), k["tile"], k["form"]
    if form == "block_scaled":
        return [f'add_product<warp_specialized_scaled_tiles<target, {t}>::{tile}, bfloat16>("{form}/{k["type"]}/{tile}")']
    if shares := re.fullmatch(r"cluster_of_(\d)", form):
        typed = f"cluster_split_tile<warp_specialized_tiles<target, {t}>::{tile}, {shares[1]}>"
        return [f'add_product<{typed}, {t}>("cluster_split/{k["type"]}/{tile}/{shares[1]}")']
    if form == "list":
        return [f'add_list<warp_specialized_tiles<target, {t}>::{tile}, {t}>("{form}/{k["type"]}/{tile}")']
    if form in WEIGHTS and k["schedule"] == "warp_specialized":
        weights, name = WEIGHTS[form]
        return [f'add_persistent_weights<warp_specialized_tiles<target, {t}>::{tile}, {weights}>("weights/{name}/{k["type"]}/{tile}")']
    if form in WEIGHTS:
        weights, name = WEIGHTS[form]
        return [f'add_weights<{table_of_tile(tile)}<target, {t}>::{tile}, {weights}, {kernels.ORDERS[word[1]]}>'
                f'("weights/{name}/{k["type"]}/{tile}/{word}")' for word in k["orders"]]
    raise SystemExit(f"kernels.json: a GEMM of {k['target']} has the word bench and the form {form}; write_units.py does not know it")


def attend(k):
    """The call that adds a kernel of attention."""
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
                         f"write_units.py knows {', '.join([*VARIANTS, 'few_queries', 'latent', 'latent_fp8', 'clustered'])}")
    mask, variant = VARIANTS[k["form"]]
    named = f'("{name(k["family"], schedule, k["type"], c, mask)}")'
    if k["family"] == "attention_backward":
        chooser = {"specialized": "warp_specialized_backward_for", "fused": kernels_of_schedule(k),
                   "tcgen05": "tcgen05_backward_for"}.get(schedule, "attention_backward_for")
        return f"add_attention_backward<{chooser}<target, {t}, {c}, {c}, {variant}>>{named}"
    kernel, tile = {"specialized": ("warp_specialized_attention", "warp_specialized_attention_tile_for"),
                    "tcgen05": ("tcgen05_attention", "tcgen05_attention_tile_for")}.get(schedule, ("attention_kernel", "attention_tile_for"))
    return f"add_attention<{kernel}<{tile}<target, {t}, {c}>, {output_of(k)}, {variant}>>{named}"


def operations_of(k):
    """The header of this folder that adds the operations of a kernel, and the calls that do."""
    t, family = element_of(k), k["family"]
    if family == "gemm":
        header, calls = "products", multiply(k)
    elif family == "moe":
        gated, word = ("_gated", ", true") if k["form"] == "gated" else ("", "")
        header = "products"
        calls = [f'add_moe<{prologue_table(k)}_tiles<target, {t}>::{k["tile"]}{word}>("moe{gated}/{k["type"]}/{k["tile"]}")']
    elif family == "convolution":
        header = "convolution"
        calls = [f'add_convolution<{prologue_table(k)}_tiles<target, {t}>::{k["tile"]}, convolution_direction::{k["form"]}>'
                 f'("convolution/{k["form"]}/{k["type"]}/{k["tile"]}")']
    elif family == "rows":
        header, calls = "row_gradients", [f'{ROWS[k["form"]].format(t)}("{k["type"]}")']
    else:
        header, calls = "attention", [attend(k)]
    return header, [f"gpu_library::{call}" for call in calls]


def is_operation(k):
    return "bench" in k["in"] and not (k["family"] == "gemm" and k["form"] in kernels.BENCH_FORMS)


def has_rows(k):
    """Whether a kernel's checks have the kernels of the operations on rows."""
    return (k["family"], k["type"], k["form"]) == ("rows", "bf16", "normalizations")


def units(archs):
    """(architecture, name, headers, calls) of each file. What matters most comes first, as a build may be stopped: a file of
    each header, with the kernels that compile soon."""
    chosen = [k for k in kernels.read_kernels() if not archs or k["target"] in archs]

    def more(k):
        if has_rows(k):
            return ROW_OPERATIONS
        return operations_of(k) if is_operation(k) else None

    checked = sorted((k for k in chosen if "check" in k["in"]), key=lambda k: "soon" not in k["in"])
    files = [(number, arch, name, *unit) for (arch, name), lists in
             write_checks.files_of(checked, more).items()
             for number, unit in enumerate(lists)]
    for number, arch, name, headers, calls in sorted(files, key=lambda file: file[0] > 0):
        yield arch, f"{name}_{number}", headers, calls
    alone = {}
    for k in chosen:
        if is_operation(k) and "check" not in k["in"]:
            header, calls = operations_of(k)
            lists = alone.setdefault((k["target"], header), [[]])
            if len(lists[-1]) + len(calls) > MOST_OPERATIONS and lists[-1]:
                lists.append([])
            lists[-1].extend(calls)
    for (arch, header), lists in alone.items():
        for number, calls in enumerate(lists):
            yield arch, f"operations_{header}_{number}", [f"library/{header}.hpp"], calls


FORWARD = re.compile(r'add_attention\w*<attention_kernel<attention_tile_for<target, (\w+), (\d+)\b.*\("attention \d+( causal| masked| scores| dropout)?"\)')
GRADIENTS = re.compile(r"add_gradients<\w+<target, (\w+), (\d+), \d+, attention_(variant<>|causal|masked|changing|dropping)\b")
# Variants of gradients -> the end of their forward kernel's name, where that is not the variant's.
FORWARD_FORMS = {"variant<>": "", "changing": " scores", "dropping": " dropout"}


def needs(files):
    """Files whose forward kernels the checks of gradients in another file start by name: (file, those that it needs)."""
    forward = {(arch, *match.groups("")): file for file, arch, calls in files for call in calls if (match := FORWARD.search(call))}
    for file, arch, calls in files:
        found = {(arch, t, columns, FORWARD_FORMS.get(variant, f" {variant}"))
                 for call in calls for t, columns, variant in GRADIENTS.findall(call)}
        if missing := sorted(found - forward.keys()):
            raise SystemExit(f"kernels.json: gradients of {' '.join(missing[0])} are checked, and their forward kernel is not; add its row")
        if others := {forward[key] for key in found} - {file}:
            yield file, sorted(others)


def main():
    parser = argparse.ArgumentParser(description="The sources of the library of kernels.")
    parser.add_argument("archs", nargs="*", metavar="ARCH")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder of the sources")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines, files = [], []
    for arch, name, headers, calls in units(options.archs):
        file = f"library_{arch}_{name}.gpu.cpp"
        kernels.write_if_changed(options.out / file, write_checks.source_of(COMMENT, arch, headers, calls))
        lines.append(f"{file}:{arch}:")
        files.append((file, arch, calls))
    more = "".join(f"set_property(GLOBAL PROPERTY tegula_needs_{file} {' '.join(others)})\n" for file, others in needs(files))
    kernels.write_list(options.out, "library", lines, more)


if __name__ == "__main__":
    main()
