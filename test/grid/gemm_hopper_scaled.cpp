// Block-scaled fp8 by wgmma, against sums in double.

#include "test/kernel/gemm/forms/scaled.hpp"
#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>

#include <algorithm>
#include <string>

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
using tiles = warp_specialized_scaled_tiles<arch::sm_90a, float8_e4m3>;
using pair_tiles = warp_specialized_scaled_tiles<arch::sm_90a, float8_e5m2, float8_e4m3>;

namespace {

/// A kernel as run_form takes it.
template <class Kernel>
struct by_roles
{
    using arguments = typename Kernel::product_type;

    static void run(const arguments& args)
    {
        // Few multiprocessors: clusters go through several tiles each.
        const emulator::launch_result result = emulate(Kernel{}, arguments_for(Kernel{}, args), {}, 4);
        INFO(result.report << result.status.message());
        REQUIRE(result.status.ok());
        CHECK(result.counters.shared_load_conflicts == 0);
        CHECK(result.counters.shared_store_conflicts == 0);
        CHECK(static_cast<long>(result.counters.mma_instructions) == hopper_instructions<Kernel>(args));
    }
};

template <class Tile, output_store Store = output_store::tensor_copies>
void check_scaled(quarter part)
{
    using kernel = warp_specialized_gemm<Tile, k, k, float, epilogue::none, Store>;
    std::vector<gemm_case> cases = hopper_cases<kernel>(part);
    gemm_case one_group = cases.front(); // in the last stage, which may have room for two
    one_group.k = 3 * Tile::block_k - Tile::block_k / 2 - 5;
    cases.push_back(one_group);
    int uses[2] = {};
    for (const gemm_case& any : cases) {
        const gemm_case f = suited_case<kernel>(any);
        INFO(f.text());
        check_block_scaled_case<by_roles<kernel>, typename Tile::a_type, typename Tile::b_type>(f, uses);
    }
    CHECK(uses[0] >= 5);
}

} // namespace

TEST_CASE("sm_90a: warp-specialised block-scaled fp8 of two types", "[gemm][hopper]")
{
    check_scaled<pair_tiles::ws128x128_2x1>(quarter::third);
}

TEST_CASE("sm_90a: warp-specialised block-scaled fp8, few rows, two groups a stage", "[gemm][hopper]")
{
    static_assert(tiles::ws16x128::block_k == 2 * block_scale_length);
    check_scaled<tiles::ws16x128, output_store::direct>(quarter::first);
}

TEST_CASE("sm_90a: warp-specialised block-scaled fp8 of every tile", "[.full]")
{
    check_scaled<tiles::ws128x128>(quarter::all);
    check_scaled<tiles::ws128x128_2x1, output_store::direct>(quarter::all);
    check_scaled<pair_tiles::ws16x128>(quarter::all);
    check_scaled<tiles::ws32x128>(quarter::all);
    check_scaled<tiles::ws64x128>(quarter::all);
}

namespace {

/// The kernel that computed the product.
template <class Arguments>
std::string used_kernel(const Arguments& args)
{
    using tile = tiles::ws16x128;
    std::string used;
    using by_roles = warp_specialized_kernels<tile, float, epilogue::none>;
    using by_warps = block_scaled_kernels<block_scaled_tiles<arch::sm_90a, float8_e4m3>::t64x64, float, epilogue::none>;
    const auto run = by_roles::dispatch(
        args,
        [&](auto kernel) {
            used = "by roles";
            return emulate(kernel, arguments_for(kernel, args));
        },
        [&](const status&) {
            used = "by warps";
            return emulate(by_warps::element_wise{}, args);
        });
    INFO(run.report << run.status.message());
    CHECK(run.status.ok());
    return used;
}

} // namespace

TEST_CASE("sm_90a: block-scaled products that wgmma does not take run by mma.sync", "[gemm][hopper]")
{
    constexpr long_index_t length = 16;
    alignas(16) float8_e4m3 a[length], b[length * length];
    alignas(16) float c[length];
    const float scale = 3;
    std::fill(std::begin(a), std::end(a), float8_e4m3(1.0f));
    std::fill(std::begin(b), std::end(b), float8_e4m3(0.5f));
    block_scaled_arguments<float8_e4m3, float8_e4m3, float, epilogue::none> args{
        {1, length, length, 1, {a, length, 1}, {b, 1, length}, {c, length, 1}, {}}, {&scale, 1, 1}, {&scale, 1, 1}};
    const auto is_right = [&] { return std::all_of(std::begin(c), std::end(c), [](float x) { return x == 72; }); };
    CHECK(used_kernel(args) == "by roles");
    CHECK(is_right());
    std::fill(std::begin(c), std::end(c), 0.0f);
    args.b = {b, length, 1}; // along n
    CHECK(used_kernel(args) == "by warps");
    CHECK(is_right());
}

TEST_CASE("sm_90a: the tile of a block-scaled product", "[gemm][hopper][choose]")
{
    const tile_description all[] = {describe<tiles::ws128x128_2x1>("ws128x128_2x1"),
                                    describe<tiles::ws128x128>("ws128x128"), describe<tiles::ws16x128>("ws16x128"),
                                    describe<tiles::ws32x128>("ws32x128"), describe<tiles::ws64x128>("ws64x128")};
    const auto choose = [&](gemm_size size) {
        const tile_choice choice = choose_tile(size, chip::sm_90a, all);
        REQUIRE(choice);
        return std::string(all[choice.index].name);
    };
    CHECK(choose({4096, 4096, 7168}) == "ws128x128_2x1");
    CHECK(choose({128, 24576, 1536}) == "ws128x128");
    CHECK(choose({64, 24576, 1536}) == "ws64x128");
    CHECK(choose({32, 24576, 1536}) == "ws32x128");
    CHECK(choose({8, 24576, 1536}) == "ws16x128");
}
