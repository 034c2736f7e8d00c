#include "test/grid/attention_split_combinations.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1201: keys split, and what changes scores", "[attention]") { check_split_combinations<arch::gfx1201>(); }
