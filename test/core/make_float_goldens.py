#!/usr/bin/env python3
"""Writes float_goldens.hpp beside this file, from NumPy and ml_dtypes (pip install ml_dtypes).

decode: the float each 8-bit pattern stands for, as its bits.
digest: FNV-1a over the patterns that the floats (i << 12) + d convert to, for d in 0, 1, 0xfff and i below 2^20, without
        saturation. Those floats hold every tie of every format, and what lies just beside it. A NaN counts as all ones;
        what NaN becomes in a format that has none is not ml_dtypes' to say, and counts as the largest value.
"""

import pathlib

import ml_dtypes
import numpy as np

FORMATS = {
    "float8_e4m3": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e4m3_fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e5m2_fnuz": ml_dtypes.float8_e5m2fnuz,
    "float4_e2m1": ml_dtypes.float4_e2m1fn,
    "float6_e2m3": ml_dtypes.float6_e2m3fn,
    "float6_e3m2": ml_dtypes.float6_e3m2fn,
    "bfloat16": ml_dtypes.bfloat16,
    "half": np.float16,
}
MASK = (1 << 64) - 1


def digest(dtype):
    storage = np.dtype(f"u{np.dtype(dtype).itemsize}")
    inputs = (np.arange(1 << 20, dtype=np.uint32) << np.uint32(12))[:, None] + np.array([0, 1, 0xFFF], np.uint32)
    floats = inputs.ravel().view(np.float32)
    with np.errstate(all="ignore"):
        converted = floats.astype(dtype)
        patterns = converted.view(storage).copy()
        patterns[np.isnan(converted.astype(np.float32))] = np.iinfo(storage).max
        if not np.isnan(np.float32(np.nan).astype(dtype).astype(np.float32)):
            patterns[np.isnan(floats)] = np.float32(1e9).astype(dtype).view(storage)
    value = 0xCBF29CE484222325
    for pattern in patterns.tolist():
        value = ((value ^ pattern) * 0x100000001B3) & MASK
    return value


def main():
    lines = [
        "#pragma once",
        "",
        "// Written by make_float_goldens.py from NumPy " + np.__version__ + " and ml_dtypes " + ml_dtypes.__version__ + ".",
        "",
        "#include <cstdint>",
        "",
        "// clang-format off",
        "namespace goldens {",
        "",
    ]
    for name, dtype in FORMATS.items():
        lines.append(f"inline constexpr std::uint64_t {name}_digest = 0x{digest(dtype):016x};")
    for name, dtype in FORMATS.items():
        if np.dtype(dtype).itemsize != 1:
            continue
        count = 1 << ml_dtypes.finfo(dtype).bits
        values = np.arange(count, dtype=np.uint8).view(dtype).astype(np.float32).view(np.uint32)
        lines += ["", f"inline constexpr std::uint32_t {name}_values[{count}] = {{"]
        for row in values.reshape(-1, 8):
            lines.append("    " + " ".join(f"0x{v:08x}," for v in row))
        lines.append("};")
    lines += ["", "} // namespace goldens", ""]
    pathlib.Path(__file__).with_name("float_goldens.hpp").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
