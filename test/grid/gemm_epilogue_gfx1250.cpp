#include "test/grid/gemm_forms.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1250: epilogues with results of 8 bits", "[gemm]")
{
    check_epilogues_in_8_bits<arch::gfx1250>(epilogue_cases(quarter::all));
}
