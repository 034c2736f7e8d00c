#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// out[token, :] = the sum of the k slots of the token, in their order: weighted results of a token's experts, which
/// other blocks wrote, added without atomic additions and the same from run to run.
///
///   Vector  columns that a lane adds at a time: 4 if columns, strides and addresses allow it, or 1. A narrower Out is
///           written in less than 16 bytes a lane: most of the bytes are float ones that are read, and of 8 columns a
///           lane would read those in two vectors, each of half a sector
template <class Target, class Out, int Vector>
struct moe_combine
{
    using target = Target;
    static constexpr int block_threads = Target::wave_size == 1 ? 1 : 256;
    static constexpr int vector = Vector;
    /// Vectors that a lane adds one after the other: of a CPU, as many as the threads of others do.
    static constexpr index_t vectors_of_lane = 256 / block_threads;

    struct arguments
    {
        long_index_t tokens = 0;
        long_index_t columns = 0;
        index_t k = 1;
        const float* parts = nullptr; ///< [tokens * k, columns], packed
        Out* out = nullptr;           ///< [tokens, columns]
        long_index_t out_stride = 0;  ///< from token to token
    };

    static constexpr TEGULA_HOST_DEVICE long_index_t blocks_of_row(const arguments& args)
    {
        return ceil_div(args.columns, block_threads * vectors_of_lane * Vector);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.tokens * blocks_of_row(args);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t of_row = static_cast<index_t>(blocks_of_row(args));
        const index_t block = target::block_id()[0];
        const index_t token = block / of_row;
        const index_t first = (block % of_row * block_threads + target::thread_id()) * vectors_of_lane * Vector;
        if constexpr (vectors_of_lane == 1) {
            add(args, token, first);
        } else {
            for (index_t v = 0; v < vectors_of_lane; ++v)
                add(args, token, first + v * Vector);
        }
    }

private:
    static TEGULA_INLINE void add(const arguments& args, index_t token, index_t column)
    {
        const bool mine = column < args.columns;
        const float* from = args.parts + static_cast<long_index_t>(token) * args.k * args.columns + column;
        array<float, Vector> sum{};
        TEGULA_ROLLED
        for (index_t i = 0; i < args.k; ++i) {
            const auto part = internal::read_vector<target, address_space::global, Vector>(from, mine);
            static_for<Vector>([&](auto j) { sum[j] += part[j]; });
            from += args.columns;
        }
        array<Out, Vector> rounded;
        static_for<Vector>([&](auto j) { rounded[j] = convert<Out>(sum[j]); });
        internal::write_vector<target, address_space::global, Vector>(args.out + token * args.out_stride + column,
                                                                      rounded, mine);
    }
};

} // namespace tegula
