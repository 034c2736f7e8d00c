#!/usr/bin/env python3
"""Writes sources of test/device: every shipped order of every shipped tile of kernels.json, a file for each target,
schedule and width of types.

    write_orders.py --out build/test/device/orders

Left out are f16 and fp8_e5m2, whose code is that of bf16 and fp8_e4m3 with another instruction. Files are named
TARGET/gemm_orders_KIND_WIDTH.cpp. orders.cmake sets tegula_units to lines PATH:TARGET:.
"""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "cmake"), str(ROOT / "test" / "gpu")]
import kernels  # noqa: E402
import write_checks  # noqa: E402

LEFT_OUT = ("f16", "f64", "fp8_e5m2")
WIDTHS = {"bf16": "16_bit", "tf32": "32_bit", "f32": "32_bit", "int8": "8_bit", "fp8_e4m3": "8_bit"}
KINDS = {"multistage": "", "warp_specialized": "hopper_", "tcgen05": "tcgen05_"}
TABLES = {"multistage": "gemm_tiles", "warp_specialized": "warp_specialized_tiles", "tcgen05": "tcgen05_tiles"}
SCALED_TABLES = {"gfx950": "microscaled_tiles", "gfx1250": "scaled_wave_tiles"}
# Element types with the width of a format's.
ALIKE = {"mxfp8_e4m3": ("float8_e4m3", "float8_e5m2"), "mxfp6_e2m3": ("float6_e2m3", "float6_e3m2"),
         "mxfp4": ("float4_e2m1",)}
# Copies straight into shared memory wait for all loads twice in a round of this schedule, and never of the other.
EXPECTED = {"gfx950": ["[direct_ping_pong]: loop_load_drains == 2", "[direct_interleaved]: loop_load_drains == 0"]}


def is_written(k):
    form = "plain" if k["type"] in write_checks.ELEMENTS else "block_scaled"
    shipped = {"emulator", "gpu", "code_object", "check"} & set(k["in"])
    return k["family"] == "gemm" and k["form"] == form and shipped and k["type"] not in LEFT_OUT \
        and k["schedule"] in KINDS and (form == "plain" or k["schedule"] == "multistage")


def calls_of(k):
    """The calls of a header of test/device that keep a kernel's instances."""
    if k["type"] in write_checks.ELEMENTS:
        tile = f"{TABLES[k['schedule']]}<target, {write_checks.element_of(k)}>::{k['tile']}"
        return [f"keep<{tile}, {kernels.order_pair(order)}>(kept);" for order in k["orders"]]
    table = SCALED_TABLES.get(k["target"], "scaled_warp_tiles")
    formats = [e if k["target"] == "gfx950" else f"mx_format<{e}>" for e in ALIKE.get(k["type"], ())] or ["nvfp4_format"]
    return [f"keep<{table}<target, {name}>::{k['tile']}>(kept);" for name in formats]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder of the sources")
    options = parser.parse_args()
    files = {}  # (target, kind) -> calls
    for k in filter(is_written, kernels.read_kernels()):
        width = WIDTHS.get(k["type"])
        calls = files.setdefault((k["target"], KINDS[k["schedule"]] + width if width else "scaled"), [])
        # f32 and tf32 are the same kernels where there is no instruction for tf32.
        calls += [call for call in calls_of(k) if call not in calls]
    units = []
    for (target, kind), calls in files.items():
        path = f"{target}/gemm_orders_{kind}.cpp"
        header = "_" + kind.split("_")[0] if kind[0].isalpha() else ""
        lines = ["// Written by test/device/write_orders.py from kernels.json.", "//", f"// full targets: {target}"]
        lines += [f"// expect {target} {line}" for line in EXPECTED.get(target, []) if kind in ("8_bit", "16_bit")]
        lines += ["", f'#include "test/device/gemm_orders{header}.hpp"', "", "namespace tegula {", "",
                  "void keep_all(const void** kept)", "{", *(f"    {call}" for call in calls), "}", "", "} // namespace tegula", ""]
        (options.out / target).mkdir(parents=True, exist_ok=True)
        kernels.write_if_changed(options.out / path, "\n".join(lines))
        units.append(f"{path}:{target}:")
    kernels.write_list(options.out, "orders", units)


if __name__ == "__main__":
    main()
