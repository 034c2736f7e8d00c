#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;

TEST_CASE("gfx1250: reductions, scans and top-k of any shape")
{
    test::check_reductions_and_scans<arch::gfx1250, half>();
}
