/// Every kernel that is built in, on the machine's GPU: whole results, over and over with other data.

#include <tegula/host/launch.hpp>
#include <tegula/reference/registry.hpp>

#include "test/catch.hpp"
#include "test/gpu/kernel_check.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

void check_all(const std::string& runtime, std::uint64_t rounds)
{
    std::string arch, why_none = "no GPU code of " + runtime + " is built in";
    for (const runtime_check& r : registered<runtime_check>())
        if (r.name == runtime)
            arch = r.arch(why_none);
    if (arch.empty()) {
        WARN("skipped: no GPU: " << why_none);
        return;
    }
    int run = 0;
    for (const kernel_check& c : registered<kernel_check>()) {
        if (c.runtime != runtime || !runs_on(c.arch, arch))
            continue;
        ++run;
        for (std::uint64_t seed = 0; seed < rounds; ++seed) {
            INFO(c.arch << " " << c.name << ", seed " << seed);
            const std::string wrong = c.run(seed);
            INFO(wrong);
            CHECK(wrong.empty());
        }
    }
    if (run == 0)
        WARN("skipped: no kernels are built for " << arch);
}

} // namespace

TEST_CASE("which kernels a GPU runs")
{
    CHECK((runs_on("sm_80", "sm_80") && runs_on("sm_80", "sm_89") && runs_on("sm_89", "sm_89")));
    CHECK((!runs_on("sm_89", "sm_86") && !runs_on("sm_80", "sm_90") && !runs_on("sm_90a", "sm_100")));
    CHECK((runs_on("sm_90a", "sm_90") && runs_on("gfx942", "gfx942:sramecc+:xnack-")));
    CHECK((!runs_on("gfx942", "gfx950") && !runs_on("gfx942", "sm_90")));
}

TEST_CASE("every kernel gives whole results right, with data anew", "[nvidia]") { check_all("CUDA", 3); }
TEST_CASE("every kernel gives whole results right, with data anew, on AMD", "[amd]") { check_all("HIP", 3); }
TEST_CASE("every kernel many times with data anew", "[nvidia][.full]") { check_all("CUDA", 100); }
TEST_CASE("every kernel many times with data anew on AMD", "[amd][.full]") { check_all("HIP", 100); }
