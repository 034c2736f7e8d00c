#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1201: kernels on rows of float", "[rows]") { check_rows_grid<arch::gfx1201, float>(); }

TEST_CASE("gfx1201: kernels on rows of f16", "[rows]") { check_rows_grid<arch::gfx1201, half>(); }

TEST_CASE("gfx1201: kernels on rows of bf16", "[rows]") { check_rows_grid<arch::gfx1201, bfloat16>(); }
