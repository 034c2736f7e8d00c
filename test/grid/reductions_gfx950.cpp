#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;

TEST_CASE("gfx950: reductions, scans and top-k of any shape")
{
    test::check_reductions_and_scans<arch::gfx950, bfloat16>();
}
