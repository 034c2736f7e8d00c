// Rows of wgmma (takes_wgmma_row; all of them in test/grid): a single 1 in A and in B gives a single 1 in C. It passes through
// load, atom and store, with A in shared memory and in registers.

#include "test/mma/emulation/one_hot_wgmma.hpp"

#include <tegula/mma/table/instruction_table.hpp>

#include <algorithm>

namespace tegula::test {
namespace {

const std::vector<wgmma_row_products>& all_rows()
{
    static const auto rows = [] {
        std::vector<wgmma_row_products> all;
        static_for<wgmma_form_count>([&](auto form) { add_wgmma_rows<decltype(form)::value>(all); });
        return all;
    }();
    return rows;
}

/// Runs the cases that `choose` makes for every `parts`th row, from `part` on, if it has at most `widest` columns. Misuse
/// of memory is left to the tests in wgmma.cpp: without looking for it this takes half the time.
template <class Choose>
void check_wgmma_rows(Choose&& choose, int widest = 256, std::size_t part = 0, std::size_t parts = 1)
{
    for (std::size_t i = part; i < all_rows().size(); i += parts) {
        const auto& [row, a_shared, a_registers] = all_rows()[i];
        if (row.n > widest)
            continue;
        const one_hot_shape shape{row, row.m, row.n, row.k};
        const std::vector<one_hot> cases = choose(shape);
        const one_hot_block block{4, static_cast<int>(shape.a_bytes() + shape.b_bytes()), false};
        INFO(name_of(row).c_str());
        CHECK(count_wrong(shape, chip::sm_90a, a_shared, cases, block) == 0);
        CHECK(count_wrong(shape, chip::sm_90a, a_registers, cases, block) == 0);
    }
}

} // namespace

TEST_CASE("the rows of wgmma that are tested are those of the table", "[mma]")
{
    std::size_t count = 0;
    const auto form_of = [](const instruction& i) {
        int form = 0;
        for (; form < wgmma_form_count; ++form) {
            instruction row = detail::instruction_rows::wgmma_forms[form];
            row.n = i.n;
            if (has_name(row, name_of(i).c_str()))
                break;
        }
        return form;
    };
    for (const instruction& i : instruction_table())
        if (kind_of(i) == instruction_kind::wgmma) {
            const int form = form_of(i);
            REQUIRE(form < wgmma_form_count);
            if (!takes_wgmma_row(form, i.n))
                continue;
            REQUIRE(count < all_rows().size());
            CHECK(has_name(all_rows()[count++].row, name_of(i).c_str()));
        }
    CHECK(count == all_rows().size());
}

TEST_CASE("a single 1 through every row of wgmma", "[mma]") { check_wgmma_rows(all_indices); }
// test/grid has a test for each part.
TEMPLATE_TEST_CASE_SIG("a single 1 through every row of wgmma, all pairs", "[mma][.full]", ((std::size_t Part), Part),
                       0, 1, 2, 3)
{
    check_wgmma_rows(all_pairs, 256, Part, 4);
}
// All triples of all widths would be 100 million products.
TEST_CASE("a single 1 through narrow rows of wgmma, all of them", "[mma][.full]") { check_wgmma_rows(all_triples, 24); }

} // namespace tegula::test
