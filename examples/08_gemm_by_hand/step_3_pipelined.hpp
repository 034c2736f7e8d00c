#pragma once

#include "step_2_shared.hpp"

/// Step 3: the next tiles are on their way from memory to registers while the current ones are multiplied. A lane holds
/// them in registers; the loads have the time of a whole step to arrive.
template <class Layouts>
struct pipelined_gemm : shared_gemm<Layouts>
{
    using base = shared_gemm<Layouts>;
    using typename base::arguments;
    using typename base::in;
    using typename base::mma;
    using typename base::target;

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const auto at = base::corner();
        auto a = make_tile_window<in>(base::a_view(args), {at[0], 0});
        auto b = make_tile_window<in>(base::b_view(args), {at[1], 0});
        typename mma::accumulators acc;
        acc.clear();
        auto next_a = load(a), next_b = load(b);
        for (index_t k = 0; k < args.k; k += base::block_k) {
            store(make_tile_window<in>(base::a_tile(), {0, 0}), next_a);
            store(make_tile_window<in>(base::b_tile(), {0, 0}), next_b);
            target::block_barrier();
            a.move(sequence<0, base::block_k>{});
            b.move(sequence<0, base::block_k>{});
            next_a = load(a); // past the end of k: zeros, and nothing is touched
            next_b = load(b);
            base::multiply_tiles(acc);
            target::block_barrier();
        }
        base::store_result(args, acc, at);
    }
};
