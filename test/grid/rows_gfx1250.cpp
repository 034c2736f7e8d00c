#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1250: kernels on rows of float", "[rows]") { check_rows_grid<arch::gfx1250, float>(); }

TEST_CASE("gfx1250: kernels on rows of bf16", "[rows]") { check_rows_grid<arch::gfx1250, bfloat16>(); }
