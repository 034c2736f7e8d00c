#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

TEST_CASE("gfx950: convolution forward by direct loads, f16", "[convolution]")
{
    using t256x128 = gemm_tiles<arch::gfx950, half>::t256x128;
    // Rounds of the loop and a rest, groups with gaps, less than a step of k; 30 taps, 42 taps, 5 channels.
    CHECK(count_kernels<forward, 2, t256x128>({{2, 72, 136, 1, 12, 3, 1, 1, 1, false},
                                               {1, 64, 24, 2, 17, 4, 2, 1, 1, true},
                                               {3, 8, 8, 3, 7, 3, 1, 0, 2, true},
                                               {1, 16, 8, 1, 9, 6, 3, 4, 2, false},
                                               {1, 16, 8, 1, 9, 7, 3, 4, 1, false},
                                               {1, 5, 8, 1, 7, 3, 1, 1, 1, false}}) == std::pair(4, 2));
    // Sectors are read once for each tile and tap; pixels outside of the image are not.
    int uses[2] = {};
    check_convolution<forward, 2, t256x128>({2, 64, 64, 1, 6, 3, 1, 1, 1, false}, uses, true);
}
