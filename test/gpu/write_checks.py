#!/usr/bin/env python3
"""The checks of kernels of kernels.json with the word `check`, as calls of the headers of test/gpu. library/write_units.py
writes the sources of all of them.

    write_checks.py --out build/test/gpu/kernels

writes those with the word `soon`: a file an architecture, with the first order of each alone. A kernel that is in the sample has
a file of its own. check.cmake sets tegula_units, as cmake/kernels.py does.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cmake"))
import kernels  # noqa: E402

ELEMENTS = {"bf16": "bfloat16", "f16": "half", "tf32": "tfloat32", "f32": "float", "int8": "std::int8_t",
            "fp8_e4m3": "float8_e4m3", "fp8_e5m2": "float8_e5m2"}
FORMATS = {"mxfp8_e4m3": "float8_e4m3", "mxfp6_e2m3": "float6_e2m3", "mxfp4": "float4_e2m1"}
# Targets with an instruction for tf32; on others --type tf32 multiplies f32.
WITH_TF32 = ("sm_", "gfx942")
WEIGHTS = {"int8_weights": ("quantized<std::int8_t>", "int8"), "int4_weights": ("quantized<int4x2, 64>", "int4"),
           "int4_weights_128": ("quantized<int4x2, 128, half>", "int4")}
# Forms of attention that change scores by a bias and a soft cap -> the variant.
CHANGES = {"scores": "attention_changing", "dropout": "attention_dropping"}
# How many kernels are in a file that includes a header: as many as compile in about a minute.
MOST = {"on_gpu": 12, "on_gpu_attention": 6, "on_gpu_attention_sm100": 6, "on_gpu_rows": 2, "on_gpu_shapes": 2,
        "on_gpu_prologue": 2, "on_gpu_launch": 2, "on_gpu_convolution": 6, "on_gpu_scaled": 12, "on_gpu_made": 6}


def element_of(k, name=None):
    name = name or k["type"]
    if name == "tf32" and not k["target"].startswith(WITH_TF32):
        return "float"
    return ELEMENTS[name] + ("_fnuz" if name.startswith("fp8") and k["target"] == "gfx942" else "")


def format_of(k):
    return "nvfp4_format" if k["type"] == "nvfp4" else f"mx_format<{FORMATS[k['type']]}>"


def output_of(k):
    """What attention writes: 16 bits, of 8-bit inputs bf16."""
    return "bfloat16" if k["type"].startswith("fp8") else element_of(k)


def order(word):
    return ", ".join(kernels.ORDERS[letter] for letter in word)


def table_of_tile(tile):
    """The table of a multistage tile: that of packed weights, or of all other products."""
    return "weight_tiles" if tile.endswith("_packed") else "gemm_tiles"


def multiply_by_waves(k):
    """Calls of on_gpu.hpp for a GEMM of the multistage schedule."""
    element, tile, form = element_of(k) if k["type"] in ELEMENTS else "", k["tile"], k["form"]
    if k["type"] not in ELEMENTS:
        table = {"gfx950": f"microscaled_tiles<target, {FORMATS.get(k['type'])}>",
                 "gfx1250": f"scaled_wave_tiles<target, {format_of(k)}>"}.get(
                     k["target"], f"scaled_warp_tiles<target, {format_of(k)}>")
        return [f'add_microscaled<{table}::{tile}>("{k["type"]} {tile}")']
    if form == "block_scaled":
        return [f'add_block_scaled<block_scaled_tiles<target, {element}>::{tile}>("{tile} block-scaled")']
    if form == "block_scaled_by_e5m2":
        pair = f"{element}, {element_of(k, 'fp8_e5m2')}"
        return [f'add_pair<block_scaled_tiles<target, {pair}>::{tile}>("{tile} by e5m2")']
    if form in ("gathered", "made"):
        return [f'add_prologue<{form}_form<prologue_tiles<target, {element}>::{tile}>>("{form} {tile}")']
    typed = f"{table_of_tile(tile)}<target, {element}>::{tile}"
    calls = []
    for word in k["orders"]:
        if word == "any":
            calls.append(f'add_element_wise<{typed}>("{tile}")')
        elif form in WEIGHTS:
            weights, name = WEIGHTS[form]
            calls.append(f'add_quantized_weights<{typed}, {weights}, {order(word)}>("{tile} {name} weights")')
        elif form in ("split_k", "stream_k"):
            calls.append(f'add_tile<{typed}, {order(word)}, run_partials<{form}_gemm>>("{tile} {form}")')
        else:
            add, note = {"plain": ("add_tile", ""), "narrow": ("add_narrow", " narrow"),
                         "grouped": ("add_grouped", " grouped")}[form]
            calls.append(f'{add}<{typed}, {order(word)}>("{tile}{note}")')
    return calls


def make_operands(k, typed):
    """The header and the calls for a GEMM one of whose operands a warpgroup makes; None for others."""
    tile, form = k["tile"], k["form"]
    if form in WEIGHTS:
        weights, name = WEIGHTS[form]
        return "on_gpu_made", [f'add_persistent_weights<{typed}, {weights}>("{tile} {name} weights")']
    if form in ("gathered", "made"):
        return "on_gpu_made", [f'add_persistent_prologue<persistent_{form}_form<{typed}>>("{tile} {form}")']
    return None


def multiply_by_roles(k):
    """The header and the calls for warp-specialised GEMMs."""
    element, tile = element_of(k), k["tile"]
    if k["form"] == "list":
        typed = f"warp_specialized_tiles<target, {element}>::{tile}"
        return "on_gpu_made", [f'add_mapped_list<{typed}, {order(word)}>("{tile} list {word}")' for word in k["orders"]]
    if made := make_operands(k, f"warp_specialized_tiles<target, {element}>::{tile}"):
        return made
    if k["form"] == "block_scaled":
        return "on_gpu", [
            f'add_warp_specialized_scaled<warp_specialized_scaled_tiles<target, {element}>::{tile}>("{tile} block-scaled")']
    if k["form"] == "block_scaled_by_e5m2":
        pair = f"{element}, {element_of(k, 'fp8_e5m2')}"
        return "on_gpu", [
            f'add_warp_specialized_scaled<warp_specialized_scaled_tiles<target, {pair}>::{tile}>("{tile} by e5m2")']
    if shares := re.fullmatch(r"cluster_of_(\d)", k["form"]):
        typed = f"cluster_split_tile<warp_specialized_tiles<target, {element}>::{tile}, {shares[1]}>"
        return "on_gpu", [f'add_cluster_split<{typed}, {order(word)}>("{tile} {k["form"]}")' for word in k["orders"]]
    more = {"plain": "", "split_k": ", work_partition::split_k", "stream_k": ", work_partition::stream",
            "direct": f", work_partition::tiles, result_of<{element}>, output_store::direct",
            "narrow": f", work_partition::tiles, {element}"}[k["form"]]
    note = "" if k["form"] == "plain" else f" {k['form']}"
    return "on_gpu", [
        f'add_warp_specialized<warp_specialized_tiles<target, {element}>::{tile}, {order(word)}{more}>("{tile}{note}")'
        for word in k["orders"]]


def multiply_by_tcgen05(k):
    """The header and the calls for a GEMM of a target with tensor memory."""
    tile, form = k["tile"], k["form"]
    if form.startswith("block_scaled"):
        f = format_of(k)
        store = f", {f}, output_store::direct" if form.endswith("direct") else ""
        note = " direct" if store else ""
        return "on_gpu_scaled", [
            f'add_tcgen05_scaled<tcgen05_scaled_tiles<target, {f}>::{tile}, {f}{store}>("{k["type"]} {tile}{note}")']
    element = element_of(k)
    typed = f"tcgen05_tiles<target, {element}>::{tile}"
    if made := make_operands(k, typed):
        return made
    if form == "list":
        return "on_gpu_made", [f'add_mapped_list<{typed}, {order("kk")}>("{tile} list")']
    more = {"plain": "", "direct": ", output_store::direct"}.get(
        form, f", output_store::tensor_copies, work_partition::{'stream' if form == 'stream_k' else form}")
    note = "" if form == "plain" else f" {form}"
    return "on_gpu_scaled", [f'add_tcgen05<{typed}, {order(word)}{more}>("{tile}{note}")' for word in k["orders"]]


def attend(k):
    """The header and the calls for a kernel of attention's forward pass."""
    c, form, t = k["columns"], k["form"], element_of(k)
    if k["schedule"] == "tcgen05":
        header, kernel, name, more = "on_gpu_attention_sm100", "tcgen05_attention", f"tcgen05 {c}", "tcgen05_exponentials, "
        tile = "tcgen05_attention_tile_for"
    elif k["schedule"] == "warp_specialized":
        header, kernel, name, more = "on_gpu_attention", "warp_specialized_attention", f"specialized {c}", ""
        tile = "warp_specialized_attention_tile_for"
    else:
        header, kernel, name, more, tile = "on_gpu_attention", "attention_kernel", f"attention {c}", "", "attention_tile_for"
    if form == "few_queries":
        tile = f"decoding_tile_for<target, {t}, {c}>"
        return header, [f'add_attention<attention_split_kernel<{tile}, {output_of(k)}, attention_packed>>("attention {c} in shares")']
    if form == "append":
        return header, [f'add_append<append_kernel<target, {t}, {c}>>("append {c}")']
    if form in ("latent", "latent_fp8") and k["schedule"] == "warp_specialized":
        cache, note = (", float8_e4m3", " from fp8") if form == "latent_fp8" else ("", "")
        kernel = f"warp_specialized_latent_attention<warp_specialized_latent_tile<target, {t}{cache}>, {t}, attention_packed>"
        return header, [f'add_attention<{kernel}>("specialized latent{note}")']
    if form == "latent":
        split = "add_attention<attention_split_kernel<{}, float, attention_packed>>(\"{}\")"
        return header, [split.format(f"attention_tile_for<target, {t}, {c}, 512>", "latent"),
                        split.format(f"latent_attention_tile_for<target, {t}>", "latent, one tensor")]
    if form == "plain":
        return header, [f'add_attention<{kernel}<{tile}<target, {t}, {c}>, {output_of(k)}>>("{name}")']
    if form == "clustered":
        return header, [f'add_attention<{kernel}<clustered_attention_tile_for<target, {t}, {c}>, {t}>>("clustered {c}")']
    result = output_of(k)
    if form == "causal":
        return header, [f'add_attention<{kernel}<{tile}<target, {t}, {c}>, {result}, attention_causal>>("{name} causal")']
    if form == "lengths":
        rest = "attention_causal, unchanged_score, attention_sequences::of_any_length"
        return header, [f'add_attention_form<{kernel}<{tile}<target, {t}, {c}, {c}, {more}attention_causal>, {result}, {rest}>>'
                        f'("{name} of any length")']
    if form == "block_scales":
        tile = f"{tile}<target, {t}, {c}, {c}, attention_causal, unchanged_score, 64>"
        return header, [f'add_attention<{kernel}<{tile}, {result}, attention_causal>>("{name} causal of block scales")']
    variant = {"masked": "attention_masked", "lists": "attention_of_lists", "pages": "attention_of_pages", **CHANGES}[form]
    cap = ", soft_cap<target>" if form == "pages" or form in CHANGES else ""
    rest = f"{cap}, attention_sequences::of_any_length" if form == "pages" and k["schedule"] != "multistage" else cap
    note = {"lists": "of_lists", "pages": "of pages"}.get(form, form)
    return header, [f'add_attention_form<{kernel}<{tile}<target, {t}, {c}, {c}, {more}{variant}{cap}>, {result}, {variant}{rest}>>'
                    f'("{name} {note}")']


def kernels_of_schedule(k):
    """The chooser of a backward pass's kernels."""
    if k["schedule"] == "fused":
        family = "attention" if k["target"].startswith("gfx") else "warp_specialized" if k["target"] == "sm_90a" else "tcgen05"
        return f"{family}_fused_backward_for"
    return "warp_specialized_backward_for"


def attend_backward(k):
    c, t, form = k["columns"], element_of(k), k["form"]
    variant = {"plain": "attention_variant<>", "masked": "attention_masked", **CHANGES}.get(form, "attention_causal")
    note = {"plain": "", "lengths": " of any length"}.get(form, f" {form}")
    rest = {"lengths": f", {t}, unchanged_score, attention_sequences::of_any_length",
            **dict.fromkeys(CHANGES, f", {t}, soft_cap<target>")}.get(form, "")
    if k["schedule"] == "tcgen05":
        call = f"add_gradients<tcgen05_backward_for<target, {t}, {c}, {c}, {variant}{rest}>>"
        return "on_gpu_attention_sm100", [f'{call}("tcgen05 gradients {c}{note}")']
    if k["schedule"] in ("warp_specialized", "fused"):
        kernels = kernels_of_schedule(k)
        name = f"{k['schedule'].removeprefix('warp_')} gradients {c}{note}"
        return "on_gpu_attention" + "_sm100" * (kernels == "tcgen05_fused_backward_for"), [f'add_gradients<{kernels}<target, {t}, {c}, {c}, {variant}{rest}>>("{name}")']
    return "on_gpu_attention", [f'add_gradients<attention_backward_for<target, {t}, {c}, {c}, {variant}{rest}>>("gradients {c}{note}")']


def prologue_table(k):
    """The table of a kernel's tile, by the schedule."""
    if k["schedule"] in ("warp_specialized", "tcgen05"):
        return k["schedule"]
    return "prologue" if k["tile"] in ("large", "small") else "gemm"


def convolve(k):
    t, tile, form = element_of(k), k["tile"], k["form"]
    if form == "im2col":
        return "on_gpu_convolution", [f"add_im2col<target, {t}>()"]
    return "on_gpu_convolution", [
        f'add_convolution<{prologue_table(k)}_tiles<target, {t}>::{tile}, convolution_direction::{form}, {dims}, {result}>'
        f'("{form} {tile}")' for dims, result in ((2, t if "bench" in k["in"] else "float"), (3, "float"))]


def operate(k):
    t = element_of(k)
    norms = {"layer_norm_gradients": "layer", "rms_norm_gradients": "rms"}
    if k["form"] in norms:
        return "on_gpu_rows", [f"add_norm_gradients<target, {t}, norm_kind::{norms[k['form']]}>()"]
    return "on_gpu_rows", [f"add_{k['form']}<target, {t}>()"]


def calls_of(k):
    """The header of test/gpu that adds the checks of a kernel, and the calls that do."""
    family = k["family"]
    if family == "gemm":
        if k["schedule"] == "tcgen05":
            return multiply_by_tcgen05(k)
        if k["schedule"] == "warp_specialized":
            return multiply_by_roles(k)
        scaled = k["type"] not in ELEMENTS
        header = "on_gpu_scaled" if scaled else "on_gpu_prologue" if k["form"] in ("gathered", "made") else "on_gpu"
        return header, multiply_by_waves(k)
    if family == "moe":
        result = element_of(k) if "bench" in k["in"] else "float"
        more, note = (", true", " gated") if k["form"] == "gated" else ("", "")
        return "on_gpu_prologue", [
            f'add_moe<{prologue_table(k)}_tiles<target, {element_of(k)}>::{k["tile"]}, {result}{more}>("{k["tile"]}{note}")']
    if family == "shapes":
        return "on_gpu_shapes", [f"add_shapes<target, {element_of(k)}>()"]
    if family == "launches":
        return "on_gpu_launch", ["add_function_objects<target>()", "add_gemm_graph<target>()"]
    return {"attention": attend, "attention_backward": attend_backward, "convolution": convolve,
            "rows": operate}[family](k)


def files_of(chosen, more=lambda k: None):
    """Lists of the headers and calls of each file, by (architecture, name). Gradients of attention, which start kernels of other
    files, have files of their own. more(k) is None, or a header of library/ and calls
    that the kernel's file has, too."""
    files, checks = {}, {}
    for k in chosen:
        header, calls = calls_of(k)
        name = header + "_gradients" * (k["family"] == "attention_backward")
        lists = files.setdefault((k["target"], name), [])
        if not lists or checks[id(lists[-1])] + len(calls) > MOST[header]:
            lists.append(([f"test/gpu/{header}.hpp"], []))
            checks[id(lists[-1])] = 0
        headers, known = lists[-1]
        checks[id(lists[-1])] += len(calls)
        known.extend(calls)
        if added := more(k):
            headers += [h for h in [f"library/{added[0]}.hpp"] if h not in headers]
            known.extend(added[1])
    return files


def files_soon(chosen):
    """files_of() for kernels with the word `soon`."""
    files = {}
    for k in chosen:
        header, calls = calls_of(k)
        headers, known = files.setdefault((k["target"], "sample" if "sample" in k["in"] else "soon"), [([], [])])[0]
        headers += [h for h in [f"test/gpu/{header}.hpp"] if h not in headers]
        known.append(calls[0])
    return files


def source_of(comment, arch, headers, calls):
    """The text of a file that makes these calls."""
    lines = [*comment, ""] + [f'#include "{header}"' for header in sorted(headers)]
    spaces = ["tegula"] + ["tegula::test"] * any(header.startswith("test/") for header in headers)
    lines += ["", *(f"using namespace {space};" for space in spaces), f"using target = arch::{arch};", "",
              "static const bool added[] = {"] + [f"    {call}," for call in calls] + ["};", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="The sources of the checks that compile soon.")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder of the sources")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    units = []
    comment = ["// Written by test/gpu/write_checks.py from kernels.json."]
    soon = [k for k in kernels.read_kernels() if {"check", "soon"} <= set(k["in"])]
    for (arch, name), lists in files_soon(soon).items():
        for number, (headers, calls) in enumerate(lists):
            file = f"check_{arch}_{name}_{number}.gpu.cpp"
            kernels.write_if_changed(options.out / file, source_of(comment, arch, headers, calls))
            units.append(f"{file}:{arch}:{'sample' if name == 'sample' else ''}")
    kernels.write_list(options.out, "check", units)


if __name__ == "__main__":
    main()
