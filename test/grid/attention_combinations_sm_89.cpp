#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;
using of = combinations<tegula::arch::sm_89>;

TEST_CASE("sm_89: attention of f16 in every two forms", "[attention]") { of::check_half(); }

TEST_CASE("sm_89: attention of bf16 in every two forms", "[attention]") { of::check_bfloat16(); }
