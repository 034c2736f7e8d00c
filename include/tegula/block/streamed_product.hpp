#pragma once

#include <tegula/block/product_streams.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/tensor/choose.hpp>

namespace tegula {

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
    using target = typename Mma::target;
    // Parts have at most 16 registers: two of them fit next to what waits in others, on CDNA three. ptxas orders the reads
    // itself and needs fewer registers if it is given whole slices; if they would spill, barriers of the warp hold its
    // reads back.
    constexpr int registers = static_cast<int>(sizeof(typename Mma::b_slice) / 4);
    constexpr int most = target::vendor == vendor::amd ? 16 : Crowded > 0 ? Crowded : registers;
    constexpr int parts = power_of_two_divisor(Mma::iterations_n, registers > most ? registers / most : 1);
    constexpr int ahead = target::vendor == vendor::amd && target::wave_size == 64 ? 2 : 1;
    typename Mma::a_slice a;
    run_product_streams<target>(make_tasks_stream<Slices * parts>([&](auto step) {
                                    if constexpr (step % parts == 0)
                                        a = a_of(constant<step / parts>{});
                                }),
                                make_product_stream<Slices * parts, ahead>(
                                    part_reader<Mma, parts>(loader.stream()), [&](auto step, const auto& read) {
                                        multiply_part<Mma, decltype(step)::value, parts>(acc, a, read);
                                        if constexpr (Crowded > 0 && target::vendor == vendor::nvidia)
                                            target::wave_barrier();
                                    }));
}

} // namespace tegula
