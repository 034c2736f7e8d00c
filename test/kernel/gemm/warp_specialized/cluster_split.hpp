#pragma once

#include "test/kernel/gemm/forms/partitions.hpp"

namespace tegula::test {

constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <class T>
using tiles = warp_specialized_tiles<arch::sm_90a, T>;

template <class Tile, int Shares, class C, c_layout Layout = c_layout::tensor_copies, operand_order A = k,
          operand_order B = k>
using split = hopper_kernel<cluster_split_tile<Tile, Shares>, A, B, C, Layout>;

/// Runs that differ in the order of waves and blocks give the same bits.
template <class Kernel>
void check_same_bits()
{
    using data_type = gemm_data<typename Kernel::a_type, typename Kernel::c_type>;
    data_type first(case_of(140, 264, 520, 1));
    for (int order = 0; order < 4; ++order) {
        data_type again(case_of(140, 264, 520, 1));
        emulator::run_config config;
        config.order = order;
        config.cpu_threads = 1 + order % 2;
        const auto run = emulate(Kernel{}, arguments_for(Kernel{}, again.arguments()), config, 4);
        INFO(run.report << run.status.message());
        REQUIRE(run.status.ok());
        CHECK(again.verify().passed);
        if (order == 0)
            first.c = again.c;
        else
            CHECK(std::memcmp(first.c.values.data(), again.c.values.data(),
                              first.c.values.size() * sizeof(first.c.values[0])) == 0);
    }
}

} // namespace tegula::test

using namespace tegula;
using namespace tegula::test;
