#pragma once

#include <tegula/mma/table/instruction.hpp>

namespace tegula {
namespace detail::instruction_rows {

using enum element_kind;
using enum gpu_arch;
using enum instruction_family;

inline constexpr instruction_variant no_variant = instruction_variant::none;
inline constexpr element_kind b16 = f16; // copies move 16-bit elements of any type
inline constexpr arch_set sm_75_80 = arch_set(sm_75) | sm_80;

// clang-format off
inline constexpr instruction nvidia[] = {
    // name, architectures, family, m, n, k, blocks, wave, a, b, c [, input slot bits, variant, transposes, block
    // scaled] Warp-level mma
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",                                                   sm_75_80, mma_sync, 16, 8, 8,   1, 32, f16,    f16,    f16},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",                                                   sm_75_80, mma_sync, 16, 8, 8,   1, 32, f16,    f16,    f32},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",                                                     sm_75_80, mma_sync, 8,  8, 16,  1, 32, i8,     i8,     i32},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",                                                    sm_80,    mma_sync, 8,  8, 4,   1, 32, f64,    f64,    f64},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",                                                 sm_80,    mma_sync, 16, 8, 8,   1, 32, tf32,   tf32,   f32},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",                                                 sm_80,    mma_sync, 16, 8, 4,   1, 32, tf32,   tf32,   f32},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",                                                  sm_80,    mma_sync, 16, 8, 16,  1, 32, f16,    f16,    f16},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",                                                  sm_80,    mma_sync, 16, 8, 16,  1, 32, f16,    f16,    f32},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",                                                sm_80,    mma_sync, 16, 8, 16,  1, 32, bf16,   bf16,   f32},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",                                                 sm_80,    mma_sync, 16, 8, 8,   1, 32, bf16,   bf16,   f32},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",                                          sm_80,    mma_sync, 16, 8, 256, 1, 32, b1,     b1,     i32},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",                                          sm_80,    mma_sync, 16, 8, 256, 1, 32, b1,     b1,     i32},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc",                                           sm_80,    mma_sync, 8,  8, 128, 1, 32, b1,     b1,     i32},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",                                           sm_80,    mma_sync, 8,  8, 128, 1, 32, b1,     b1,     i32},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",                                                    sm_80,    mma_sync, 16, 8, 64,  1, 32, i4,     i4,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, i4,     i4,     i32},
    {"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32",                                                     sm_80,    mma_sync, 8,  8, 32,  1, 32, i4,     i4,     i32},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32",                                                    sm_80,    mma_sync, 16, 8, 64,  1, 32, i4,     u4,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, i4,     u4,     i32},
    {"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32",                                                     sm_80,    mma_sync, 8,  8, 32,  1, 32, i4,     u4,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, i8,     i8,     i32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32",                                                    sm_80,    mma_sync, 16, 8, 16,  1, 32, i8,     i8,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, i8,     u8,     i32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32",                                                    sm_80,    mma_sync, 16, 8, 16,  1, 32, i8,     u8,     i32},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32",                                                     sm_80,    mma_sync, 8,  8, 16,  1, 32, i8,     u8,     i32},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32",                                                    sm_80,    mma_sync, 16, 8, 64,  1, 32, u4,     i4,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, u4,     i4,     i32},
    {"mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32",                                                     sm_80,    mma_sync, 8,  8, 32,  1, 32, u4,     i4,     i32},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32",                                                    sm_80,    mma_sync, 16, 8, 64,  1, 32, u4,     u4,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, u4,     u4,     i32},
    {"mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32",                                                     sm_80,    mma_sync, 8,  8, 32,  1, 32, u4,     u4,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, u8,     i8,     i32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32",                                                    sm_80,    mma_sync, 16, 8, 16,  1, 32, u8,     i8,     i32},
    {"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32",                                                     sm_80,    mma_sync, 8,  8, 16,  1, 32, u8,     i8,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32",                                                    sm_80,    mma_sync, 16, 8, 32,  1, 32, u8,     u8,     i32},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32",                                                    sm_80,    mma_sync, 16, 8, 16,  1, 32, u8,     u8,     i32},
    {"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32",                                                     sm_80,    mma_sync, 8,  8, 16,  1, 32, u8,     u8,     i32},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e4m3, f16},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e4m3, f32},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e5m2, f16},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e5m2, f32},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e4m3, f16},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e4m3, f32},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e5m2, f16},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32",                                                sm_89,    mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e5m2, f32},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",                                                  sm_90,    mma_sync, 16, 8, 16,  1, 32, f64,    f64,    f64},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",                                                   sm_90,    mma_sync, 16, 8, 8,   1, 32, f64,    f64,    f64},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",                                                   sm_90,    mma_sync, 16, 8, 4,   1, 32, f64,    f64,    f64},
    // Small floats; f8f6f4 keeps every element in a byte
    {"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e2m1.f32",                                   sm_120a,  mma_sync, 16, 8, 32,  1, 32, f4e2m1, f4e2m1, f32, 8},
    {"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m3.e2m3.f32",                                   sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e2m3, f6e2m3, f32, 8},
    {"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e3m2.f32",                                   sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e3m2, f6e3m2, f32, 8},
    {"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e4m3.f32",                                   sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e4m3, f32, 8},
    {"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e5m2.e5m2.f32",                                   sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e5m2, f32, 8},
    // With a scale for each block along k of a row of A and a column of B: 1, 2 or 4 scales of a row per instruction
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e4m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e5m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e4m3, f8e5m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e2m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e4m3, f6e2m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e3m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e4m3, f6e3m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e2m1.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e4m3, f4e2m1, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e4m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e4m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e5m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e5m2, f8e5m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e2m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e5m2, f6e2m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e3m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e5m2, f6e3m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e2m1.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f8e5m2, f4e2m1, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m3.e4m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e2m3, f8e4m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m3.e5m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e2m3, f8e5m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m3.e2m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e2m3, f6e2m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m3.e3m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e2m3, f6e3m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m3.e2m1.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e2m3, f4e2m1, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e3m2.e4m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e3m2, f8e4m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e3m2.e5m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e3m2, f8e5m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e3m2.e2m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e3m2, f6e2m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e3m2.e3m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e3m2, f6e3m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e3m2.e2m1.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f6e3m2, f4e2m1, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e4m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f4e2m1, f8e4m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e5m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f4e2m1, f8e5m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e2m3.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f4e2m1, f6e2m3, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e3m2.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f4e2m1, f6e3m2, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e2m1.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 32,  1, 32, f4e2m1, f4e2m1, f32, 8, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",     sm_120a,  mma_sync, 16, 8, 64,  1, 32, f4e2m1, f4e2m1, f32, 0, no_variant, false, true},
    {"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3",     sm_120a,  mma_sync, 16, 8, 64,  1, 32, f4e2m1, f4e2m1, f32, 0, no_variant, false, true},
    // Copies of 8x8 matrices
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16",       sm_75, matrix_copy,  8, 8, 0, 1, 32, none, none, b16, 0, no_variant, false},
    {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", sm_75, matrix_copy,  8, 8, 0, 1, 32, none, none, b16, 0, no_variant, true},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16",       sm_75, matrix_copy, 16, 8, 0, 1, 32, none, none, b16, 0, no_variant, false},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", sm_75, matrix_copy, 16, 8, 0, 1, 32, none, none, b16, 0, no_variant, true},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16",       sm_75, matrix_copy, 32, 8, 0, 1, 32, none, none, b16, 0, no_variant, false},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", sm_75, matrix_copy, 32, 8, 0, 1, 32, none, none, b16, 0, no_variant, true},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16",       sm_90, matrix_copy,  8, 8, 0, 1, 32, none, none, b16, 0, no_variant, false},
    {"stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", sm_90, matrix_copy,  8, 8, 0, 1, 32, none, none, b16, 0, no_variant, true},
    {"stmatrix.sync.aligned.m8n8.x2.shared.b16",       sm_90, matrix_copy, 16, 8, 0, 1, 32, none, none, b16, 0, no_variant, false},
    {"stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", sm_90, matrix_copy, 16, 8, 0, 1, 32, none, none, b16, 0, no_variant, true},
    {"stmatrix.sync.aligned.m8n8.x4.shared.b16",       sm_90, matrix_copy, 32, 8, 0, 1, 32, none, none, b16, 0, no_variant, false},
    {"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", sm_90, matrix_copy, 32, 8, 0, 1, 32, none, none, b16, 0, no_variant, true},
};

/// Warpgroup forms; each exists for the values of n that has_wgmma_n() names.
inline constexpr instruction wgmma_forms[] = {
    {"wgmma.mma_async.sync.aligned.m64n#k8.f32.tf32.tf32",   sm_90a, wgmma, 64, 0, 8,  1, 128, tf32,   tf32,   f32},
    {"wgmma.mma_async.sync.aligned.m64n#k16.f16.f16.f16",    sm_90a, wgmma, 64, 0, 16, 1, 128, f16,    f16,    f16},
    {"wgmma.mma_async.sync.aligned.m64n#k16.f32.f16.f16",    sm_90a, wgmma, 64, 0, 16, 1, 128, f16,    f16,    f32},
    {"wgmma.mma_async.sync.aligned.m64n#k16.f32.bf16.bf16",  sm_90a, wgmma, 64, 0, 16, 1, 128, bf16,   bf16,   f32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f16.e4m3.e4m3",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e4m3, f8e4m3, f16},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f16.e4m3.e5m2",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e4m3, f8e5m2, f16},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f16.e5m2.e4m3",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e5m2, f8e4m3, f16},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f16.e5m2.e5m2",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e5m2, f8e5m2, f16},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f32.e4m3.e4m3",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e4m3, f8e4m3, f32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f32.e4m3.e5m2",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e4m3, f8e5m2, f32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f32.e5m2.e4m3",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e5m2, f8e4m3, f32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.f32.e5m2.e5m2",  sm_90a, wgmma, 64, 0, 32, 1, 128, f8e5m2, f8e5m2, f32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.s32.s8.s8",      sm_90a, wgmma, 64, 0, 32, 1, 128, i8,     i8,     i32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.s32.s8.u8",      sm_90a, wgmma, 64, 0, 32, 1, 128, i8,     u8,     i32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.s32.u8.s8",      sm_90a, wgmma, 64, 0, 32, 1, 128, u8,     i8,     i32},
    {"wgmma.mma_async.sync.aligned.m64n#k32.s32.u8.u8",      sm_90a, wgmma, 64, 0, 32, 1, 128, u8,     u8,     i32},
};
// clang-format on

/// Widths of a wgmma: multiples of 8 up to 256; integers: 8, 24 and the multiples of 16.
constexpr bool has_wgmma_n(const instruction& form, int n)
{
    if (n < 8 || n > 256 || n % 8 != 0)
        return false;
    return form.c != i32 || n % 16 == 0 || n == 8 || n == 24;
}

} // namespace detail::instruction_rows
} // namespace tegula
