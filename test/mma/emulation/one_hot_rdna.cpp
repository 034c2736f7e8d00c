// Every RDNA row of the table: a single 1 in A and in B gives a single 1 in C, through load, atom and store.

#include "test/mma/table/row_targets.hpp"

namespace tegula::test {

TEST_CASE("a single 1 through every RDNA row", "[mma]")
{
    check_rows<instruction_family::wmma_gfx11>(all_pairs);
    check_rows<instruction_family::wmma_gfx12>(all_pairs);
}
TEST_CASE("a single 1 through the rows of gfx1250", "[mma]")
{
    // The layout of an operand of f8f6f4 does not depend on the other one.
    check_rows<instruction_family::wmma_gfx1250>([](const one_hot_shape& s) {
        return is_f8f6f4(s.row) && s.row.a != s.row.b ? std::vector<one_hot>{} : all_pairs(s);
    });
}
TEST_CASE("a single 1 through every RDNA row, all of them", "[mma][.full]")
{
    check_rows<instruction_family::wmma_gfx11>(all_triples);
    check_rows<instruction_family::wmma_gfx12>(all_triples);
    check_rows<instruction_family::wmma_gfx1250>(all_triples);
}

} // namespace tegula::test
