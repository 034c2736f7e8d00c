#include "test/grid/rows.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_120a: kernels on rows of float", "[rows]") { check_rows_grid<arch::sm_120a, float>(); }
