// GEMM on gfx1250, whose operands along k come by asynchronous copies that are waited for by their number, or by the tensor
// data mover.

#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1250;

TEST_CASE("gfx1250: bf16 GEMM, both ways of loading, over a quarter of the pairs of sizes, orders and epilogues",
          "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, float, k_contiguous, row_contiguous>(quarter::first);
}

// Rows of any length and ragged edges: the mover fills in zeros.
TEST_CASE("gfx1250: bf16 GEMM by the tensor data mover", "[gemm]")
{
    check_two_kernels<gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 64, 4, 2, 3, 8, tensor_multistage>,
                      float, k_contiguous, k_contiguous>(quarter::fourth);
}

TEST_CASE("gfx1250: bf16 GEMM in clusters, whose blocks ask for tiles of B together", "[gemm]")
{
    check_two_kernels<
        gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 64, 4, 2, 3, 8, tensor_cluster_multistage<4>>, float,
        k_contiguous, k_contiguous>(quarter::fourth);
}

/// A product of small integers by a kernel whose operands lie along k, those of A from the last row on; every element.
template <class Tile>
void check_backwards(int m, int n, int k)
{
    using kernel = gemm_kernel<Tile, k_contiguous, k_contiguous, float, epilogue::none, output_access::vectors>;
    const auto at = [](int row, int columns, int column) { return static_cast<std::size_t>(row * columns + column); };
    std::vector<bfloat16> a(at(m, k, 0)), b(at(n, k, 0));
    for (int i = 0; i < m * k; ++i)
        a[at(0, k, i)] = bfloat16(static_cast<float>(i % 7 - 3));
    for (int i = 0; i < n * k; ++i)
        b[at(0, k, i)] = bfloat16(static_cast<float>(i % 5 - 2));
    std::vector<float> c(at(m, n, 0));
    typename kernel::arguments args{m, n, k, 1, {a.data() + (m - 1) * k, -k, 1}, {b.data(), 1, k}, {c.data(), n, 1},
                                    {}};
    emulator::run_config config;
    const auto result = emulate(kernel{}, args, config);
    INFO(result.report << result.status.message());
    REQUIRE(result.status.ok());
    int wrong = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int x = 0; x < k; ++x)
                sum += static_cast<float>(a[at(m - 1 - i, k, x)]) * static_cast<float>(b[at(j, k, x)]);
            wrong += sum != c[at(i, n, j)];
        }
    CHECK(wrong == 0);
}

template <class Schedule>
using clustered_tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 64, 4, 2, 3, 8, Schedule>;

TEST_CASE("gfx1250: rows that run backwards, by the tensor data mover", "[gemm]")
{
    check_backwards<clustered_tile<tensor_multistage>>(130, 64, 136);
}

// Five tiles below each other: a cluster of four whose blocks share B, and one of a tile and three blocks without.
TEST_CASE("gfx1250: a cluster that shares and one that cannot", "[gemm]")
{
    check_backwards<clustered_tile<tensor_cluster_multistage<4>>>(600, 60, 200);
}
