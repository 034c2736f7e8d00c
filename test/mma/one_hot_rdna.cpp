// Every RDNA row of the table: a single 1 in A and in B gives a single 1 in C, through load, atom and store.

#include "test/mma/row_targets.hpp"

namespace tegula::test {

TEST_CASE("a single 1 through every RDNA row", "[mma]")
{
    check_rows<instruction_family::wmma_gfx11>(all_pairs);
    check_rows<instruction_family::wmma_gfx12>(all_pairs);
}
TEST_CASE("a single 1 through every RDNA row, all of them", "[mma][.full]")
{
    check_rows<instruction_family::wmma_gfx11>(all_triples);
    check_rows<instruction_family::wmma_gfx12>(all_triples);
}

} // namespace tegula::test
