"""Products on sm_90a: instructions of a consumer's main loop for one wgmma, ours beside CUTLASS's and DeepGEMM's.

    python3 -m rivals.products     whether a loop is counted as it should be; benchmark/ and test/device/ are in PYTHONPATH
"""

import re
import sys

from rivals.checkouts import CUTLASS, DEEP_GEMM, Refused
from rivals.wgmma import compile_one, main_loops, our_cubin, written_round

# Tiles of DeepGEMM: rows and columns of a block, stages. The first is that which it chooses for 4096 and 8192 cubed on 132
# multiprocessors; the second is as large as ours.
DEEP_TILES = ((256, 128, 3), (128, 128, 5))
# CUTLASS's products, which its builders make: a name, a type, columns and k of a block of 128 rows, a schedule, other definitions.
# The last entry is our kernel for the same product: a file of test/device and a name in it.
CUTLASS_PRODUCTS = (
    ("bf16", "bfloat16_t", 256, 64, "KernelTmaWarpSpecializedCooperative", (), ("gemm_hopper", "paired")),
    ("fp8 without promotion", "float_e4m3_t", 128, 128, "KernelTmaWarpSpecializedCooperativeFP8FastAccum", (), None),
    ("block-scaled fp8", "float_e4m3_t", 128, 128, "KernelTmaWarpSpecializedCooperativeFP8Blockwise", ("RIVAL_SCALED",),
     ("gemm_hopper_scaled", "promoted")))
GOAL = 1.2  # instructions of block-scaled fp8 by those of plain fp8 whose sums of 128 of k are added in f32


def count(nvdisasm, cubin, name):
    """(instructions, additions of sums, the shape) for one wgmma of a warp's round, which must have one shape."""
    way = min((way for way in main_loops(nvdisasm, cubin, name) if re.search(r"^[HQ]GMMA", "\n".join(way), re.M)), key=len, default=())
    shapes = [text.split(".F32")[0].split(".", 1)[1] for text in way if re.match("[HQ]GMMA", text)]
    if len(set(shapes)) != 1:
        raise Refused(f"the main loop of {name!r} in {cubin} has wgmma of {len(set(shapes))} shapes, where one was expected")
    sums = sum(1 for text in way if re.match("F(FMA|ADD)2? ", text) or re.match(r"F(FMA|ADD)\.", text))
    return len(way) / len(shapes), sums / len(shapes), shapes[0]


def describe(what, found, spilled=None):
    text = f"sm_90a product {what}: {found[0]:.1f} instructions a wgmma of {found[2]}, {found[1]:.1f} of them additions of sums"
    return text if spilled is None else f"{text}; {spilled} bytes spilled"


def ours(build, nvdisasm, source, name):
    """count of a kernel of ours, and the words where it is not compiled."""
    cubin, missing = our_cubin(build, source)
    return (None, missing) if missing else (count(nvdisasm, cubin, f"tegula{len(name)}{name}I"), "")


def compare_scaled(build, nvdisasm, fewest, whose):
    """Sentences: ours in block-scaled fp8 by theirs, and by ours of plain fp8."""
    scaled, missing = ours(build, nvdisasm, "gemm_hopper_scaled", "promoted")
    plain, missing_plain = ours(build, nvdisasm, "gemm_hopper", "promoted")
    if missing or missing_plain:
        yield f"sm_90a product block-scaled fp8, ours: {missing or missing_plain}"
        return
    yield describe("block-scaled fp8, ours 128x128", scaled) + f"; of {whose} {scaled[0] / fewest:.2f}"
    yield (describe("fp8, ours 128x128, promoted", plain) + f"; block-scaled takes {scaled[0] / plain[0]:.2f} of that, the goal is "
           f"{GOAL}")


def compare_deep_gemm(build, nvdisasm, nvcc, checkout, cutlass):
    """Sentences: DeepGEMM's block-scaled fp8 and ours."""
    yield DEEP_GEMM.describe(nvcc, checkout, cutlass)
    counts = []
    for rows, columns, stages in DEEP_TILES:
        found, spilled = compile_one(DEEP_GEMM, nvcc, checkout, cutlass, lambda cubin: count(nvdisasm, cubin, "sm90_fp8_gemm_1d2d"),
                                     f"RIVAL_ROWS={rows}", f"RIVAL_COLUMNS={columns}", f"RIVAL_STAGES={stages}")
        counts.append(found[0])
        yield describe(f"block-scaled fp8, DeepGEMM's {rows}x{columns}, {stages} stages", found, spilled)
    yield from compare_scaled(build, nvdisasm, min(counts), "DeepGEMM's fewest")


def compare_cutlass(build, nvdisasm, nvcc, checkout, _):
    """Sentences: products that CUTLASS's builders make, and ours."""
    yield CUTLASS.describe(nvcc, checkout)
    for what, kind, columns, k, schedule, more, same in CUTLASS_PRODUCTS:
        found, spilled = compile_one(CUTLASS, nvcc, checkout, None, lambda cubin: count(nvdisasm, cubin, "device_kernel"),
                                     f"RIVAL_TYPE={kind}", f"RIVAL_COLUMNS={columns}", f"RIVAL_K={k}", f"RIVAL_SCHEDULE={schedule}", *more)
        yield describe(f"{what}, CUTLASS's 128x{columns}x{k}, {schedule}", found, spilled)
        if not same:
            continue
        of_ours, missing = ours(build, nvdisasm, *same)
        yield (f"sm_90a product {what}, ours: {missing}" if missing else
               describe(f"{what}, ours 128x{columns}x{k}", of_ours) + f"; of CUTLASS's {of_ours[0] / found[0]:.2f}")


def self_test():
    products = ("QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24", "QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR12], R24, gsb0")
    with written_round((*products, "FFMA R6, R7, R8, R9", "FADD.FTZ R6, R7, R8", "FFMA2 R6, R7, R8, R9", "FMUL R6, R7, R8")) as cubin:
        assert count(*cubin, "^kernel$") == (7 / 2, 3 / 2, "64x128x32"), count(*cubin, "^kernel$")
    with written_round((products[0], "HGMMA.64x256x16.F32.BF16 R24, gdesc[UR8], R24")) as cubin:
        try:
            count(*cubin, "^kernel$")
            raise AssertionError("a loop of two shapes was counted")
        except Refused as refused:
            assert "2 shapes" in str(refused), refused
    with written_round(("FADD R6, R7, R8",)) as cubin:
        try:
            count(*cubin, "^kernel$")
            raise AssertionError("a loop without products was counted")
        except Refused as refused:
            assert "0 shapes" in str(refused), refused
    return 0


if __name__ == "__main__":
    sys.exit(self_test())
