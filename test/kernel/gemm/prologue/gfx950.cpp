#include "test/kernel/gemm/prologue/prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("gfx950: rows by index come by direct loads, bf16", "[gemm]")
{
    using tile = gemm_tiles<arch::gfx950, bfloat16>::t256x128;
    using kernels = prologue_kernels<tile, gathered_rows<bfloat16>, strided_rows<bfloat16>, float, gathered_epilogue,
                                     c_rows_order::by_index>;
    prologue_uses uses;
    gemm_case f;
    f.rows = padding::vectors;
    // Rounds of the loop and a rest, rows of B closer than the tile is wide, less than a step of k.
    for (const auto& [m, n, k, batch] :
         {std::array{300, 136, 456, 2}, std::array{70, 24, 512, 1}, std::array{257, 8, 40, 1}}) {
        f.m = m, f.n = n, f.k = k, f.batch = batch;
        INFO(f.text());
        check_gathered<bfloat16, kernels>(f, uses);
    }
    CHECK((uses.of[0] == 3 && uses.of[1] == 0));
    check_gathered_sectors<tile, two_of<kernels, k_contiguous, row_contiguous>>(row_contiguous);
}

TEST_CASE("gfx950: an empty table is zeros, and one that direct loads do not reach is read by elements", "[gemm]")
{
    using tile = gemm_tiles<arch::gfx950, half>::t256x128;
    using kernels = prologue_kernels<tile, gathered_rows<half>, strided_rows<half>, float, epilogue::none>;
    const std::vector<index_t> indices(4);
    alignas(16) half b[8 * 8] = {};
    alignas(16) float c[4 * 8];
    std::fill(std::begin(c), std::end(c), 1.0f);
    kernels::arguments args;
    args.m = 4, args.n = args.k = 8;
    args.a = {nullptr, 8, 1, 0, indices.data(), 0, 0};
    args.b = {b, 1, 8, 0};
    args.c = {c, 8, 1, 0};
    const auto order = [&] { return kernels::dispatch(args, [](auto kernel) { return decltype(kernel)::order_a; }); };
    CHECK(order() == k_contiguous);
    using kernel = kernels::aligned<k_contiguous, row_contiguous>;
    const auto run = emulate(kernel{}, args);
    INFO(run.report);
    REQUIRE(run.status.ok());
    CHECK(std::all_of(std::begin(c), std::end(c), [](float x) { return x == 0; }));

    args.a.data = b, args.a.table_rows = (1 << 27) + 1;
    CHECK(order() == any);
    CHECK(std::string_view(kernel::check(args).message())
              .starts_with("A lies in 1073741832 elements; direct loads reach 1073741824"));
    args.a.table_rows = 1 << 27;
    CHECK(order() == k_contiguous);
    CHECK(kernel::check(args).ok());
}
