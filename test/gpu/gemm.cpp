#include "test/gpu/gemm.hpp"

#include "test/catch.hpp"

using namespace tegula::test;

namespace {

/// The cases of the emulator's tests, and a few that fill a GPU.
template <class Run>
void check_cases(const Run& run)
{
    std::vector<gemm_case> cases = pairwise_gemm_cases(all_gemm_sizes());
    for (const gemm_case& large : pairwise_gemm_cases({{2048, 2049}, {1024, 3001}, {512, 4097}}))
        cases.push_back(large);
    for (const gemm_case& what : cases) {
        INFO(what.text());
        const gpu_outcome outcome = run(what);
        if (!outcome.skipped.empty()) {
            WARN("skipped: " << outcome.skipped);
            return;
        }
        INFO(outcome.failure);
        CHECK(outcome.failure.empty());
    }
}

} // namespace

#if TEGULA_WITH_CUDA
TEST_CASE("bf16 GEMM over pairs of sizes, orders and epilogues", "[nvidia]") { check_cases(on_nvidia::run_bf16_gemm); }
#endif

#if TEGULA_WITH_HIP
TEST_CASE("bf16 GEMM over pairs of sizes, orders and epilogues on AMD", "[amd]") { check_cases(on_amd::run_bf16_gemm); }
#endif
