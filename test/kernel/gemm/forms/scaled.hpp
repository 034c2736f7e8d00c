#pragma once

#include <tegula/kernel/gemm/forms/block_scaled.hpp>

#include "test/kernel/gemm/forms/forms.hpp"

namespace tegula::test {

/// Block-scaled products: each product takes part in a sum of 128, is scaled by two scales and added to a sum over the
/// groups.
template <class Kernels, class A, class B>
void check_block_scaled_case(const gemm_case& f, int (&uses)[2])
{
    using args_type = typename Kernels::arguments;
    stored_matrix<A> a(f.m, f.k, f.batch, f.a, f.rows);
    stored_matrix<B> b(f.k, f.n, f.batch, f.b, f.rows);
    stored_matrix<float> c(f.m, f.n, f.batch, f.c, f.rows);
    const long_index_t gk = args_type::groups(f.k), gn = args_type::groups(f.n);
    // Scales of all orders, whichever the kernel.
    const auto order = static_cast<memory_order>(f.activation);
    stored_matrix<float> sa(f.m, gk, f.batch, order, padding::odd);
    stored_matrix<float> sb(gk, gn, f.batch, order, padding::none);
    a.fill(1);
    b.fill(2);
    sa.fill(3);
    sb.fill(4);
    args_type args{{f.m, f.n, f.k, f.batch, a.source(), b.source(), c.argument(), {}}, sa.source(), sb.source()};
    run_form<Kernels>(args, uses);

    const auto a_at = [&](long_index_t batch, long_index_t i, long_index_t k) {
        return static_cast<double>(a.values[a.where.at(batch, i, k)]) *
               static_cast<double>(sa.values[sa.where.at(batch, i, k / 128)]);
    };
    const auto b_at = [&](long_index_t batch, long_index_t k, long_index_t j) {
        return static_cast<double>(b.values[b.where.at(batch, k, j)]) *
               static_cast<double>(sb.values[sb.where.at(batch, k / 128, j / 128)]);
    };
    // 127 additions in a group, two products with scales, additions of groups.
    const double roundings = static_cast<double>(std::min<long_index_t>(f.k, 128) + 3 + gk);
    const auto close = [&](float x, double value, double magnitude, auto...) {
        return is_close(static_cast<double>(x), value, magnitude, roundings);
    };
    CHECK(all_elements(f, c, multiply_in_double(f, a_at, b_at), close));
    CHECK(c.surroundings_untouched());
}

template <class Tile, operand_order A, operand_order B>
void check_block_scaled(const std::vector<gemm_case>& cases)
{
    using kernels = two_of<block_scaled_kernels<Tile, float, epilogue::none>, A, B>;
    int uses[2] = {};
    for (const gemm_case& f : cases) {
        INFO(f.text());
        check_block_scaled_case<kernels, typename Tile::a_type, typename Tile::b_type>(f, uses);
    }
    CHECK(uses[0] > 10);
    CHECK(uses[1] > 10);
}

template <class Tile, operand_order A, operand_order B>
void check_block_scaled(quarter part)
{
    check_block_scaled<Tile, A, B>(two_kernel_cases(A, B, part));
}

} // namespace tegula::test
