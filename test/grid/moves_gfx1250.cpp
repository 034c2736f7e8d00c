#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;

TEST_CASE("gfx1250: elementwise, permute, gather, rotary embedding and pooling of any shape")
{
    test::check_moves<arch::gfx1250, bfloat16>();
}
