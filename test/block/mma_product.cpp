/// A block's product of one slice of k, from global memory straight to registers and back: the plain product.

#include <tegula/block/mma_tile.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>

#include "test/catch.hpp"

#include <vector>

using namespace tegula;

namespace {

template <class Target, class T>
auto row_major_view(T* data, index_t rows, index_t columns, const char* name)
{
    return make_tensor_view<Target, address_space::global>(
        data,
        make_strided_descriptor(make_tuple(rows, columns),
                                make_tuple(static_cast<long_index_t>(columns), constant<1>{}), constant<4>{}),
        name);
}

template <class Tile>
void check_product()
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using A = typename Tile::a_type;
    using C = typename Tile::accumulator_type;
    constexpr index_t m = Tile::block_m, n = Tile::block_n, k = mma::slice_k;
    std::vector<A> a(m * k), b(n * k);
    std::vector<C> c(m * n), expected(m * n);
    unsigned seed = 1;
    const auto small = [&] { return static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 24) % 5 - 2; };
    for (A& x : a)
        x = convert<A>(static_cast<float>(small()));
    for (A& x : b)
        x = convert<A>(static_cast<float>(small()));
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j)
            for (index_t s = 0; s < k; ++s)
                expected[i * n + j] += static_cast<C>(a[i * k + s]) * static_cast<C>(b[j * k + s]);

    emulator::run_config config;
    config.chip = &chip_of<target>;
    config.kernel_name = "product";
    config.grid = {1, 1, 1};
    config.block_threads = mma::block_threads;
    config.memory.read(a.data(), a.size() * sizeof(A), "A")
        .read(b.data(), b.size() * sizeof(A), "B")
        .write(c.data(), c.size() * sizeof(C), "C");
    const auto result = emulator::launch(config, [&] {
        const auto from_a = load(make_tile_window<typename mma::a_distribution>(
            row_major_view<target, const A>(a.data(), m, k, "A"), {0, 0}));
        const auto from_b = load(make_tile_window<typename mma::b_distribution>(
            row_major_view<target, const A>(b.data(), n, k, "B"), {0, 0}));
        typename mma::accumulators acc;
        acc.clear();
        mma::multiply(acc, from_a, from_b);
        auto to =
            make_tile_window<typename mma::strip_distribution>(row_major_view<target, C>(c.data(), m, n, "C"), {0, 0});
        static_for<mma::iterations_m>([&](auto i) {
            store(to, acc.template strip<i>());
            to.move({mma::strip_rows, 0});
        });
    });
    INFO(result.report << target::chip().name << ", " << number_traits<A>::name());
    REQUIRE(result.status.ok());
    CHECK(c == expected);
    if constexpr (Tile::atom::is_matrix_instruction)
        CHECK(result.counters.mma_instructions == mma::waves * mma::calls * mma::iterations_m * mma::iterations_n);
}

template <class Target>
void check_target()
{
    check_product<typename gemm_tiles<Target, bfloat16>::t64x64>();
    check_product<typename gemm_tiles<Target, std::int8_t>::t32x128>();
    check_product<typename gemm_tiles<Target, float>::t64x64>();
}

} // namespace

TEST_CASE("a block's product of one slice: gfx90a") { check_target<arch::gfx90a>(); }
TEST_CASE("a block's product of one slice: gfx942") { check_target<arch::gfx942>(); }
TEST_CASE("a block's product of one slice: gfx1100") { check_target<arch::gfx1100>(); }
TEST_CASE("a block's product of one slice: gfx1201") { check_target<arch::gfx1201>(); }
TEST_CASE("a block's product of one slice: sm_80") { check_target<arch::sm_80>(); }
TEST_CASE("a block's product of one slice: sm_90a") { check_target<arch::sm_90a>(); }
