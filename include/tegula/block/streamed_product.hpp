#pragma once

#include <tegula/block/product_streams.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/tensor/choose.hpp>

namespace tegula {

namespace detail {

/// Calls multiply(constant<step>, slice of a, part of b) for the parts of all slices of k. Parts are read some steps ahead.
///
///   InOrder  whether reads keep their order on NVIDIA, too
TEGULA_CALLS_BACK
template <class Mma, int Slices, int Parts, bool InOrder, class SliceOfA, class Loader, class Multiply>
TEGULA_INLINE void stream_parts(const SliceOfA& a_of, const Loader& loader, const Multiply& multiply)
{
    using target = typename Mma::target;
    constexpr int ahead = target::vendor == vendor::amd && target::wave_size == 64 ? 2 : 1;
    typename Mma::a_slice a;
    const auto take_slice = [&](auto step) {
        if constexpr (step % Parts == 0)
            a = a_of(constant<step / Parts>{});
    };
    const auto multiply_step = [&](auto step, const auto& read) {
        multiply(step, a, read);
        if constexpr (InOrder && target::vendor == vendor::nvidia)
            target::wave_barrier();
    };
    run_product_streams<target>(
        make_tasks_stream<Slices * Parts>(take_slice),
        make_product_stream<Slices * Parts, ahead>(part_reader<Mma, Parts>(loader.stream()), multiply_step));
}

} // namespace detail

/// acc += a b^T over `Slices` slices of k, b read from shared memory in parts of a slice, some parts ahead of their products.
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
    // Parts have at most 16 registers: two of them fit next to what waits in others, on CDNA three. ptxas orders the reads
    // itself and needs fewer registers if it is given whole slices; if they would spill, barriers of the warp hold its
    // reads back.
    constexpr int registers = static_cast<int>(sizeof(typename Mma::b_slice) / 4);
    constexpr int most = Mma::target::vendor == vendor::amd ? 16 : Crowded > 0 ? Crowded : registers;
    constexpr int parts = power_of_two_divisor(Mma::iterations_n, registers > most ? registers / most : 1);
    detail::stream_parts<Mma, Slices, parts, (Crowded > 0)>(a_of, loader, [&](auto step, const auto& a, const auto& b) {
        multiply_part<Mma, decltype(step)::value, parts>(acc, a, b);
    });
}

/// acc += factor * a b^T like streamed_product(), but the sums of each slice of k are apart.
TEGULA_CALLS_BACK
template <class Mma, int Slices, int Crowded = 0, class SliceOfA, class Loader>
TEGULA_INLINE void add_streamed_product(typename Mma::accumulators& acc, const SliceOfA& a_of, const Loader& loader,
                                        float factor)
{
    constexpr int parts = Mma::iterations_n / 2;
    constexpr bool in_order = Crowded > 0;
    detail::stream_parts<Mma, Slices, parts, false>(a_of, loader, [&](auto step, const auto& a, const auto& b) {
        add_part<Mma, decltype(step)::value, parts, in_order>(acc, a, b, factor);
    });
}

} // namespace tegula
