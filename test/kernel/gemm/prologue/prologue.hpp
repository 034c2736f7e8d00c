#pragma once

/// GEMM with a prologue on the emulator, against the sums in double.

#include "test/kernel/gemm/forms/forms.hpp"
#include "test/kernel/gemm/prologue/operands.hpp"

namespace tegula::test {

/// Counts of runs.
struct prologue_uses
{
    int of[2] = {}; ///< runs of the kernels of vectors, of the element-wise one
};

using gathered_epilogue = epilogue::chain<epilogue::add_bias<float>, epilogue::activate>;

/// A table of rows, row i of A its row rows[i]; rows of C go to places of their own, one in seven to none.
template <class T, class kernels>
void check_gathered(const gemm_case& f, prologue_uses& uses)
{
    const long_index_t table_rows = f.m / 2 + 3, height = f.m + 5;
    stored_matrix<T> table(table_rows, f.k, f.batch, f.a, f.rows);
    stored_matrix<T> b(f.k, f.n, f.batch, f.b, f.rows);
    stored_matrix<float> c(height, f.n, f.batch, f.c, f.rows);
    table.fill(1), b.fill(2);
    const auto rows = random_rows(f.m * f.batch, table_rows, 3);
    std::vector<float> bias(static_cast<std::size_t>(f.n));
    fill_uniform(std::span(bias), 4);
    std::vector<index_t> places, row_of(static_cast<std::size_t>(height), -1);
    for (long_index_t i = 0; i < f.m; ++i) {
        const index_t place = i % 7 == 3 ? -1 : static_cast<index_t>(f.m + 4 - i);
        places.push_back(place);
        if (place >= 0)
            row_of[static_cast<std::size_t>(place)] = static_cast<index_t>(i);
    }
    typename kernels::arguments args;
    args.m = f.m, args.n = f.n, args.k = f.k, args.batch = f.batch;
    const auto t = table.source();
    args.a = {t.data, t.row_stride, t.column_stride, t.batch_stride, rows.data(), f.m, table_rows};
    args.b = make_b_operand(b.source());
    args.c = c.argument();
    args.epilogue = epilogue::make_chain(epilogue::add_bias<float>{bias.data()}, epilogue::activate{f.activation});
    args.c_rows = places.data();
    args.c_height = height;
    run_form<kernels>(args, uses.of);

    const auto a_at = [&](long_index_t batch, long_index_t i, long_index_t k) {
        const index_t row = rows[static_cast<std::size_t>(batch * f.m + i)];
        return row < 0 || row >= table_rows ? 0.0 : static_cast<double>(table.values[table.where.at(batch, row, k)]);
    };
    const auto b_at = [&](long_index_t batch, long_index_t k, long_index_t j) {
        return static_cast<double>(b.values[b.where.at(batch, k, j)]);
    };
    const reference_gemm_result exact = multiply_in_double(f, a_at, b_at);
    bool close = true;
    for (long_index_t batch = 0; batch < f.batch; ++batch)
        for (long_index_t p = 0; p < height; ++p)
            for (long_index_t j = 0; j < f.n; ++j) {
                const std::size_t at = c.where.at(batch, p, j);
                const index_t i = row_of[static_cast<std::size_t>(p)];
                if (i < 0) {
                    close = close && std::memcmp(&c.values[at], &c.before[at], sizeof(float)) == 0;
                    continue;
                }
                const auto n = static_cast<std::size_t>((batch * f.m + i) * f.n + j);
                const double with_bias = exact.values[n] + static_cast<double>(bias[static_cast<std::size_t>(j)]);
                const double value = f.activation == activation::relu ? std::max(with_bias, 0.0) : with_bias;
                close = close && is_close(static_cast<double>(c.values[at]), value, exact.magnitudes[n] + 1,
                                          static_cast<double>(f.k + 2));
            }
    CHECK(close);
    CHECK(c.surroundings_untouched());
}

/// A step of k reads the sectors of its elements; a row that the table lacks adds none. From one k to a larger one the
/// number grows by the sectors of the elements between. Indices and the epilogue's reads do not depend on k.
template <class Tile, class kernels>
void check_gathered_sectors(operand_order order_b)
{
    using T = typename Tile::a_type;
    constexpr long_index_t m = 2 * Tile::block_m, n = Tile::block_n, step = 2 * Tile::block_k;
    // Each row of the table at most once, since lanes of one access share sectors; one in five is not there.
    std::vector<index_t> rows(m), places(m);
    for (long_index_t i = 0; i < m; ++i) {
        rows[static_cast<std::size_t>(i)] = i % 5 == 2 ? -1 : static_cast<index_t>((7 * i + 3) % m);
        places[static_cast<std::size_t>(i)] = static_cast<index_t>(i);
    }
    const auto found = m - std::count(rows.begin(), rows.end(), -1);
    const std::vector<float> bias(n);
    std::int64_t read[2];
    for (int i = 0; i < 2; ++i) {
        const long_index_t k = (i + 1) * step;
        const memory_order b_lies =
            order_b == operand_order::k_contiguous ? memory_order::column_major : memory_order::row_major;
        stored_matrix<T> table(m, k, 1, memory_order::row_major, padding::none);
        stored_matrix<T> b(k, n, 1, b_lies, padding::none);
        stored_matrix<float> c(m, n, 1, memory_order::row_major, padding::none);
        table.fill(1), b.fill(2);
        typename kernels::arguments args;
        args.m = m, args.n = n, args.k = k;
        const auto t = table.source();
        args.a = {t.data, t.row_stride, t.column_stride, t.batch_stride, rows.data(), m, m};
        args.b = make_b_operand(b.source());
        args.c = c.argument();
        args.epilogue = epilogue::make_chain(epilogue::add_bias<float>{bias.data()}, epilogue::activate{});
        args.c_rows = places.data();
        args.c_height = m;
        const auto run = kernels::dispatch(args, [&](auto kernel) { return emulate(kernel, args); });
        INFO(run.report << run.status.message());
        REQUIRE(run.status.ok());
        read[i] = run.counters.global_load_sectors;
    }
    CHECK(read[1] - read[0] == (found + 2 * n) * step * static_cast<long_index_t>(sizeof(T)) / 32);
}

/// A = left * right, element by element, rounded to the tile's type.
template <class T, class kernels>
void check_made(const gemm_case& f, prologue_uses& uses)
{
    stored_matrix<T> left(f.m, f.k, f.batch, f.a, f.rows), right(f.m, f.k, f.batch, f.a, f.rows);
    stored_matrix<T> b(f.k, f.n, f.batch, f.b, f.rows);
    stored_matrix<float> c(f.m, f.n, f.batch, f.c, f.rows);
    left.fill(1), right.fill(2), b.fill(3);
    typename kernels::arguments args;
    args.m = f.m, args.n = f.n, args.k = f.k, args.batch = f.batch;
    const auto x = left.source();
    args.a.maker = {x, right.source(),
                    x.column_stride == 1 && has_aligned_rows(x, x.row_stride, f.m, f.batch) &&
                        f.rows == padding::vectors};
    args.b = make_b_operand(b.source());
    args.c = c.argument();
    run_form<kernels>(args, uses.of);

    const auto a_at = [&](long_index_t batch, long_index_t i, long_index_t k) {
        const std::size_t at = left.where.at(batch, i, k);
        return static_cast<double>(product_of_two<T>::multiply(left.values[at], right.values[at]));
    };
    const auto b_at = [&](long_index_t batch, long_index_t k, long_index_t j) {
        return static_cast<double>(b.values[b.where.at(batch, k, j)]);
    };
    const auto close = [&](float y, double value, double magnitude, auto...) {
        return is_close(static_cast<double>(y), value, magnitude, static_cast<double>(f.k + 1));
    };
    CHECK(all_elements(f, c, multiply_in_double(f, a_at, b_at), close));
    CHECK(c.surroundings_untouched());
}

/// Two weights of one order, a function between.
template <class T, class kernels>
void check_gated(const gemm_case& f, prologue_uses& uses)
{
    stored_matrix<T> a(f.m, f.k, f.batch, f.a, f.rows);
    stored_matrix<T> gate(f.k, f.n, f.batch, f.b, f.rows), up(f.k, f.n, f.batch, f.b, f.rows);
    stored_matrix<float> c(f.m, f.n, f.batch, f.c, f.rows);
    a.fill(1), gate.fill(2), up.fill(3);
    typename kernels::arguments args;
    args.m = f.m, args.n = f.n, args.k = f.k, args.batch = f.batch;
    args.a = make_a_operand(a.source());
    args.b = {make_b_operand(gate.source()), make_b_operand(up.source()), f.activation};
    args.c = c.argument();
    run_form<kernels>(args, uses.of);

    const auto of = [](const stored_matrix<T>& x) {
        return [&x](long_index_t batch, long_index_t i, long_index_t j) {
            return static_cast<double>(x.values[x.where.at(batch, i, j)]);
        };
    };
    const reference_gemm_result gates = multiply_in_double(f, of(a), of(gate));
    reference_gemm_result exact = multiply_in_double(f, of(a), of(up));
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
        const double x = gates.values[i];
        const double y = f.activation == activation::silu   ? x / (1 + std::exp(-x))
                         : f.activation == activation::gelu ? x * 0.5 * std::erfc(-x / std::sqrt(2.0))
                         : f.activation == activation::relu ? std::max(x, 0.0)
                                                            : x;
        // The slopes of these functions are at most 1.13; both sums err by their magnitudes.
        exact.magnitudes[i] =
            std::fabs(y) * exact.magnitudes[i] + 1.13 * gates.magnitudes[i] * std::fabs(exact.values[i]);
        exact.values[i] *= y;
    }
    const auto close = [&](float y, double value, double magnitude, auto...) {
        return is_close(static_cast<double>(y), value, magnitude, static_cast<double>(f.k + 4));
    };
    CHECK(all_elements(f, c, exact, close));
    CHECK(c.surroundings_untouched());
}

/// Gated products over pairs of sizes, strides and orders, a part of them.
template <class Tile, operand_order OrderA, operand_order OrderB>
void check_gated_products(quarter part)
{
    using T = typename Tile::a_type;
    using kernels =
        two_of<prologue_kernels<Tile, strided_rows<T>, gated_rows<T>, float, epilogue::none>, OrderA, OrderB>;
    prologue_uses uses;
    for (const gemm_case& f : two_kernel_cases(OrderA, OrderB, part)) {
        INFO("gated " << f.text());
        check_gated<T, kernels>(f, uses);
    }
    CHECK(uses.of[0] > 3);
    CHECK(uses.of[1] > 3);
}

/// Both kinds of operands over pairs of sizes, strides and orders, each a part of them.
template <class Tile, operand_order OrderB>
void check_prologue(quarter gathered, quarter made)
{
    using T = typename Tile::a_type;
    constexpr operand_order k = operand_order::k_contiguous;
    using rows = two_of<
        prologue_kernels<Tile, gathered_rows<T>, strided_rows<T>, float, gathered_epilogue, c_rows_order::by_index>, k,
        OrderB>;
    using products =
        two_of<prologue_kernels<Tile, made_elements<T, product_of_two<T>>, strided_rows<T>, float, epilogue::none>, k,
               OrderB>;
    prologue_uses uses;
    for (gemm_case f : two_kernel_cases(operand_order::k_contiguous, OrderB, gathered)) {
        f.activation = f.activation == activation::none ? activation::none : activation::relu;
        if (f.rows == padding::vectors && f.m % 2 == 1) // rows of whole vectors, which the kernel of vectors asks for
            f.k = (f.k + 7) / 8 * 8;
        INFO("gathered " << f.text());
        check_gathered<T, rows>(f, uses);
    }
    CHECK(uses.of[0] > 3);
    CHECK(uses.of[1] > 3);
    check_gathered_sectors<Tile, rows>(OrderB);
    uses = {};
    for (const gemm_case& f : two_kernel_cases(operand_order::k_contiguous, OrderB, made)) {
        INFO("made " << f.text());
        check_made<T, products>(f, uses);
    }
    CHECK(uses.of[0] > 3);
    CHECK(uses.of[1] > 3);
}

} // namespace tegula::test
