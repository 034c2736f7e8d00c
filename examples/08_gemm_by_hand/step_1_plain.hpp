#pragma once

#include "gemm_by_hand.hpp"

/// Step 1: a wave reads the operands of its instructions straight from memory. Lanes read 16 bytes of a row each, rows
/// far apart; waves of one row of the block read the same A, those of one column the same B.
struct plain_gemm : gemm_by_hand
{
    static constexpr index_t shared_bytes = 0;

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const auto at = corner();
        auto a = make_tile_window<mma::a_distribution>(a_view(args), {at[0], 0}); // [128, 32] of A
        auto b = make_tile_window<mma::b_distribution>(b_view(args), {at[1], 0}); // [128, 32] of B
        mma::accumulators acc;
        acc.clear();
        for (index_t k = 0; k < args.k; k += mma::slice_k) {
            mma::multiply(acc, load(a), load(b));
            a.move(sequence<0, mma::slice_k>{});
            b.move(sequence<0, mma::slice_k>{});
        }
        store_result(args, acc, at);
    }
};
