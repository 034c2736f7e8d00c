#pragma once

#include <tegula/mma/table/instruction.hpp>

namespace tegula {
namespace detail::instruction_rows {

using enum element_kind;
using enum gpu_arch;
using enum instruction_family;
using instruction_variant::bf6_bf6;
using instruction_variant::bf6_fp6;
using instruction_variant::bf8_bf8;
using instruction_variant::bf8_fp8;
using instruction_variant::fp4_fp4;
using instruction_variant::fp6_bf6;
using instruction_variant::fp6_fp6;
using instruction_variant::fp8_bf8;
using instruction_variant::fp8_fp8;
using instruction_variant::opsel_hi;

inline constexpr arch_set cdna1_2 = arch_set(gfx908) | gfx90a;
inline constexpr arch_set cdna3_4 = arch_set(gfx942) | gfx950;
inline constexpr arch_set rdna4 = arch_set(gfx1200) | gfx1201;

// clang-format off
inline constexpr instruction amd[] = {
    // name, architectures, family, m, n, k, blocks, wave, a, b, c [, input slot bits, variant]
    // MFMA of CDNA 1 and 2
    {"v_mfma_f32_32x32x2f32",       cdna1_2, mfma,       32, 32, 2,  1,  64, f32,        f32,        f32},
    {"v_mfma_f32_32x32x1f32",       cdna1_2, mfma,       32, 32, 1,  2,  64, f32,        f32,        f32},
    {"v_mfma_f32_16x16x4f32",       cdna1_2, mfma,       16, 16, 4,  1,  64, f32,        f32,        f32},
    {"v_mfma_f32_16x16x1f32",       cdna1_2, mfma,       16, 16, 1,  4,  64, f32,        f32,        f32},
    {"v_mfma_f32_4x4x1f32",         cdna1_2, mfma,       4,  4,  1,  16, 64, f32,        f32,        f32},
    {"v_mfma_f32_32x32x8f16",       cdna1_2, mfma,       32, 32, 8,  1,  64, f16,        f16,        f32},
    {"v_mfma_f32_32x32x4f16",       cdna1_2, mfma,       32, 32, 4,  2,  64, f16,        f16,        f32},
    {"v_mfma_f32_16x16x16f16",      cdna1_2, mfma,       16, 16, 16, 1,  64, f16,        f16,        f32},
    {"v_mfma_f32_16x16x4f16",       cdna1_2, mfma,       16, 16, 4,  4,  64, f16,        f16,        f32},
    {"v_mfma_f32_4x4x4f16",         cdna1_2, mfma,       4,  4,  4,  16, 64, f16,        f16,        f32},
    {"v_mfma_f32_32x32x4bf16",      cdna1_2, mfma,       32, 32, 4,  1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_32x32x2bf16",      cdna1_2, mfma,       32, 32, 2,  2,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x8bf16",      cdna1_2, mfma,       16, 16, 8,  1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x2bf16",      cdna1_2, mfma,       16, 16, 2,  4,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_4x4x2bf16",        cdna1_2, mfma,       4,  4,  2,  16, 64, bf16,       bf16,       f32},
    {"v_mfma_i32_32x32x8i8",        cdna1_2, mfma,       32, 32, 8,  1,  64, i8,         i8,         i32},
    {"v_mfma_i32_32x32x4i8",        cdna1_2, mfma,       32, 32, 4,  2,  64, i8,         i8,         i32},
    {"v_mfma_i32_16x16x16i8",       cdna1_2, mfma,       16, 16, 16, 1,  64, i8,         i8,         i32},
    {"v_mfma_i32_16x16x4i8",        cdna1_2, mfma,       16, 16, 4,  4,  64, i8,         i8,         i32},
    {"v_mfma_i32_4x4x4i8",          cdna1_2, mfma,       4,  4,  4,  16, 64, i8,         i8,         i32},
    // CDNA 2 only; _1k takes twice the k of the bf16 rows above
    {"v_mfma_f64_16x16x4f64",       gfx90a,  mfma,       16, 16, 4,  1,  64, f64,        f64,        f64},
    {"v_mfma_f64_4x4x4f64",         gfx90a,  mfma,       4,  4,  4,  4,  64, f64,        f64,        f64},
    {"v_mfma_f32_32x32x8bf16_1k",   gfx90a,  mfma,       32, 32, 8,  1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_32x32x4bf16_1k",   gfx90a,  mfma,       32, 32, 4,  2,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x16bf16_1k",  gfx90a,  mfma,       16, 16, 16, 1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x4bf16_1k",   gfx90a,  mfma,       16, 16, 4,  4,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_4x4x4bf16_1k",     gfx90a,  mfma,       4,  4,  4,  16, 64, bf16,       bf16,       f32},
    // MFMA of CDNA 3; CDNA 4 has them too, with OCP floats and without xf32
    {"v_mfma_f64_16x16x4_f64",      cdna3_4, mfma,       16, 16, 4,  1,  64, f64,        f64,        f64},
    {"v_mfma_f64_4x4x4_4b_f64",     cdna3_4, mfma,       4,  4,  4,  4,  64, f64,        f64,        f64},
    {"v_mfma_f32_32x32x2_f32",      cdna3_4, mfma,       32, 32, 2,  1,  64, f32,        f32,        f32},
    {"v_mfma_f32_32x32x1_2b_f32",   cdna3_4, mfma,       32, 32, 1,  2,  64, f32,        f32,        f32},
    {"v_mfma_f32_16x16x4_f32",      cdna3_4, mfma,       16, 16, 4,  1,  64, f32,        f32,        f32},
    {"v_mfma_f32_16x16x1_4b_f32",   cdna3_4, mfma,       16, 16, 1,  4,  64, f32,        f32,        f32},
    {"v_mfma_f32_4x4x1_16b_f32",    cdna3_4, mfma,       4,  4,  1,  16, 64, f32,        f32,        f32},
    {"v_mfma_f32_32x32x4_xf32",     gfx942,  mfma,       32, 32, 4,  1,  64, xf32,       xf32,       f32},
    {"v_mfma_f32_16x16x8_xf32",     gfx942,  mfma,       16, 16, 8,  1,  64, xf32,       xf32,       f32},
    {"v_mfma_f32_32x32x8_f16",      cdna3_4, mfma,       32, 32, 8,  1,  64, f16,        f16,        f32},
    {"v_mfma_f32_32x32x4_2b_f16",   cdna3_4, mfma,       32, 32, 4,  2,  64, f16,        f16,        f32},
    {"v_mfma_f32_16x16x16_f16",     cdna3_4, mfma,       16, 16, 16, 1,  64, f16,        f16,        f32},
    {"v_mfma_f32_16x16x4_4b_f16",   cdna3_4, mfma,       16, 16, 4,  4,  64, f16,        f16,        f32},
    {"v_mfma_f32_4x4x4_16b_f16",    cdna3_4, mfma,       4,  4,  4,  16, 64, f16,        f16,        f32},
    {"v_mfma_f32_32x32x8_bf16",     cdna3_4, mfma,       32, 32, 8,  1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_32x32x4_2b_bf16",  cdna3_4, mfma,       32, 32, 4,  2,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x16_bf16",    cdna3_4, mfma,       16, 16, 16, 1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x4_4b_bf16",  cdna3_4, mfma,       16, 16, 4,  4,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_4x4x4_16b_bf16",   cdna3_4, mfma,       4,  4,  4,  16, 64, bf16,       bf16,       f32},
    {"v_mfma_f32_32x32x16_fp8_fp8", gfx942,  mfma,       32, 32, 16, 1,  64, f8e4m3fnuz, f8e4m3fnuz, f32},
    {"v_mfma_f32_16x16x32_fp8_fp8", gfx942,  mfma,       16, 16, 32, 1,  64, f8e4m3fnuz, f8e4m3fnuz, f32},
    {"v_mfma_f32_32x32x16_fp8_bf8", gfx942,  mfma,       32, 32, 16, 1,  64, f8e4m3fnuz, f8e5m2fnuz, f32},
    {"v_mfma_f32_16x16x32_fp8_bf8", gfx942,  mfma,       16, 16, 32, 1,  64, f8e4m3fnuz, f8e5m2fnuz, f32},
    {"v_mfma_f32_32x32x16_bf8_fp8", gfx942,  mfma,       32, 32, 16, 1,  64, f8e5m2fnuz, f8e4m3fnuz, f32},
    {"v_mfma_f32_16x16x32_bf8_fp8", gfx942,  mfma,       16, 16, 32, 1,  64, f8e5m2fnuz, f8e4m3fnuz, f32},
    {"v_mfma_f32_32x32x16_bf8_bf8", gfx942,  mfma,       32, 32, 16, 1,  64, f8e5m2fnuz, f8e5m2fnuz, f32},
    {"v_mfma_f32_16x16x32_bf8_bf8", gfx942,  mfma,       16, 16, 32, 1,  64, f8e5m2fnuz, f8e5m2fnuz, f32},
    {"v_mfma_i32_32x32x16_i8",      cdna3_4, mfma,       32, 32, 16, 1,  64, i8,         i8,         i32},
    {"v_mfma_i32_32x32x4_2b_i8",    cdna3_4, mfma,       32, 32, 4,  2,  64, i8,         i8,         i32},
    {"v_mfma_i32_16x16x32_i8",      cdna3_4, mfma,       16, 16, 32, 1,  64, i8,         i8,         i32},
    {"v_mfma_i32_16x16x4_4b_i8",    cdna3_4, mfma,       16, 16, 4,  4,  64, i8,         i8,         i32},
    {"v_mfma_i32_4x4x4_16b_i8",     cdna3_4, mfma,       4,  4,  4,  16, 64, i8,         i8,         i32},
    {"v_mfma_f32_32x32x16_fp8_fp8", gfx950,  mfma,       32, 32, 16, 1,  64, f8e4m3,     f8e4m3,     f32},
    {"v_mfma_f32_16x16x32_fp8_fp8", gfx950,  mfma,       16, 16, 32, 1,  64, f8e4m3,     f8e4m3,     f32},
    {"v_mfma_f32_32x32x16_fp8_bf8", gfx950,  mfma,       32, 32, 16, 1,  64, f8e4m3,     f8e5m2,     f32},
    {"v_mfma_f32_16x16x32_fp8_bf8", gfx950,  mfma,       16, 16, 32, 1,  64, f8e4m3,     f8e5m2,     f32},
    {"v_mfma_f32_32x32x16_bf8_fp8", gfx950,  mfma,       32, 32, 16, 1,  64, f8e5m2,     f8e4m3,     f32},
    {"v_mfma_f32_16x16x32_bf8_fp8", gfx950,  mfma,       16, 16, 32, 1,  64, f8e5m2,     f8e4m3,     f32},
    {"v_mfma_f32_32x32x16_bf8_bf8", gfx950,  mfma,       32, 32, 16, 1,  64, f8e5m2,     f8e5m2,     f32},
    {"v_mfma_f32_16x16x32_bf8_bf8", gfx950,  mfma,       16, 16, 32, 1,  64, f8e5m2,     f8e5m2,     f32},
    // CDNA 4 only
    {"v_mfma_f32_32x32x16_f16",      gfx950,  mfma,       32, 32, 16, 1,  64, f16,        f16,        f32},
    {"v_mfma_f32_16x16x32_f16",      gfx950,  mfma,       16, 16, 32, 1,  64, f16,        f16,        f32},
    {"v_mfma_f32_32x32x16_bf16",     gfx950,  mfma,       32, 32, 16, 1,  64, bf16,       bf16,       f32},
    {"v_mfma_f32_16x16x32_bf16",     gfx950,  mfma,       16, 16, 32, 1,  64, bf16,       bf16,       f32},
    {"v_mfma_i32_32x32x32_i8",       gfx950,  mfma,       32, 32, 32, 1,  64, i8,         i8,         i32},
    {"v_mfma_i32_16x16x64_i8",       gfx950,  mfma,       16, 16, 64, 1,  64, i8,         i8,         i32},
    // One mnemonic for all small floats, the types chosen by its modifiers; pairs of one width
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f8e4m3,     f8e4m3,     f32, 0, fp8_fp8},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f8e4m3,     f8e4m3,     f32, 0, fp8_fp8},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f8e4m3,     f8e5m2,     f32, 0, fp8_bf8},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f8e4m3,     f8e5m2,     f32, 0, fp8_bf8},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f8e5m2,     f8e4m3,     f32, 0, bf8_fp8},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f8e5m2,     f8e4m3,     f32, 0, bf8_fp8},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f8e5m2,     f8e5m2,     f32, 0, bf8_bf8},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f8e5m2,     f8e5m2,     f32, 0, bf8_bf8},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f6e2m3,     f6e2m3,     f32, 0, fp6_fp6},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f6e2m3,     f6e2m3,     f32, 0, fp6_fp6},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f6e2m3,     f6e3m2,     f32, 0, fp6_bf6},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f6e2m3,     f6e3m2,     f32, 0, fp6_bf6},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f6e3m2,     f6e2m3,     f32, 0, bf6_fp6},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f6e3m2,     f6e2m3,     f32, 0, bf6_fp6},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f6e3m2,     f6e3m2,     f32, 0, bf6_bf6},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f6e3m2,     f6e3m2,     f32, 0, bf6_bf6},
    {"v_mfma_f32_32x32x64_f8f6f4",   gfx950,  mfma,       32, 32, 64, 1,  64, f4e2m1,     f4e2m1,     f32, 0, fp4_fp4},
    {"v_mfma_f32_16x16x128_f8f6f4", gfx950,  mfma,       16, 16, 128, 1,  64, f4e2m1,     f4e2m1,     f32, 0, fp4_fp4},
    // WMMA of RDNA 3
    {"v_wmma_f16_16x16x16_f16",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, f16,        f16,        f16},
    {"v_wmma_f16_16x16x16_f16",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, f16,        f16,        f16,  0, opsel_hi},
    {"v_wmma_f16_16x16x16_f16",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, f16,        f16,        f16},
    {"v_wmma_f16_16x16x16_f16",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, f16,        f16,        f16,  0, opsel_hi},
    {"v_wmma_f32_16x16x16_f16",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, f16,        f16,        f32},
    {"v_wmma_f32_16x16x16_f16",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, f16,        f16,        f32},
    {"v_wmma_bf16_16x16x16_bf16",   gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, bf16,       bf16,       bf16},
    {"v_wmma_bf16_16x16x16_bf16",   gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, bf16,       bf16,       bf16, 0, opsel_hi},
    {"v_wmma_bf16_16x16x16_bf16",   gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, bf16,       bf16,       bf16},
    {"v_wmma_bf16_16x16x16_bf16",   gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, bf16,       bf16,       bf16, 0, opsel_hi},
    {"v_wmma_f32_16x16x16_bf16",    gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, bf16,       bf16,       f32},
    {"v_wmma_f32_16x16x16_bf16",    gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, bf16,       bf16,       f32},
    {"v_wmma_i32_16x16x16_iu4",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, iu4,        iu4,        i32},
    {"v_wmma_i32_16x16x16_iu4",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, iu4,        iu4,        i32},
    {"v_wmma_i32_16x16x16_iu8",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  32, iu8,        iu8,        i32},
    {"v_wmma_i32_16x16x16_iu8",     gfx1100, wmma_gfx11, 16, 16, 16, 1,  64, iu8,        iu8,        i32},
    // WMMA of RDNA 4
    {"v_wmma_f16_16x16x16_f16",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, f16,        f16,        f16},
    {"v_wmma_f16_16x16x16_f16",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, f16,        f16,        f16},
    {"v_wmma_f32_16x16x16_f16",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, f16,        f16,        f32},
    {"v_wmma_f32_16x16x16_f16",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, f16,        f16,        f32},
    {"v_wmma_bf16_16x16x16_bf16",   rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, bf16,       bf16,       bf16},
    {"v_wmma_bf16_16x16x16_bf16",   rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, bf16,       bf16,       bf16},
    {"v_wmma_f32_16x16x16_bf16",    rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, bf16,       bf16,       f32},
    {"v_wmma_f32_16x16x16_bf16",    rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, bf16,       bf16,       f32},
    {"v_wmma_f32_16x16x16_fp8_fp8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, f8e4m3,     f8e4m3,     f32},
    {"v_wmma_f32_16x16x16_fp8_fp8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, f8e4m3,     f8e4m3,     f32},
    {"v_wmma_f32_16x16x16_fp8_bf8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, f8e4m3,     f8e5m2,     f32},
    {"v_wmma_f32_16x16x16_fp8_bf8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, f8e4m3,     f8e5m2,     f32},
    {"v_wmma_f32_16x16x16_bf8_fp8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, f8e5m2,     f8e4m3,     f32},
    {"v_wmma_f32_16x16x16_bf8_fp8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, f8e5m2,     f8e4m3,     f32},
    {"v_wmma_f32_16x16x16_bf8_bf8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, f8e5m2,     f8e5m2,     f32},
    {"v_wmma_f32_16x16x16_bf8_bf8", rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, f8e5m2,     f8e5m2,     f32},
    {"v_wmma_i32_16x16x32_iu4",     rdna4,   wmma_gfx12, 16, 16, 32, 1,  32, iu4,        iu4,        i32},
    {"v_wmma_i32_16x16x16_iu4",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, iu4,        iu4,        i32},
    {"v_wmma_i32_16x16x32_iu4",     rdna4,   wmma_gfx12, 16, 16, 32, 1,  64, iu4,        iu4,        i32},
    {"v_wmma_i32_16x16x16_iu4",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, iu4,        iu4,        i32},
    {"v_wmma_i32_16x16x16_iu8",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  32, iu8,        iu8,        i32},
    {"v_wmma_i32_16x16x16_iu8",     rdna4,   wmma_gfx12, 16, 16, 16, 1,  64, iu8,        iu8,        i32},
};
// clang-format on

} // namespace detail::instruction_rows
} // namespace tegula
