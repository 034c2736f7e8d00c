#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;

TEST_CASE("gfx950: elementwise, permute, gather, rotary embedding and pooling of any shape")
{
    test::check_moves<arch::gfx950, half>();
}
