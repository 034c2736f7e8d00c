#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;

TEST_CASE("sm_100a: elementwise, permute, gather, rotary embedding and pooling of any shape")
{
    test::check_moves<arch::sm_100a, bfloat16>();
}
