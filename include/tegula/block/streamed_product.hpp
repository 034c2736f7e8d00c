#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/tensor/choose.hpp>

namespace tegula {

/// acc += a b^T over `Slices` slices of k, b read from shared memory in parts of a slice, one part ahead of its product.
///
///   Mma     a mma_tile
///   a_of    a_of(constant<s>) gives a_slice s
///   loader  b's loader, a sequence_loader whose tile has arrived for all waves
///   Crowded most registers of a part on NVIDIA if they are so scarce that reads must keep their order there, too;
///           0: reads are whole slices, in ptxas's order
TEGULA_CALLS_BACK
template <class Mma, int Slices, int Crowded = 0, class SliceOfA, class Loader>
    requires requires { typename Mma::b_slice; }
TEGULA_INLINE void streamed_product(typename Mma::accumulators& acc, const SliceOfA& a_of, const Loader& loader)
{
    // Parts have at most 16 registers: two of them fit next to what waits in others. ptxas orders the reads itself and
    // needs fewer registers if it is given whole slices; if they would spill, barriers of the warp hold its reads back.
    constexpr int registers = static_cast<int>(sizeof(typename Mma::b_slice) / 4);
    constexpr int most = Mma::target::vendor == vendor::amd ? 16 : Crowded > 0 ? Crowded : registers;
    constexpr int parts = power_of_two_divisor(Mma::iterations_n, registers > most ? registers / most : 1);
    constexpr int slice_k = static_cast<int>(Mma::slice_k);
    const auto stream = loader.stream();
    const auto read = [&](auto step) {
        constexpr int n = decltype(step)::value;
        return stream.template read<n / parts * slice_k, n % parts, parts>();
    };
    auto next = read(constant<0>{});
    typename Mma::a_slice a;
    static_for<Slices * parts>([&](auto step) {
        constexpr int now = decltype(step)::value;
        if constexpr (now % parts == 0)
            a = a_of(constant<now / parts>{});
        typename Mma::template b_part<now % parts, parts> b;
        b.registers = __builtin_bit_cast(decltype(b.registers), next);
        if constexpr (now + 1 < Slices * parts)
            next = read(constant<now + 1>{});
        Mma::multiply(acc, a, b);
        // At most one part ahead: registers are scarce.
        Mma::target::scheduling_barrier();
        if constexpr (Crowded > 0 && Mma::target::vendor == vendor::nvidia)
            Mma::target::wave_barrier();
    });
}

} // namespace tegula
