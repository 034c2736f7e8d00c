// Rows of the instruction table and the layouts they derive.

#include <tegula/layout/encoding.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/operand_layout.hpp>

namespace tegula {
namespace {

constexpr instruction row(gpu_arch arch, const char* name, int wave = 0) { return *find_instruction(arch, name, wave); }

constexpr bool exists(gpu_arch arch, const char* name)
{
    const instruction* found = find_instruction(arch, name);
    return found != nullptr;
}

// 32x32x8: two groups of k; C in runs of 4 rows, 8 rows apart, over the two halves of the wave.
constexpr instruction mfma = row(gpu_arch::gfx942, "v_mfma_f32_32x32x8_f16");
static_assert(a_encoding(mfma) ==
              tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                                         tuple<sequence<0, 0>>, sequence<2>, sequence<1>>::raw);
static_assert(c_encoding(mfma) ==
              tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 4>, sequence<32>>, tuple<sequence<1, 2>>,
                                         tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>::raw);
static_assert(make_operand_layout(mfma, operand::c).element(33, 5) == 13 * 32 + 1);

// Several blocks: the block is the first dimension, its own lanes hold each.
constexpr instruction blocks = row(gpu_arch::gfx90a, "v_mfma_f32_4x4x4f16");
static_assert(x_lengths(a_encoding(blocks)).size() == 3 && x_length(a_encoding(blocks), 0) == 16);

// gfx1100 repeats inputs in the lane groups; 16-bit results use half of each register.
static_assert(replication(a_encoding(row(gpu_arch::gfx1100, "v_wmma_f32_16x16x16_f16", 64))) == 4);
constexpr operand_layout low = make_operand_layout(row(gpu_arch::gfx1100, "v_wmma_f16_16x16x16_f16", 32), operand::c);
static_assert(low.slots == 16 && low.registers == 8 && low.element(16, 2) == 3 * 16 && low.element(16, 3) == -1);

// gfx1200, 4-bit k = 16 in wave64: lanes 32 to 63 hold nothing of A.
constexpr operand_layout narrow =
    make_operand_layout(row(gpu_arch::gfx1201, "v_wmma_i32_16x16x16_iu4", 64), operand::a);
static_assert(narrow.unused_slots == 256 && narrow.element(31, 0) == 15 * 16 + 8 && narrow.element(32, 0) == -1);

// gfx950: 8 consecutive k of 16-bit inputs a lane; 8-bit f8f6f4 has 16 in each half of k, narrower floats 32 in one
// run.
static_assert(make_operand_layout(row(gpu_arch::gfx950, "v_mfma_f32_16x16x32_bf16"), operand::a).element(17, 7) ==
              1 * 32 + 15);
constexpr operand_layout small_floats(instruction_variant v)
{
    return make_operand_layout(*find_instruction(gpu_arch::gfx950, "v_mfma_f32_16x16x128_f8f6f4", 64, v), operand::a);
}
static_assert(small_floats(instruction_variant::bf8_fp8).element(16, 15) == 31);
static_assert(small_floats(instruction_variant::bf8_fp8).element(16, 16) == 80);
static_assert(small_floats(instruction_variant::fp4_fp4).element(16, 16) == 48);
static_assert(small_floats(instruction_variant::fp6_bf6).registers == 6);
static_assert(!exists(gpu_arch::gfx950, "v_mfma_f32_16x16x8_xf32"));
static_assert(row(gpu_arch::gfx950, "v_mfma_f32_16x16x32_fp8_fp8").a == element_kind::f8e4m3);

// Warp instructions stay in later architectures; AMD's are named one by one.
static_assert(exists(gpu_arch::sm_90a, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
static_assert(!exists(gpu_arch::sm_75, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
static_assert(!exists(gpu_arch::gfx942, "v_mfma_f32_32x32x8f16"));

// A warpgroup's width is part of the name.
constexpr instruction wide = row(gpu_arch::sm_90a, "wgmma.mma_async.sync.aligned.m64n136k16.f32.bf16.bf16");
static_assert(wide.n == 136 && wide.wave == 128 && !in_registers(wide, operand::b));
static_assert(registers_per_lane(c_encoding(wide)) == 68);
static_assert(!exists(gpu_arch::sm_90a, "wgmma.mma_async.sync.aligned.m64n136k32.s32.s8.s8"));

// Matrix copies: one 8x8 matrix a register.
static_assert(make_copy_layout(row(gpu_arch::sm_75, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16")).element(5, 7) ==
              27 * 8 + 1);

} // namespace
} // namespace tegula
