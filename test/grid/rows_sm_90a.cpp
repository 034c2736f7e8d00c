#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: kernels on rows of float", "[rows]") { check_rows_grid<arch::sm_90a, float>(); }

TEST_CASE("sm_90a: kernels on rows of f16", "[rows]") { check_rows_grid<arch::sm_90a, half>(); }

TEST_CASE("sm_90a: kernels on rows of bf16", "[rows]") { check_rows_grid<arch::sm_90a, bfloat16>(); }
