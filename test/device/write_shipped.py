#!/usr/bin/env python3
"""Writes sources of test/device: every shipped order of every shipped tile of GEMM, and every other kernel that gpu_checks
has.

    write_shipped.py --out build/test/device/shipped

Other kernels than GEMM's are left out for f16 and fp8_e5m2: their code is that of bf16 and fp8_e4m3 with another instruction. A
file has the kernels of a target, schedule and width of types: TARGET/gemm_orders_KIND_WIDTH.cpp (those two types have files of
their own, TARGET/gemm_orders_KIND_TYPE.cpp), TARGET/shipped_attention_KIND_WIDTH.cpp and
TARGET/shipped_attention_backward_KIND_WIDTH.cpp. NVIDIA's compiler takes minutes for twenty of these kernels: kernels of
attention have the columns of their tile behind the name, products by mma.sync are TARGET/gemm_orders_TYPE_TILE.cpp.
TARGET/shipped_FAMILY_NUMBER.cpp has the other forms of GEMM and the other families: a file of gpu_checks, compiled for the
device alone.
shipped.cmake sets tegula_units to lines PATH:TARGET:.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "cmake"), str(ROOT / "test" / "gpu")]
import kernels  # noqa: E402
import write_checks  # noqa: E402

LEFT_OUT = ("f16", "f64", "fp8_e5m2")
WIDTHS = {"bf16": "16_bit", "f16": "f16", "fp8_e5m2": "fp8_e5m2", "tf32": "32_bit", "f32": "32_bit", "int8": "8_bit", "fp8_e4m3": "8_bit"}
KINDS = {"multistage": "", "warp_specialized": "hopper_", "tcgen05": "tcgen05_"}
TABLES = {"multistage": "gemm_tiles", "warp_specialized": "warp_specialized_tiles", "tcgen05": "tcgen05_tiles"}
SCALED_TABLES = {"gfx950": "microscaled_tiles", "gfx1250": "scaled_wave_tiles"}
# Element types with the width of a format's.
ALIKE = {"mxfp8_e4m3": ("float8_e4m3", "float8_e5m2"), "mxfp6_e2m3": ("float6_e2m3", "float6_e3m2"),
         "mxfp4": ("float4_e2m1",)}
# Copies straight into shared memory wait for all loads twice in a round of two stages, and never in one of three. A file -> lines.
TWO_STAGES = "[ELi2ELi8ENS_18direct_interleaved]: loop_load_drains == 2"
THREE_STAGES = "[ELi3ELi8ENS_18direct_interleaved]: loop_load_drains == 0"
PING_PONG = "[direct_ping_pong]: loop_load_drains == 2"
EXPECTED = {("gfx950", "gemm_orders_16_bit"): [PING_PONG, THREE_STAGES], ("gfx950", "gemm_orders_f16"): [PING_PONG, THREE_STAGES],
            ("gfx950", "gemm_orders_8_bit"): [PING_PONG, TWO_STAGES, THREE_STAGES],
            ("gfx950", "gemm_orders_fp8_e5m2"): [TWO_STAGES, THREE_STAGES]}


def has_keep(k):
    """Whether a header of test/device keeps the kernel's instances; the others come by the headers of test/gpu."""
    if k["family"].startswith("attention"):
        return "check" in k["in"] and k["type"] not in LEFT_OUT and k["schedule"] in KINDS
    form = "plain" if k["type"] in write_checks.ELEMENTS else "block_scaled"
    shipped = {"emulator", "gpu", "code_object", "check"} & set(k["in"])
    return k["family"] == "gemm" and k["form"] == form and shipped and k["type"] != "f64" \
        and k["schedule"] in KINDS and (form == "plain" or k["schedule"] == "multistage")


def calls_of(k):
    """The calls of a header of test/device that keep a kernel's instances."""
    if k["family"].startswith("attention"):
        return [re.sub(r'^add_(.*)\(".*"\)$', r"keep_\1(kept);", call) for call in write_checks.calls_of(k)[1]]
    if k["type"] in write_checks.ELEMENTS:
        tile = f"{TABLES[k['schedule']]}<target, {write_checks.element_of(k)}>::{k['tile']}"
        return [f"keep<{tile}, {kernels.order_pair(order)}>(kept);" for order in k["orders"]]
    table = SCALED_TABLES.get(k["target"], "scaled_warp_tiles")
    formats = [e if k["target"] == "gfx950" else f"mx_format<{e}>" for e in ALIKE.get(k["type"], ())] or ["nvfp4_format"]
    return [f"keep<{table}<target, {name}>::{k['tile']}>(kept);" for name in formats]


def name_of(k):
    """The name of a kernel's file, and the header that it includes."""
    kind, width = KINDS[k["schedule"]], WIDTHS.get(k["type"])
    if k["family"] != "gemm":
        columns = f"_{k['columns']}" if k["target"].startswith("sm_") else ""
        return f"shipped_{k['family']}_{kind}{width}{columns}", "shipped_attention"
    if not width:
        return "gemm_orders_scaled", "gemm_orders_scaled"
    if k["target"].startswith("sm_") and k["schedule"] == "multistage":
        return f"gemm_orders_{k['type']}_{k['tile']}", "gemm_orders"
    return f"gemm_orders_{kind}{width}", f"gemm_orders_{kind}".rstrip("_")


def comment_for(target):
    """The first lines of a file, which test/device/CMakeLists.txt reads."""
    return ["// Written by test/device/write_shipped.py from kernels.json.", "//", f"// full targets: {target}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder of the sources")
    options = parser.parse_args()
    files = {}  # (target, name, header) -> calls
    for k in filter(has_keep, kernels.read_kernels()):
        calls = files.setdefault((k["target"], *name_of(k)), [])
        # f32 and tf32 are the same kernels where there is no instruction for tf32.
        calls += [call for call in calls_of(k) if call not in calls]
    texts = {}  # path -> text
    for (target, name, header), calls in files.items():
        lines = comment_for(target)
        lines += [f"// expect {target} {line}" for line in EXPECTED.get((target, name), [])]
        lines += ["", f'#include "test/device/{header}.hpp"', "", "namespace tegula {", "",
                  "void keep_all(const void** kept)", "{", *(f"    {call}" for call in calls), "}", "", "} // namespace tegula", ""]
        texts[f"{target}/{name}.cpp"] = "\n".join(lines)
    others = [k for k in kernels.read_kernels() if "check" in k["in"] and not has_keep(k) and k["type"] not in LEFT_OUT]
    for (target, header), lists in write_checks.files_of(others).items():
        for number, (headers, calls) in enumerate(lists):
            name = header.replace("on_gpu", "shipped" if "on_gpu_" in header else "shipped_gemm")
            comment = [*comment_for(target), "// left out: compare_formula", "// left out: compare_product"]
            texts[f"{target}/{name}_{number}.cpp"] = write_checks.source_of(comment, target, headers, calls)
    for path, text in texts.items():
        (options.out / path).parent.mkdir(parents=True, exist_ok=True)
        kernels.write_if_changed(options.out / path, text)
    units = [f"{path}:{path.split('/')[0]}:" for path in texts]
    kernels.write_list(options.out, "shipped", units)


if __name__ == "__main__":
    main()
