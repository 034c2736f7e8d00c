#pragma once

#include <tegula/core/static_for.hpp>

namespace tegula {

/// acc += a b^T over `Slices` slices of k, b read from shared memory one slice ahead of its product.
///
///   Mma     a mma_tile
///   a_of    a_of(constant<s>) gives a_slice s; called for a slice as late as possible
///   loader  of b, whose tile has arrived for all waves
TEGULA_CALLS_BACK
template <class Mma, int Slices, class SliceOfA, class Loader>
TEGULA_INLINE void streamed_product(typename Mma::accumulators& acc, const SliceOfA& a_of, const Loader& loader)
{
    auto b = loader.template read<0>(0);
    static_for<Slices>([&](auto s) {
        constexpr int slice = decltype(s)::value;
        const auto now = b.registers;
        if constexpr (slice + 1 < Slices)
            b = loader.template read<(slice + 1) * static_cast<int>(Mma::slice_k)>(0);
        typename Mma::b_slice slice_of_b;
        slice_of_b.registers = __builtin_bit_cast(decltype(slice_of_b.registers), now);
        Mma::multiply(acc, a_of(s), slice_of_b);
    });
}

} // namespace tegula
