#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;
using of = combinations<tegula::arch::gfx90a>;

TEST_CASE("gfx90a: attention of f16 in every two forms", "[attention]") { of::check_half(); }

TEST_CASE("gfx90a: attention of bf16 in every two forms", "[attention]") { of::check_bfloat16(); }
