#pragma once

#include <tegula/gemm.hpp>
#include <tegula/tensor.hpp>

using namespace tegula;

/// The base of the four steps: C = A B^T in bfloat16, A [m, k] and B [n, k] row-major, C [m, n] in float. A block computes
/// 128 x 128 of C with 2 x 2 waves. k is a multiple of 8, so that vectors of 16 bytes reach every row.
struct gemm_by_hand
{
    using target = arch::gfx942;
    using mma = mma_tile<target, default_atom<target, bfloat16>, 128, 128, 2, 2>;
    static constexpr int block_threads = mma::block_threads;

    struct arguments
    {
        const bfloat16* a;
        const bfloat16* b;
        float* c;
        index_t m, n, k;
    };

    template <class T>
    static TEGULA_HOST_DEVICE auto view(T* data, index_t rows, index_t columns, const char* name)
    {
        constexpr index_t promise = 16 / static_cast<index_t>(sizeof(T));
        const auto layout =
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, constant<1>{}), constant<promise>{});
        return make_tensor_view<target, address_space::global>(data, layout, name);
    }
    static TEGULA_HOST_DEVICE auto a_view(const arguments& args) { return view(args.a, args.m, args.k, "A"); }
    static TEGULA_HOST_DEVICE auto b_view(const arguments& args) { return view(args.b, args.n, args.k, "B"); }

    /// Where the block's tile of C begins.
    static TEGULA_HOST_DEVICE multi_index<2> corner()
    {
        const auto block = target::block_id();
        return {block[1] * mma::block_m, block[0] * mma::block_n};
    }

    /// The accumulators to C, a strip of rows at a time.
    static TEGULA_HOST_DEVICE void store_result(const arguments& args, const mma::accumulators& acc, multi_index<2> at)
    {
        const auto c = view(args.c, args.m, args.n, "C");
        static_for<mma::iterations_m>([&](auto i) {
            store(make_tile_window<mma::strip_distribution>(c, {at[0] + i * mma::strip_rows, at[1]}),
                  acc.template strip<i>());
        });
    }
};
