#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;
using of = combinations<tegula::arch::gfx1100>;

TEST_CASE("gfx1100: attention of f16 in every two forms", "[attention]") { of::check_half(); }

TEST_CASE("gfx1100: attention of bf16 in every two forms", "[attention]") { of::check_bfloat16(); }
