#pragma once

#include "test/kernel/gemm_forms.hpp"

namespace tegula::test {

/// Block-scaled products: each product takes part in a sum of 128, is scaled by two scales and added to a sum over the
/// groups.
template <class Kernels, class A, class B>
void check_block_scaled_case(const form_case& f, int (&uses)[2])
{
    using args_type = typename Kernels::arguments;
    stored_matrix<A> a(f.m, f.k, f.batch, f.a, f.rows);
    stored_matrix<B> b(f.k, f.n, f.batch, f.b, f.rows);
    stored_matrix<float> c(f.m, f.n, f.batch, memory_order::row_major, f.rows);
    const long_index_t gk = args_type::groups(f.k), gn = args_type::groups(f.n);
    // Scales of A lie by columns, as quantisation kernels write them; both tight, so that reads past them are seen.
    stored_matrix<float> sa(f.m, gk, f.batch, memory_order::column_major, padding::odd);
    stored_matrix<float> sb(gk, gn, f.batch, memory_order::row_major, padding::none);
    a.fill(1);
    b.fill(2);
    sa.fill(3);
    sb.fill(4);
    args_type args{{f.m, f.n, f.k, f.batch, a.source(), b.source(), c.argument(), {}}, sa.source(), sb.source()};
    run_form<Kernels>(args, uses);

    bool close = true;
    for (long_index_t batch = 0; batch < f.batch; ++batch)
        for (long_index_t i = 0; i < f.m; ++i)
            for (long_index_t j = 0; j < f.n; ++j) {
                double value = 0, magnitude = 0;
                for (long_index_t k = 0; k < f.k; ++k) {
                    const double x = static_cast<double>(a.values[a.where.at(batch, i, k)]) *
                                     static_cast<double>(b.values[b.where.at(batch, k, j)]) *
                                     static_cast<double>(sa.values[sa.where.at(batch, i, k / 128)]) *
                                     static_cast<double>(sb.values[sb.where.at(batch, k / 128, j / 128)]);
                    value += x;
                    magnitude += std::fabs(x);
                }
                // 127 additions in a group, two products with scales, additions of groups.
                const double roundings = static_cast<double>(std::min<long_index_t>(f.k, 128) + 3 + gk);
                close = close &&
                        is_close(static_cast<double>(c.values[c.where.at(batch, i, j)]), value, magnitude, roundings);
            }
    CHECK(close);
    CHECK(c.surroundings_untouched());
}

template <class Tile, operand_order A, operand_order B>
void check_block_scaled()
{
    using kernels = two_of<block_scaled_kernels<Tile, float, epilogue::none>, A, B>;
    int uses[2] = {};
    for (const form_case& f : form_cases()) {
        INFO(f.m << " x " << f.n << " x " << f.k);
        check_block_scaled_case<kernels, typename Tile::a_type, typename Tile::b_type>(f, uses);
    }
    CHECK(uses[0] > 0);
    CHECK(uses[1] > 0);
}

} // namespace tegula::test
