#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx90a: kernels on rows of float", "[rows]") { check_rows_grid<arch::gfx90a, float>(); }

TEST_CASE("gfx90a: kernels on rows of f16", "[rows]") { check_rows_grid<arch::gfx90a, half>(); }

TEST_CASE("gfx90a: kernels on rows of bf16", "[rows]") { check_rows_grid<arch::gfx90a, bfloat16>(); }
