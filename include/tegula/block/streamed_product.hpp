#pragma once

#include <tegula/core/static_for.hpp>

namespace tegula {

/// acc += a b^T over `Slices` slices of k, b read from shared memory one slice ahead of its product.
///
///   Mma     a mma_tile
///   a_of    a_of(constant<s>) gives a_slice s
///   loader  of b, whose tile has arrived for all waves
TEGULA_CALLS_BACK
template <class Mma, int Slices, class SliceOfA, class Loader>
TEGULA_INLINE void streamed_product(typename Mma::accumulators& acc, const SliceOfA& a_of, const Loader& loader)
{
    const auto stream = loader.stream();
    auto next = stream.template read<0>();
    static_for<Slices>([&](auto s) {
        constexpr int ahead = decltype(s)::value + 1;
        const auto registers = next.registers;
        if constexpr (ahead < Slices)
            next = stream.template read<ahead* static_cast<int>(Mma::slice_k)>();
        typename Mma::b_slice slice;
        slice.registers = __builtin_bit_cast(decltype(slice.registers), registers);
        Mma::multiply(acc, a_of(s), slice);
        // Not more than one ahead: registers are short.
        Mma::target::scheduling_barrier();
    });
}

} // namespace tegula
