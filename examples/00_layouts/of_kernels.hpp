#pragma once

// Three encodings that kernels need.

#include "small.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/core/half.hpp>
#include <tegula/drawing/analysis.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/operand_layout.hpp>

// 64 x 64 floats by 4 waves of 64 lanes. 16 lanes take a row in 16-byte pieces, 4 rows a wave at once.
using coalesced_load = tile_distribution_encoding<sequence<>, tuple<sequence<4, 4, 4>, sequence<16, 4>>,
                                                  tuple<sequence<1>, sequence<1, 2>>,
                                                  tuple<sequence<1>, sequence<2, 0>>, sequence<1, 2>, sequence<0, 1>>;
static_assert(coverage<coalesced_load, float>.lanes == 256);
static_assert(coverage<coalesced_load, float>.registers == 16);
static_assert(coalescing<coalesced_load, float>.access_bytes == 16);
static_assert(coalescing<coalesced_load, float>.is_perfect());

// A of v_mfma_f32_32x32x8_f16, 32 x 8: lane l holds row l % 32, and of the columns 4 * (l / 32) to 4 * (l / 32) + 3.
using mfma_operand = tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                                                tuple<sequence<0, 0>>, sequence<2>, sequence<1>>;
static_assert(element_at(mfma_operand::value, {37}, {3}) == long_indices{5, 7});
static_assert(mfma_operand::value ==
              make_operand_layout(*find_instruction(gpu_arch::gfx942, "v_mfma_f32_32x32x8_f16"), operand::a).encoding);

// A row of 32 values that each of the two rows of lanes of that product needs: lanes l and l + 32 hold value l.
using replicated_row = tile_distribution_encoding<sequence<2>, tuple<sequence<32>>, tuple<sequence<0, 1>>,
                                                  tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(coverage<replicated_row, float>.replication == 2);
static_assert(holder_of(replicated_row::value, {5}, 1).p == long_indices{37});
// It is what is left of the operand when its columns are summed: the lanes that held parts hold the same sum.
static_assert(reduce_encoding<mfma_operand, 1>::value ==
              tile_distribution_encoding<sequence<2>, tuple<sequence<32>>, tuple<sequence<0, 1>>, tuple<sequence<0, 0>>,
                                         sequence<>, sequence<>>::value);
