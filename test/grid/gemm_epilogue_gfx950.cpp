#include "test/grid/gemm_forms.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx950: epilogues with results of 8 bits, every size", "[.full]")
{
    check_epilogues_in_8_bits<arch::gfx950>(epilogue_grid());
}
