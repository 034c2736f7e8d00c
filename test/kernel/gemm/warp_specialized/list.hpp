#pragma once

/// Runs lists of products by tensor maps in memory, of sm_90a and of sm_100a, on the emulator with every check on.

#include <tegula/host/product_list.hpp>

#include "test/kernel/gemm/forms/grouped_harness.hpp"
#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

#include <string_view>

namespace tegula::test {

/// The kernel of a tile for lists of products whose operands have these orders.
template <class Tile, operand_order A, operand_order B, class C, output_store Store = output_store::tensor_copies>
using listed_hopper_kernel =
    warp_specialized_gemm<Tile, A, B, C, typename test_epilogue<C>::type, Store, work_partition::list>;

/// Runs the cases as one list, products of nothing and of no k among them, on few multiprocessors.
template <class Kernel>
void check_mapped_list(const std::vector<gemm_case>& cases, int multiprocessors = 4)
{
    std::deque<gemm_data<typename Kernel::a_type, typename Kernel::c_type>> data;
    std::vector<typename Kernel::product_type> products;
    long instructions = 0;
    for (gemm_case what : with_empty_ones(cases)) {
        what.rows = padding::vectors;
        data.emplace_back(suited_case<Kernel>(what));
        products.push_back(data.back().arguments());
        instructions += hopper_instructions<Kernel>(normalize(products.back()));
    }
    emulated_device device{{}, {}, multiprocessors};
    prepared_list<Kernel, emulated_device> list;
    const status s = list.prepare(device, products.data(), static_cast<index_t>(products.size()));
    INFO(s.message());
    REQUIRE(s.ok());
    const status run = list.start(device);
    INFO(device.result.report << run.message());
    REQUIRE(run.ok());
    CHECK(static_cast<long>(device.result.counters.mma_instructions) == instructions);
    CHECK(device.result.counters.shared_store_conflicts == 0);
    for (auto& one : data) {
        INFO(one.what.text());
        const error_report error = one.verify();
        INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound");
        CHECK(error.passed);
        CHECK(one.c.surroundings_untouched());
    }
}

template <class Kernel>
void check_mapped_list(int multiprocessors = 4)
{
    check_mapped_list<Kernel>(hopper_cases<Kernel>(quarter::first), multiprocessors);
}

/// The kernel that product_list of Kernels, in bf16, finds; the sentences where it finds none.
template <class Kernels>
void check_choice_of_list()
{
    const auto sized = [](long_index_t m, padding rows, memory_order b, long_index_t n = 72) {
        gemm_case what;
        what.m = m, what.n = n, what.k = 130, what.rows = rows, what.b = b;
        return gemm_data<bfloat16, bfloat16>(what);
    };
    using enum memory_order;
    auto empty = sized(0, padding::vectors, column_major), first = sized(9, padding::vectors, row_major),
         second = sized(140, padding::vectors, row_major), across = sized(3, padding::vectors, column_major),
         odd = sized(3, padding::odd, row_major), ragged = sized(3, padding::vectors, row_major, 70);
    const auto run = [](auto&... data) {
        const typename Kernels::arguments products[] = {data.arguments()...};
        emulated_device device{{}, {}, 2};
        const status s = launch(device, product_list<Kernels>{}, {products, static_cast<index_t>(sizeof...(data))});
        return std::string(s ? device.result.report : s.message());
    };
    CHECK(run(empty, first, second).empty());
    CHECK(first.verify().passed);
    CHECK(second.verify().passed);
    CHECK(run(empty).empty());
    emulated_device device;
    CHECK(launch(device, product_list<Kernels>{}, {nullptr, -1}).message() ==
          std::string("a list of -1 products; the count is 0 or more"));
    CHECK(run(first, across).starts_with("product 1: B has stride"));
    CHECK(run(first, empty, odd).starts_with("product 2: A: tensor map: the base address lies"));
    CHECK(run(first, ragged).starts_with("product 1: C has 70 columns; tensor copies write 8 at a time"));
}

} // namespace tegula::test
