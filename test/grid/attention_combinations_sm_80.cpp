#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;
using of = combinations<tegula::arch::sm_80>;

TEST_CASE("sm_80: attention of f16 in every two forms", "[attention]") { of::check_half(); }

TEST_CASE("sm_80: attention of bf16 in every two forms", "[attention]") { of::check_bfloat16(); }
