#include "test/kernel/gemm/prologue/prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("gfx942: rows by index and made elements, f16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::gfx942, half>::t64x64, row_contiguous>(quarter::first, quarter::third);
}

TEST_CASE("gfx942: two weights with a function between", "[gemm]")
{
    check_gated_products<gemm_tiles<arch::gfx942, half>::t64x64, k_contiguous, row_contiguous>(quarter::first);
}

TEST_CASE("a kernel taken by its orders refuses operands and a C that lie otherwise", "[gemm]")
{
    using tile = gemm_tiles<arch::gfx942, half>::t64x64;
    using kernels = prologue_kernels<tile, strided_rows<half>, gated_rows<half>, float, epilogue::none>;
    using kernel = kernels::aligned<k_contiguous, k_contiguous>;
    std::vector<half> elements(96 * 96);
    std::vector<float> results(96 * 96);
    const strided_rows<half> rows{elements.data(), 96, 1}, columns{elements.data(), 1, 96};
    kernels::arguments args{64, 64, 64, 1};
    args.a = rows, args.b = {rows, rows}, args.c = {results.data(), 96, 1};
    CHECK(kernel::check(args).ok());
    const auto refusal = [&](const auto& change) {
        kernels::arguments changed = args;
        change(changed);
        CHECK(kernels::element_wise::check(changed).ok());
        CHECK(kernel::check(changed).code() == status_code::unsupported);
        return std::string(kernel::check(changed).message());
    };
    const auto contains = [](const std::string& text, const char* words) { return text.find(words) != text.npos; };
    CHECK(contains(refusal([&](auto& x) { x.a = columns; }), "an A with stride 1 along k"));
    CHECK(contains(refusal([&](auto& x) { x.b.up = columns; }), "a B with stride 1 along k"));
    CHECK(contains(refusal([&](auto& x) { x.c.row_stride = 91; }), "rows at multiples of 16 bytes"));
    using gathered = prologue_kernels<tile, gathered_rows<half>, strided_rows<half>, float, epilogue::none>;
    const index_t indices[64] = {};
    gathered::arguments by_index{64, 64, 64, 1, {elements.data(), 96, 1, 0, indices, 0, 96}, rows};
    by_index.c = {results.data(), 96, 1};
    CHECK(gathered::aligned<k_contiguous, k_contiguous>::check(by_index).ok());
    by_index.k = 63; // a vector reaches past the last row's k
    CHECK_FALSE(gathered::aligned<k_contiguous, k_contiguous>::check(by_index).ok());
}
