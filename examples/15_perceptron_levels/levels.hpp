#pragma once

// The levels: what each of them is compiled as.

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx942;

inline constexpr long_index_t rows = 128, in = 128, out = 128;

// 1. Grid: a lane computes one element of Y, 256 neighbours along a row to a block, and reads all it needs itself.
struct one_element_a_lane
{
    using target = arch::gfx942;
    static constexpr int block_threads = 256;

    struct arguments
    {
        const bfloat16* x; // [rows, in]
        const bfloat16* w; // [in, out]
        bfloat16* y;       // [rows, out]
    };

    TEGULA_HOST_DEVICE void operator()(const arguments& a) const
    {
        const index_t element = target::block_id()[0] * block_threads + target::thread_id();
        const index_t row = element / static_cast<index_t>(out), column = element % static_cast<index_t>(out);
        float sum = 0;
        for (index_t k = 0; k < in; ++k)
            sum += static_cast<float>(target::load_global(a.x + row * in + k)) *
                   static_cast<float>(target::load_global(a.w + k * out + column));
        target::store_global(a.y + row * out + column, convert<bfloat16>(sum < 0 ? 0.0f : sum));
    }
};

// 2. Block: 16 x 16 of Y, still an element a lane; a block loads its part of X and of W to shared memory once.
using an_element = fma_atom<target, bfloat16, bfloat16, float, 1, 1>; // 8 x 8 a wave
using block_level = gemm_tile<target, an_element, 16, 16, 32, 2, 2>;
// 3. Lane: 4 x 4 of Y, so that what it reads from shared memory is used four times; 64 x 64 a block.
using a_patch = fma_atom<target, bfloat16, bfloat16, float, 4, 4>; // 32 x 32 a wave
using lane_level = gemm_tile<target, a_patch, 64, 64, 32, 2, 2>;
// 4. Instruction: a matrix instruction instead of multiply-adds; lanes of a wave share what each of them read.
using instruction_level = gemm_tile<target, default_atom<target, bfloat16>, 64, 64, 32, 2, 2>;
// 5. Wave: 64 x 64 of Y by several instructions, which share rows and columns; 128 x 128 a block.
using wave_level = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 32, 2, 2>;

// From the second level on it is the library's kernel: rows of X along k, rows of W along n, relu before Y is stored.
template <class Tile>
using perceptron = gemm_kernel<Tile, operand_order::k_contiguous, operand_order::row_contiguous, bfloat16,
                               epilogue::chain<epilogue::activate>, output_access::vectors>;
