#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx950: kernels on rows of float", "[rows]") { check_rows_grid<arch::gfx950, float>(); }

TEST_CASE("gfx950: kernels on rows of f16", "[rows]") { check_rows_grid<arch::gfx950, half>(); }

TEST_CASE("gfx950: kernels on rows of bf16", "[rows]") { check_rows_grid<arch::gfx950, bfloat16>(); }
