#pragma once

/// Runs warp-specialised kernels on the emulator with every check on.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

/// How C lies in memory: where tensor copies can address it, or by rows or columns that start anywhere, in any order.
enum class c_layout { tensor_copies, odd_rows };

/// The kernel of a tile that tests run for inputs of these orders.
template <class Tile, operand_order A, operand_order B, class C, c_layout Layout = c_layout::tensor_copies,
          work_partition Partition = work_partition::tiles>
using hopper_kernel =
    warp_specialized_gemm<Tile, A, B, C, typename test_epilogue<C>::type,
                          Layout == c_layout::tensor_copies ? output_store::tensor_copies : output_store::direct,
                          Partition>;

/// Matrix instructions of a product, wgmma one for each warpgroup that issues it: every step of k of every tile, those past
/// the edges in the clusters' tiles too.
template <class Kernel>
long hopper_instructions(const typename Kernel::product_type& p)
{
    using tile = typename Kernel::tile;
    const long tiles = static_cast<long>(Kernel::cluster_tiles_m(p)) * Kernel::cluster_tiles_n(p) * p.batch;
    const long steps = (p.k + tile::block_k - 1) / tile::block_k;
    if constexpr (requires { tile::left_rows; }) { // blocks that share k have a step each at least
        const long all = tile::k_shares > 1 && steps < tile::k_shares ? tile::k_shares : steps;
        return tiles * (tile::cluster_m * tile::cluster_n) * all * Kernel::operands::slices * tile::left_rows / 64;
    } else // tcgen05.mma: one for all blocks of the cluster
        return tiles * steps * Kernel::operands::slices;
}

template <class Kernel, class Data>
void check_hopper_run(Data& data, const typename Kernel::product_type& args)
{
    // Few multiprocessors: clusters go through several tiles each.
    const emulator::launch_result run = emulate(Kernel{}, arguments_for(Kernel{}, args), {}, 4);
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);
    CHECK(static_cast<long>(run.counters.mma_instructions) == hopper_instructions<Kernel>(args));
    const error_report error = data.verify();
    INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
    CHECK(error.passed);
    CHECK(data.c.surroundings_untouched());
}

template <class Kernel>
void check_hopper_case(const gemm_case& any)
{
    using data_type = gemm_data<typename Kernel::a_type, typename Kernel::c_type>;
    const gemm_case what = suited_case<Kernel>(any);
    INFO(what.text());
    data_type data(what);
    if constexpr (!Kernel::tensor_c) {
        data.c = {what.m, what.n, what.batch, what.c, padding::odd};
        data.c0 = data.c;
        if (what.beta != 0)
            (what.in_place ? data.c : data.c0).fill(3);
    }
    check_hopper_run<Kernel>(data, data.arguments());
}

template <class Kernel>
constexpr int ring_stages()
{
    if constexpr (requires { Kernel::tile::stages; })
        return Kernel::tile::stages;
    else
        return Kernel::stages;
}

/// Cases for a tile: pairs of sizes around its edges, orders, epilogues and batches.
template <class Kernel>
std::vector<gemm_case> hopper_cases(quarter part)
{
    using tile = typename Kernel::tile;
    using operands = typename Kernel::operands;
    const auto order = [](operand_order major) {
        return major == operand_order::k_contiguous ? operand_order::k_contiguous : operand_order::row_contiguous;
    };
    const operand_order left = order(operands::left_order), right = order(operands::right_order);
    const gemm_sizes sizes = {{1, tile::block_m - 3, tile::block_m * 2 + 5},
                              {8, tile::block_n + 9, tile::block_n * 2},
                              {16, tile::block_k * 2, tile::block_k * (ring_stages<Kernel>() + 1) - 13}};
    return tile::transposed ? aligned_gemm_cases(sizes, right, left, part)
                            : aligned_gemm_cases(sizes, left, right, part);
}

/// A part of the pairwise set, and a batch whose matrices A, or B, are all the same one.
template <class Kernel>
void check_hopper(quarter part = quarter::all)
{
    using enum memory_order;
    std::vector<gemm_case> cases = hopper_cases<Kernel>(part);
    CHECK(cases.size() >= 4);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if constexpr (!Kernel::tensor_c)
            cases[i].c = std::array{row_major, column_major, strided, backwards}[i % 4];
        check_hopper_case<Kernel>(cases[i]);
    }
    gemm_case one_matrix = suited_case<Kernel>(cases.front());
    one_matrix.batch = 2;
    for (const bool same_a : {true, false}) {
        INFO("one matrix " << (same_a ? "A" : "B"));
        gemm_data<typename Kernel::a_type, typename Kernel::c_type> data(one_matrix);
        (same_a ? data.a : data.b).where.batch_stride = 0;
        check_hopper_run<Kernel>(data, data.arguments());
    }
}

} // namespace tegula::test
