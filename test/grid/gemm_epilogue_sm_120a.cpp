#include "test/grid/gemm_forms.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_120a: epilogues with results of 8 bits, every size", "[.full]")
{
    check_epilogues_in_8_bits<arch::sm_120a>(epilogue_grid());
}
