// sm_100a: lists of products of different sizes in one launch of one block's and of a pair's tiles.

#include <tegula/host/product_list.hpp>
#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>

#include "test/kernel/gemm/forms/grouped_harness.hpp"
#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

#include <string_view>

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

namespace {

template <class Tile, operand_order A, operand_order B, class C>
using kernel =
    tcgen05_gemm<Tile, A, B, C, typename test_epilogue<C>::type, output_store::tensor_copies, work_partition::list>;

/// Runs the cases as one list, products of nothing and of no k among them, on few multiprocessors.
template <class Kernel>
void check_list(const std::vector<gemm_case>& cases)
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
    emulated_device device{{}, {}, 4};
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
void check_list()
{
    check_list<Kernel>(hopper_cases<Kernel>(quarter::first));
}

} // namespace

TEST_CASE("sm_100a: tcgen05, lists of products", "[gemm][tcgen05][grouped]")
{
    check_list<kernel<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64, k, k, bfloat16>>();
}

TEST_CASE("sm_100a: tcgen05, lists of products of pairs of blocks", "[gemm][tcgen05][grouped]")
{
    check_list<kernel<tcgen05_tiles<arch::sm_100a, half>::tc256x256_2x1, k, mn, float>>();
}

// The kernel that product_list finds, and the sentences where it finds none.
TEST_CASE("sm_100a: tcgen05, a list takes the kernel that its products' operands ask for", "[gemm][tcgen05][grouped]")
{
    using kernels =
        tcgen05_kernels<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64, bfloat16, test_epilogue<bfloat16>::type>;
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
        const kernels::arguments products[] = {data.arguments()...};
        emulated_device device{{}, {}, 2};
        const status s = launch(device, product_list<kernels>{}, {products, static_cast<index_t>(sizeof...(data))});
        return std::string(s ? device.result.report : s.message());
    };
    CHECK(run(empty, first, second).empty());
    CHECK(first.verify().passed);
    CHECK(second.verify().passed);
    CHECK(run(empty).empty());
    emulated_device device;
    CHECK(launch(device, product_list<kernels>{}, {nullptr, -1}).message() ==
          std::string("a list of -1 products; the count is 0 or more"));
    CHECK(run(first, across).starts_with("product 1: B has stride"));
    CHECK(run(first, empty, odd).starts_with("product 2: A: tensor map: the base address lies"));
    CHECK(run(first, ragged).starts_with("product 1: C has 70 columns; tensor copies write 8 at a time"));
}
