/// Transpositions by a CPU's own instructions: squares of registers, and what is left of them at the ends.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("transpositions on CPUs", "[cpu]")
{
    if (has_target<arch::x86_avx2>()) {
        check_permute<arch::x86_avx2, float>({200, 131}, {}, {1, 0}, false, 1); // more than a tile, at any address
        check_permute<arch::x86_avx2, float>({3, 64, 2, 64}, {}, {0, 3, 2, 1}, false);
    }
    if (has_target<arch::x86_avx512>()) {
        check_permute<arch::x86_avx512, double>({2, 130, 19}, {}, {0, 2, 1}, false);
        check_permute<arch::x86_avx512, double>({4, 3}, {}, {1, 0}, false);
    }
}
