#pragma once

#include <tegula/mma/table/instruction.hpp>

namespace tegula::detail::instruction_rows {

using enum element_kind;
using enum gpu_arch;
using enum instruction_family;

// clang-format off
/// Instructions of a CPU, as if a wave had one lane. The vector forms multiply one row of A by a register of columns.
/// The row is a word of k repeated in every element (an EVEX broadcast from memory or a register); m is 1.
inline constexpr instruction x86[] = {
    // name, architectures, family, m, n, k, blocks, wave, a, b, c
    {"vfmadd231ps_ymm", x86_avx2,   x86_vector, 1,  8,  1,  1, 1, f32,  f32,  f32},
    {"vfmadd231pd_ymm", x86_avx2,   x86_vector, 1,  4,  1,  1, 1, f64,  f64,  f64},
    {"vpdpbusd_ymm",    x86_avx2,   x86_vector, 1,  8,  4,  1, 1, u8,   i8,   i32},
    {"vpdpwssd_ymm",    x86_avx2,   x86_vector, 1,  8,  2,  1, 1, i16,  i16,  i32},
    {"vfmadd231ps_zmm", x86_avx512, x86_vector, 1,  16, 1,  1, 1, f32,  f32,  f32},
    {"vfmadd231pd_zmm", x86_avx512, x86_vector, 1,  8,  1,  1, 1, f64,  f64,  f64},
    {"vdpbf16ps_zmm",   x86_avx512, x86_vector, 1,  16, 2,  1, 1, bf16, bf16, f32},
    {"vpdpbusd_zmm",    x86_avx512, x86_vector, 1,  16, 4,  1, 1, u8,   i8,   i32},
    {"vpdpwssd_zmm",    x86_avx512, x86_vector, 1,  16, 2,  1, 1, i16,  i16,  i32},
    {"vfmadd231ph_zmm", x86_avx512, x86_vector, 1,  32, 1,  1, 1, f16,  f16,  f16},
    {"tdpbf16ps",       x86_amx,    x86_tile,   16, 16, 32, 1, 1, bf16, bf16, f32},
    {"tdpfp16ps",       x86_amx,    x86_tile,   16, 16, 32, 1, 1, f16,  f16,  f32},
    {"tdpbssd",         x86_amx,    x86_tile,   16, 16, 64, 1, 1, i8,   i8,   i32},
    {"tdpbsud",         x86_amx,    x86_tile,   16, 16, 64, 1, 1, i8,   u8,   i32},
    {"tdpbusd",         x86_amx,    x86_tile,   16, 16, 64, 1, 1, u8,   i8,   i32},
    {"tdpbuud",         x86_amx,    x86_tile,   16, 16, 64, 1, 1, u8,   u8,   i32},
};
// clang-format on

} // namespace tegula::detail::instruction_rows
