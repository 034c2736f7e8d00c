#pragma once

#include "gemm_by_hand.hpp"

/// Tiles lie in shared memory row after row.
struct rows_as_they_come
{
    template <class Store, class Load, class T, class Target>
    struct of
    {
        static constexpr shared_layout_value layout{.rows = Store::x_length(0),
                                                    .columns = Store::x_length(1),
                                                    .pitch = Store::x_length(1),
                                                    .element_bits = 8 * sizeof(T)};
        using descriptor = shared_descriptor<of>;
        static constexpr index_t bytes = layout.element_space() * static_cast<index_t>(sizeof(T));
    };
};

/// Step 4: chunks of 16 bytes are swizzled so that there are no bank conflicts; the library finds the layout from who
/// writes and who reads.
struct swizzled
{
    template <class Store, class Load, class T, class Target>
    using of = make_shared_layout<Store, Load, T, Target>;
};

/// Step 2: the block copies a tile of A and of B to shared memory, 16 bytes a lane, rows whole; the waves read their
/// operands there. Memory is read once a block instead of once a wave, but with bank conflicts in shared memory.
template <class Layouts>
struct shared_gemm : gemm_by_hand
{
    static constexpr index_t block_k = 64;
    using in = coalesced<target, bfloat16, 128, block_k, 4>;
    using a_layout = typename Layouts::template of<in, mma::a_distribution, bfloat16, target>;
    using b_layout = typename Layouts::template of<in, mma::b_distribution, bfloat16, target>;
    static constexpr index_t shared_bytes = a_layout::bytes + b_layout::bytes;

    /// The two tiles in shared memory.
    static TEGULA_HOST_DEVICE auto a_tile()
    {
        auto* const memory = reinterpret_cast<bfloat16*>(target::shared_memory());
        return make_tensor_view<target, address_space::shared>(memory, typename a_layout::descriptor{}, "shared A");
    }
    static TEGULA_HOST_DEVICE auto b_tile()
    {
        auto* const memory = reinterpret_cast<bfloat16*>(target::shared_memory() + a_layout::bytes);
        return make_tensor_view<target, address_space::shared>(memory, typename b_layout::descriptor{}, "shared B");
    }
    /// acc += A B^T of the tiles in shared memory.
    static TEGULA_HOST_DEVICE void multiply_tiles(mma::accumulators& acc)
    {
        static_for<block_k / mma::slice_k>([&](auto slice) {
            constexpr index_t k = slice * mma::slice_k;
            mma::multiply(acc, load(make_tile_window<mma::a_distribution>(a_tile(), {0, k})),
                          load(make_tile_window<mma::b_distribution>(b_tile(), {0, k})));
        });
    }

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const auto at = corner();
        auto a = make_tile_window<in>(a_view(args), {at[0], 0});
        auto b = make_tile_window<in>(b_view(args), {at[1], 0});
        mma::accumulators acc;
        acc.clear();
        for (index_t k = 0; k < args.k; k += block_k) {
            store(make_tile_window<in>(a_tile(), {0, 0}), load(a));
            store(make_tile_window<in>(b_tile(), {0, 0}), load(b));
            target::block_barrier(); // the tiles are there
            multiply_tiles(acc);
            target::block_barrier(); // nobody reads them any more
            a.move(sequence<0, block_k>{});
            b.move(sequence<0, block_k>{});
        }
        store_result(args, acc, at);
    }
};
