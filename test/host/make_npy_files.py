#!/usr/bin/env python3
"""Writes npy_files.hpp beside this file: small files as NumPy saves them.

Element number i in C order is i - 2 (i where the type has no sign), so that the test knows every value.
"""

import io
import pathlib

import numpy as np


def file_of(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version, allow_pickle=True)
    return stream.getvalue()


def counting(dtype, shape, order="C"):
    count = int(np.prod(shape))
    first = 0 if np.dtype(dtype).kind == "u" else -2
    return np.asarray(np.arange(first, first + count).reshape(shape), dtype=dtype, order=order)


FILES = {
    "f4_2x3": file_of(counting("<f4", (2, 3))),
    "f4_2x3_fortran": file_of(counting("<f4", (2, 3), "F")),
    "u1_2x3x4_fortran": file_of(counting("u1", (2, 3, 4), "F")),
    "f2_7": file_of(counting("<f2", (7,))),
    "f8_2x2_big_endian": file_of(counting(">f8", (2, 2))),
    "i4_2x3_big_endian_fortran": file_of(counting(">i4", (2, 3), "F")),
    "i1_4": file_of(counting("i1", (4,))),
    "i8_scalar": file_of(counting("<i8", ())),
    "f4_0x3": file_of(counting("<f4", (0, 3))),
    "f4_5_version_2": file_of(counting("<f4", (5,)), (2, 0)),
    "f4_5_version_3": file_of(counting("<f4", (5,)), (3, 0)),
    "objects": file_of(np.array([1, None], dtype=object)),
    "fields": file_of(np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")])),
    "complex_numbers": file_of(np.zeros(2, dtype=np.complex64)),
    "booleans": file_of(np.zeros(2, dtype=bool)),
    "text": file_of(np.array(["a", "b"])),
}


def main():
    lines = ["#pragma once", "", f"// Written by make_npy_files.py with NumPy {np.__version__}.", ""]
    lines += ["#include <string>", "", "// clang-format off", "namespace npy_files {", ""]
    for name, content in FILES.items():
        lines.append(f"inline const std::string {name}(")
        for start in range(0, len(content), 32):
            lines.append('    "' + "".join(f"\\{byte:03o}" for byte in content[start : start + 32]) + '"')
        lines[-1] += f", {len(content)});"
    lines += ["", "} // namespace npy_files", ""]
    pathlib.Path(__file__).with_name("npy_files.hpp").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
