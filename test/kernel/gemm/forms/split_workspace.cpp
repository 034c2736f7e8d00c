/// Messages of split-K and stream-K on arguments that they refuse, and how much workspace they ask for.

#include "test/kernel/gemm/forms/split_harness.hpp"

#include <string>

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::t64x64; // 64 x 64, 64 of k a step
using kernel = gemm_kernel<tile, operand_order::any, operand_order::any, float, test_epilogue<float>::type,
                           output_access::elements>;
using split = split_k_gemm<kernel>;
using stream = stream_k_gemm<kernel>;

constexpr long_index_t tile_bytes = 64 * 64 * 4;

// 3 x 2 tiles of 5 steps, twice.
template <class Shared>
split_k_run<Shared> make_run(index_t splits)
{
    return {repeated_case(), splits};
}

template <class Arguments>
void check_workspace_errors(Arguments args, long_index_t needed, status (*check)(const Arguments&))
{
    const std::string bytes = std::to_string(needed) + " bytes";
    CHECK(check(args).ok());
    args.workspace.bytes = needed - 1;
    CHECK(check(args).code() == status_code::invalid_argument);
    CHECK(check(args).message() ==
          "the workspace has " + std::to_string(needed - 1) + " bytes; " + std::to_string(needed) + " are needed");
    args.workspace.bytes = needed;
    args.workspace.data = static_cast<std::byte*>(args.workspace.data) + 8;
    CHECK(check(args).message() == "the workspace of " + bytes + " is not aligned to 16 bytes");
    args.workspace.data = nullptr;
    CHECK(check(args).message() == "the workspace is a null pointer; " + bytes + " are needed");
}

} // namespace

TEST_CASE("split-K asks for one tile a split, at most one split a step")
{
    for (const auto& [splits, counted] : {std::pair{1, 1}, {3, 3}, {5, 5}, {6, 5}, {INT32_MAX, 5}}) {
        auto run = make_run<split>(splits);
        CHECK(split::workspace_bytes(run.args) == 12 * counted * tile_bytes);
        CHECK(split::blocks(run.args) == 12 * counted);
    }
    auto run = make_run<split>(3);
    check_workspace_errors(run.args, 36 * tile_bytes, split::check);
}

TEST_CASE("stream-K asks for two tiles a block, at most one block a step")
{
    for (const auto& [workers, counted] : {std::pair{1, 1}, {7, 7}, {60, 60}, {INT32_MAX, 60}}) {
        auto run = make_run<stream>(workers);
        CHECK(stream::workspace_bytes(run.args) == 2 * counted * tile_bytes);
        CHECK(stream::blocks(run.args) == counted);
    }
    auto run = make_run<stream>(7);
    check_workspace_errors(run.args, 14 * tile_bytes, stream::check);
}

TEST_CASE("the number of blocks that share k starts at 1")
{
    for (const index_t count : {0, -3}) {
        auto a = make_run<split>(1).args;
        a.splits = count;
        CHECK(split::check(a).message() == "splits is " + std::to_string(count) + "; k is shared by at least 1 block");
        auto b = make_run<stream>(1).args;
        b.workers = count;
        CHECK(stream::check(b).message() == "workers is " + std::to_string(count) + "; at least 1 block does the work");
    }
}

TEST_CASE("errors of the product come first")
{
    auto a = make_run<split>(2).args;
    a.product.m = -1;
    CHECK(split::check(a).message() == std::string("m is -1; sizes start at 0"));
    auto b = make_run<stream>(2).args;
    b.product.a.data = nullptr;
    CHECK(stream::check(b).message() == std::string("A is a null pointer, but it has 130 x 301 elements"));
}

TEST_CASE("more work than one launch can number is refused")
{
    auto b = make_run<stream>(1000).args;
    b.product.batch = 100000000;
    b.product.c.batch_stride = 130 * 127;
    CHECK(stream::check(b).code() == status_code::unsupported);
    CHECK(std::string(stream::check(b).message()).find("3000000000 steps of k") != std::string::npos);
    auto a = make_run<split>(5).args;
    a.product.batch = b.product.batch;
    CHECK(split::check(a).code() == status_code::unsupported);
    CHECK(std::string(split::check(a).message()).find("takes 3000000000 blocks") != std::string::npos);
}

TEST_CASE("products of nothing need no workspace and launch nothing; k = 0 still runs the epilogue")
{
    gemm_case what = repeated_case();
    what.m = 0;
    split_k_run<split> none(what, 3);
    CHECK(split::workspace_bytes(none.args) == 0);
    none.args.workspace = {};
    none.run();
    split_k_run<stream> no_stream(what, 3);
    no_stream.args.workspace = {};
    no_stream.run();

    what.m = 70;
    what.k = 0;
    what.beta = 0.5f;
    check_split_k<split>(what, 3);
    check_split_k<stream>(what, 3);
}

TEST_CASE("even_share deals in order, evenly, and knows the owner")
{
    for (index_t total = 1; total < 40; ++total)
        for (index_t count = 1; count <= total; ++count) {
            const even_share share{total, count};
            REQUIRE(share.begin(0) == 0);
            REQUIRE(share.begin(count) == total);
            for (index_t i = 0; i < count; ++i) {
                const index_t size = share.begin(i + 1) - share.begin(i);
                REQUIRE((size == total / count || size == total / count + 1));
                for (index_t x = share.begin(i); x < share.begin(i + 1); ++x)
                    REQUIRE(share.owner(x) == i);
            }
        }
}
