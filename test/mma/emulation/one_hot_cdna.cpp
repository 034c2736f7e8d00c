// Every CDNA row of the table: a single 1 in A and in B gives a single 1 in C, through load, atom and store.

#include "test/mma/table/row_targets.hpp"

namespace tegula::test {

TEST_CASE("a single 1 through every CDNA row", "[mma]") { check_rows<instruction_family::mfma>(all_indices); }
TEST_CASE("a single 1 through every CDNA row, all of them", "[mma][.full]")
{
    check_rows<instruction_family::mfma>(all_triples);
}

} // namespace tegula::test
