#include "test/grid/gemm_forms.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx950: int8 and int4 weights", "[gemm]") { check_quantized_weights<arch::gfx950>(); }
