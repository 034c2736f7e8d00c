/// Quantised weights by the tile that a family chooses: by wgmma, or by mma.sync where copies do not reach. Groups of 24 leave
/// no packed tiles, which would take all products that the emulator computes in seconds.

#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights_family.hpp>

#include "test/kernel/gemm/forms/quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

struct run_family
{
    using form = quantized<int4x2, 24>;
    using along_k = operand_orders<operand_order::k_contiguous, operand_order::k_contiguous>;
    using family = quantized_weights_family<arch::sm_90a, half, form, float, epilogue::none, along_k>;
    using arguments = family::product_type;

    static inline int chosen[2][2] = {}; ///< [by wgmma][k is shared]

    static void run(const arguments& product)
    {
        std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(family::workspace_bytes(product) / 16 + 1));
        for (const bool shares : {false, true}) {
            const auto choice = family::choose(product, shares);
            if (shares && choice.splits == 1)
                break;
            const bool by_wgmma = family::tiles::list::with(
                choice.number, [](auto tile) { return requires { decltype(tile)::type::making_threads; }; });
            ++chosen[by_wgmma][choice.splits > 1];
            emulated_device device{{}, {}, 4};
            family::arguments args{product, {}};

            if (shares)
                args.workspace = {workspace.data(), family::workspace_bytes(product)};
            const status s = launch(device, family{}, args);

            INFO(device.result.report << s.message());
            REQUIRE(s.ok());
        }
    }
};

} // namespace

TEST_CASE("sm_90a: a family of kernels for weights", "[gemm][weights]")
{
    int uses[2] = {};
    const auto check = [&](index_t m, index_t n, index_t k, memory_order b, padding rows = padding::vectors) {
        gemm_case f{};
        f.m = m, f.n = n, f.k = k, f.b = b, f.rows = rows;
        INFO(f.text());
        check_quantized_weights_case<run_family, half, run_family::form>(f, 0, uses);
    };
    using enum memory_order;
    check(70, 136, 256, column_major);
    check(100, 264, 328, column_major);
    check(5, 72, 8192, column_major);
    CHECK(run_family::chosen[1][0] >= 2);
    CHECK(run_family::chosen[1][1] + run_family::chosen[0][1] > 0);
    // Weights along the columns, and rows between vectors.
    const int by_wgmma = run_family::chosen[1][0];
    check(100, 136, 256, row_major);
    check(67, 70, 97, column_major, padding::odd);
    CHECK(run_family::chosen[1][0] == by_wgmma);
    CHECK(run_family::chosen[0][0] >= 2);
}
