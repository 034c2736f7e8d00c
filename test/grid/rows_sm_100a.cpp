#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_100a: kernels on rows of f16", "[rows]") { check_rows_grid<arch::sm_100a, half>(); }
