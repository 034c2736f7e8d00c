/// Norms, softmaxes and gradients of norms over the whole range of float on every target.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/normalization/row_range.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

/// At least 300 problems of each target, of float and of one of the narrow types.
template <class Target, class Narrow>
void check_range(std::uint64_t seed)
{
    const range_count wide = check_row_range<Target, float>(seed, 216, 20000);
    const range_count narrow = check_row_range<Target, Narrow>(seed + 100, 90, 20000);
    WARN(Target::chip().name << ": " << wide.problems + narrow.problems << " problems, "
                             << wide.elements + narrow.elements << " elements");
}

} // namespace

TEST_CASE("rows over the whole range of float: AMD", "[rows]")
{
    check_range<arch::gfx908, half>(1);
    check_range<arch::gfx90a, bfloat16>(2);
    check_range<arch::gfx942, half>(3);
    check_range<arch::gfx950, bfloat16>(4);
    check_range<arch::gfx1100, half>(5);
    check_range<arch::gfx1201, bfloat16>(6);
    check_range<arch::gfx1250, half>(7);
}

TEST_CASE("rows over the whole range of float: NVIDIA", "[rows]")
{
    check_range<arch::sm_75, half>(11);
    check_range<arch::sm_80, bfloat16>(12);
    check_range<arch::sm_89, half>(13);
    check_range<arch::sm_90a, bfloat16>(14);
    check_range<arch::sm_100a, half>(15);
    check_range<arch::sm_120a, bfloat16>(16);
}

TEST_CASE("rows over the whole range of float: CPUs", "[rows]")
{
    if (has_target<arch::x86_avx2>()) {
        check_range<arch::x86_avx2, half>(21);
        check_range<arch::x86_avx2, bfloat16>(22);
    }
    if (has_target<arch::x86_avx512>())
        check_range<arch::x86_avx512, bfloat16>(23);
    check_range<arch::strict<arch::x86_avx2>, bfloat16>(24);
}
