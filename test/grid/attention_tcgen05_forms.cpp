#include "test/kernel/attention/tcgen05/family.hpp"
#include "test/kernel/attention/tensor_copies.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_100a: attention by tcgen05 of f16, all keys", "[attention]") { check_all_keys<by_tcgen05>(); }

TEST_CASE("sm_100a: attention by tcgen05 of wide heads, and all exponentials by the instruction", "[attention]")
{
    check_wide_heads<by_tcgen05, by_tcgen05_with<hardware_exponentials>>();
}
