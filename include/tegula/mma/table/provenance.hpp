#pragma once

#include <tegula/mma/table/instruction.hpp>

/// Where a row comes from: which compiler builds its instruction, and what its layouts were checked against.

namespace tegula {

namespace detail::unconfirmed {

using enum instruction_family;

struct row_key
{
    instruction_family family;
    int wave;
    instruction_variant variant;
    const char* name;
};

// clang-format off
inline constexpr row_key rows[] = {
    {mfma, 64, instruction_variant::none, "v_mfma_f32_16x16x2bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x2bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x2f32"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x4bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x4f16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x8f16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_4x4x2bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_16x16x16i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_16x16x4i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_32x32x4i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_32x32x8i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x4bf16_1k"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x8bf16_1k"},
    {mfma, 64, instruction_variant::none, "v_mfma_f64_4x4x4f64"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_16x16x8_xf32"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x2_f32"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x4_2b_bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x4_2b_f16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x8_bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x8_f16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f64_4x4x4_4b_f64"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_16x16x4_4b_i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_32x32x4_2b_i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x16_f16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_16x16x32_f16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_32x32x16_bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_f32_16x16x32_bf16"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_32x32x32_i8"},
    {mfma, 64, instruction_variant::none, "v_mfma_i32_16x16x64_i8"},
    {mfma, 64, instruction_variant::fp8_fp8, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::fp8_fp8, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::fp8_bf8, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::fp8_bf8, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::bf8_fp8, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::bf8_fp8, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::bf8_bf8, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::bf8_bf8, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::fp6_fp6, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::fp6_fp6, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::fp6_bf6, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::fp6_bf6, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::bf6_fp6, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::bf6_fp6, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::bf6_bf6, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::bf6_bf6, "v_mfma_f32_16x16x128_f8f6f4"},
    {mfma, 64, instruction_variant::fp4_fp4, "v_mfma_f32_32x32x64_f8f6f4"},
    {mfma, 64, instruction_variant::fp4_fp4, "v_mfma_f32_16x16x128_f8f6f4"},
    {wmma_gfx11, 32, instruction_variant::opsel_hi, "v_wmma_bf16_16x16x16_bf16"},
    {wmma_gfx11, 32, instruction_variant::opsel_hi, "v_wmma_f16_16x16x16_f16"},
    {wmma_gfx11, 64, instruction_variant::none, "v_wmma_i32_16x16x16_iu4"},
    {wmma_gfx11, 32, instruction_variant::none, "v_wmma_i32_16x16x16_iu8"},
    {wmma_gfx12, 32, instruction_variant::none, "v_wmma_bf16_16x16x16_bf16"},
    {wmma_gfx12, 32, instruction_variant::none, "v_wmma_f16_16x16x16_f16"},
    {wmma_gfx12, 64, instruction_variant::none, "v_wmma_f32_16x16x16_bf8_bf8"},
    {wmma_gfx12, 64, instruction_variant::none, "v_wmma_f32_16x16x16_bf8_fp8"},
    {wmma_gfx12, 64, instruction_variant::none, "v_wmma_f32_16x16x16_fp8_bf8"},
    {wmma_gfx12, 64, instruction_variant::none, "v_wmma_f32_16x16x16_fp8_fp8"},
    {wmma_gfx12, 64, instruction_variant::none, "v_wmma_i32_16x16x16_iu4"},
    {wmma_gfx12, 64, instruction_variant::none, "v_wmma_i32_16x16x16_iu8"},
    {wmma_gfx12, 32, instruction_variant::none, "v_wmma_i32_16x16x32_iu4"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16"},
    {mma_sync, 32, instruction_variant::none, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64"},
};
// clang-format on

} // namespace detail::unconfirmed

/// Whether golden data confirms the row's layouts: a record of its own, or one of another row whose layouts are the
/// same by the table's integers. The others follow by the rule of their family alone.
constexpr bool confirmed_by_golden(const instruction& i)
{
    for (const detail::unconfirmed::row_key& row : detail::unconfirmed::rows)
        if (i.family == row.family && i.wave == row.wave && i.variant == row.variant && has_name(i, row.name))
            return false;
    return true;
}

/// A compiler release that builds the architecture's instructions: clang's AMDGPU back end, or nvcc. Earlier ones may.
constexpr const char* compiler_of(gpu_arch a)
{
    return !is_amd(a) ? "nvcc 13" : a == gpu_arch::gfx950 ? "clang 20" : "clang 19";
}

} // namespace tegula
