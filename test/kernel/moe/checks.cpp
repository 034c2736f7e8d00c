/// Tests independent of the target: refusals of a mixture of experts and of products with a prologue.

#include <tegula/moe.hpp>

#include "test/catch.hpp"

#include <string_view>
#include <vector>

using namespace tegula;

namespace {

void refused(const status& s, std::string_view words)
{
    INFO(s.message());
    CHECK(!s.ok());
    CHECK(std::string_view(s.message()).find(words) != std::string_view::npos);
}

/// A layer that can be computed.
struct right_layer
{
    std::vector<half> x = std::vector<half>(4 * 8), w = std::vector<half>(3 * 8 * 16);
    std::vector<float> logits = std::vector<float>(4 * 3), out = std::vector<float>(4 * 8);
    std::vector<raw_vector<16>> workspace;
    moe_arguments<half, float> args;

    right_layer()
    {
        args.tokens = 4, args.width = 8, args.hidden = 16, args.experts = 3, args.k = 2;
        args.x = x.data(), args.x_stride = 8, args.w1 = args.w2 = w.data();
        args.logits = logits.data(), args.out = out.data(), args.out_stride = 8;
        workspace.resize(static_cast<std::size_t>(moe_workspace_bytes(args) / 16));
        args.workspace = {workspace.data(), moe_workspace_bytes(args)};
    }
};

} // namespace

TEST_CASE("mixture of experts: what cannot be computed is refused with a sentence", "[moe]")
{
    CHECK(can_implement(right_layer().args).ok());
    const auto check = [](auto change, std::string_view words) {
        right_layer layer;
        change(layer.args);
        refused(can_implement(layer.args), words);
    };
    check([](auto& a) { a.tokens = -1; }, "tokens is -1");
    check([](auto& a) { a.k = 4; }, "a token goes to 4 of 3 experts");
    check([](auto& a) { a.k = 0; }, "a token goes to 0 of 3 experts");
    check([](auto& a) { a.experts = 1025; }, "the kernels take 1 to 1024");
    check([](auto& a) { a.tokens = 2000000000; }, "the number of tokens times their experts");
    check([](auto& a) { a.tokens = 1000000000, a.hidden = 2000000000; }, "2000000000 rows of 2000000000 elements");
    check([](auto& a) { a.x = nullptr; }, "x is a null pointer");
    check([](auto& a) { a.w1 = nullptr; }, "w1 is a null pointer");
    check([](auto& a) { a.w2 = nullptr; }, "w2 is a null pointer");
    check([](auto& a) { a.logits = nullptr; }, "the matrix of logits is a null pointer");
    check([](auto& a) { a.out_stride = 7; }, "out has leading dimension 7");
    check([](auto& a) { a.workspace.data = nullptr; }, "the workspace is a null pointer");
    check([](auto& a) { a.workspace.bytes -= 1; }, "are needed");
    right_layer none;
    none.args.tokens = 0, none.args.x = nullptr, none.args.workspace = {};
    CHECK(can_implement(none.args).ok());
}

TEST_CASE("mixture of experts: its kernels refuse a second weight that they do not take, and need theirs", "[moe]")
{
    using tile = prologue_tiles<arch::gfx942, half>::small;
    right_layer layer;
    using arguments = decltype(layer.args);
    CHECK(moe_kernels<tile, false, arguments>::check(layer.args).ok());
    refused(moe_kernels<tile, true, arguments>::check(layer.args), "w1_up is a null pointer");
    layer.args.w1_up = layer.w.data();
    CHECK(moe_kernels<tile, true, arguments>::check(layer.args).ok());
    refused(moe_kernels<tile, false, arguments>::check(layer.args), "w1_up is given");
}

TEST_CASE("mixture of experts: a family takes wgmma on sm_90a where experts have rows enough", "[moe]")
{
    const auto wgmma = [](long_index_t tokens, long_index_t hidden, auto gated, long_index_t x_stride = 4096) {
        using family = moe_family<arch::sm_90a, half, decltype(gated)::value, moe_arguments<half, float>>;
        alignas(16) static half x[8];
        moe_arguments<half, float> args;
        args.tokens = tokens, args.width = 4096, args.hidden = hidden, args.experts = 8, args.k = 2;
        args.x = args.w1 = args.w2 = x, args.x_stride = x_stride, args.out_stride = 4096;
        args.w1_up = decltype(gated)::value ? x : nullptr;
        alignas(16) static float y[8];
        args.logits = args.out = y;
        args.workspace = {y, moe_workspace_bytes(args)};
        CHECK(family::check(args).ok());
        return family::choose(args, [](auto tile) { return requires { decltype(tile)::type::making_threads; }; });
    };
    const std::bool_constant<true> gated;
    const std::bool_constant<false> plain;
    for (const long_index_t tokens : {4096, 512}) {
        CHECK(wgmma(tokens, 14336, plain));
        CHECK(wgmma(tokens, 14336, gated));
    }
    CHECK_FALSE(wgmma(4096, 14335, plain)); // rows of W1 between vectors
    CHECK_FALSE(wgmma(4096, 14336, gated, 4097));
    using other = moe_family<arch::sm_80, half, false, moe_arguments<half, float>>;
    static_assert(other::choice::experts::count == 2);
}

TEST_CASE("mixture of experts: a family takes direct loads on gfx950 where there are rows enough and they reach",
          "[moe]")
{
    const auto block = [](long_index_t tokens, auto gated, long_index_t x_stride = 4096) {
        using family = moe_family<arch::gfx950, half, decltype(gated)::value, moe_arguments<half, float>>;
        alignas(16) static half x[8];
        alignas(16) static float y[8];
        moe_arguments<half, float> args;
        args.tokens = tokens, args.width = 4096, args.hidden = 14336, args.experts = 8, args.k = 2;
        args.x = args.w1 = args.w2 = x, args.x_stride = x_stride, args.out_stride = 4096;
        args.w1_up = decltype(gated)::value ? x : nullptr;
        args.logits = args.out = y;
        args.workspace = {y, moe_workspace_bytes(args)};
        CHECK(family::check(args).ok());
        return family::choose(args, [](auto tile) {
            using type = typename decltype(tile)::type;
            return std::array{type::block_m, type::block_n};
        });
    };
    const std::bool_constant<true> gated;
    const std::bool_constant<false> plain;
    using tile = std::array<index_t, 2>;
    CHECK(block(4096, plain) == tile{256, 256});
    CHECK(block(4096, gated) == tile{256, 128});
    CHECK(block(512, plain) == tile{128, 128});
    CHECK(block(4096, plain, 1 << 19) == tile{128, 128}); // 2^32 bytes of x
    static_assert(!prologue_choice<arch::gfx942, half>::loads_directly &&
                  !prologue_choice<arch::gfx950, float>::loads_directly);
}

TEST_CASE("mixture of experts: the sum of slots refuses what it cannot add", "[moe]")
{
    using kernel = moe_combine<arch::gfx942, half, 8>;
    std::vector<float> parts(4 * 16);
    alignas(16) static half out[2 * 24];
    const kernel::arguments right{2, 16, 2, parts.data(), out, 24};
    CHECK(kernel::check(right).ok());
    const auto check = [&](auto change, std::string_view words) {
        auto args = right;
        change(args);
        refused(kernel::check(args), words);
    };
    check([](auto& a) { a.tokens = -1; }, "tokens is -1");
    check([](auto& a) { a.k = 0; }, "a token goes to 0 experts");
    check([](auto& a) { a.parts = nullptr; }, "the matrix of parts is a null pointer");
    check([](auto& a) { a.out_stride = 15; }, "out has leading dimension 15");
    check([](auto& a) { a.out_stride = 20; }, "out has no vectors of 8 columns");
    check([](auto& a) { a.columns = 12; }, "out has no vectors of 8 columns");
}

TEST_CASE("GEMM with a prologue: what cannot be computed is refused with a sentence", "[gemm]")
{
    std::vector<half> table(5 * 8), b(8 * 4);
    std::vector<index_t> indices(3);
    std::vector<float> c(8 * 4);
    prologue_arguments<gathered_rows<half>, strided_rows<half>, float, epilogue::none> right{3, 4, 8};
    right.a = {table.data(), 8, 1, 0, indices.data(), 0, 5};
    right.b = {b.data(), 8, 1, 0};
    right.c = {c.data(), 4, 1, 0};
    CHECK(can_implement(right).ok());
    const auto check = [&](auto change, std::string_view words) {
        auto args = right;
        change(args);
        refused(can_implement(args), words);
    };
    check([](auto& g) { g.m = -1; }, "m is -1");
    check([](auto& g) { g.a.indices = nullptr; }, "A has no indices, but 3 rows");
    check([](auto& g) { g.a.data = nullptr; }, "A is a null pointer, but it has 5 x 8 elements");
    check([](auto& g) { g.a.table_rows = -5; }, "the number of rows of the table is -5");
    check([](auto& g) { g.b.data = nullptr; }, "B is a null pointer");
    check([](auto& g) { g.c.row_stride = 3; }, "C has leading dimension 3");
    check(
        [&](auto& g) {
            g.c_rows = indices.data();
            g.c_height = -1;
        },
        "the number of rows of C is -1");
    // Columns of one matrix, as of the groups of a convolution, and those that overlap.
    auto side_by_side = right;
    side_by_side.batch = 2;
    side_by_side.c = {c.data(), 8, 1, 4};
    CHECK(can_implement(side_by_side).ok());
    check(
        [&](auto& g) {
            g.batch = 2;
            g.c = {c.data(), 8, 1, 3};
        },
        "C has batch stride 3");
}
