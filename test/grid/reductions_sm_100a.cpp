#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;

TEST_CASE("sm_100a: reductions, scans and top-k of any shape")
{
    test::check_reductions_and_scans<arch::sm_100a, half>();
}
