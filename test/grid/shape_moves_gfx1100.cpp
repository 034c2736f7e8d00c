#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;
using target = arch::gfx1100;
using element = bfloat16;

TEST_CASE("elementwise operations of any shape on gfx1100") { test::check_elementwise_shapes<target, element>(); }
TEST_CASE("permutations of any shape on gfx1100") { test::check_permutes<target, element>(); }
TEST_CASE("gathers of any shape on gfx1100") { test::check_gathers<target, element>(); }
TEST_CASE("rotary embeddings of any shape on gfx1100") { test::check_rotaries<target, element>(); }
TEST_CASE("pooling of any shape on gfx1100") { test::check_poolings<target, element>(); }
