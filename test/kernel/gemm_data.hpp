#pragma once

/// The matrices of one GEMM case: laid out in memory with guards and padding, filled, and compared afterwards.

#include <tegula/host/error_bound.hpp>
#include <tegula/host/random.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>

#include "test/kernel/gemm_case.hpp"

#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace tegula::test {

/// Where a matrix of a batch lies: strides in elements, `first` the offset of element (0, 0, 0) in its storage.
struct placement
{
    long_index_t first = 0, row_stride = 0, column_stride = 0, batch_stride = 0, storage = 0;

    std::size_t at(long_index_t batch, long_index_t i, long_index_t j) const
    {
        return static_cast<std::size_t>(first + batch * batch_stride + i * row_stride + j * column_stride);
    }
};

inline placement place(long_index_t rows, long_index_t columns, long_index_t batch, memory_order order, padding pad)
{
    constexpr long_index_t vector = 16; // elements; of every type a multiple of 16 bytes
    constexpr long_index_t guard = 4 * vector;
    const bool by_rows = order != memory_order::column_major;
    const long_index_t step = order == memory_order::strided ? 2 : 1;
    const long_index_t inner = (by_rows ? columns : rows) * step, outer = by_rows ? rows : columns;
    const long_index_t leading = pad == padding::none      ? inner
                                 : pad == padding::vectors ? (inner + vector - 1) / vector * vector + vector
                                                           : inner + 3;
    placement p;
    p.first = guard + (pad == padding::odd ? 1 : 0);
    p.row_stride = by_rows ? leading : step;
    p.column_stride = by_rows ? step : leading;
    p.batch_stride = outer * leading + (pad == padding::odd ? 5 : 0);
    p.storage = p.first + batch * p.batch_stride + guard;
    return p;
}

/// What stands where no element is: NaN spreads, and integers give wrong sums.
template <class T>
T poison()
{
    if constexpr (number_traits<T>::is_float)
        return convert<T>(std::numeric_limits<float>::quiet_NaN());
    else
        return T{77};
}

/// One matrix of each batch, its storage, and what was in it at first.
template <class T>
struct stored_matrix
{
    long_index_t rows = 0, columns = 0, batch = 0;
    placement where;
    std::vector<T> values, before;

    stored_matrix(long_index_t r, long_index_t c, long_index_t b, memory_order order, padding pad)
        : rows(r), columns(c), batch(b), where(place(r, c, b, order, pad)),
          values(static_cast<std::size_t>(where.storage), poison<T>()), before(values)
    {}

    template <class Body>
    void for_each(const Body& body)
    {
        for (long_index_t b = 0; b < batch; ++b)
            for (long_index_t i = 0; i < rows; ++i)
                for (long_index_t j = 0; j < columns; ++j)
                    body(values[where.at(b, i, j)]);
    }

    void fill(std::uint64_t seed)
    {
        random_source random(seed);
        for_each([&](T& x) {
            if constexpr (number_traits<T>::is_float)
                x = convert<T>(random.uniform(-1, 1));
            else
                x = static_cast<T>(random.integer(-128, 127));
        });
        before = values;
    }

    matrix_argument<T> argument()
    {
        return {values.data() + where.first, where.row_stride, where.column_stride, where.batch_stride};
    }
    matrix_argument<const T> source()
    {
        return {values.data() + where.first, where.row_stride, where.column_stride, where.batch_stride};
    }
    strided_matrix<T> view(const std::vector<T>& of) const
    {
        return {of.data() + where.first, where.row_stride, where.column_stride, where.batch_stride};
    }

    /// Whether everything between and around the elements is as it was.
    bool surroundings_untouched()
    {
        std::vector<T> now = values;
        std::vector<bool> element(now.size(), false);
        for (long_index_t b = 0; b < batch; ++b)
            for (long_index_t i = 0; i < rows; ++i)
                for (long_index_t j = 0; j < columns; ++j)
                    element[where.at(b, i, j)] = true;
        for (std::size_t i = 0; i < now.size(); ++i)
            if (!element[i] && std::memcmp(&now[i], &before[i], sizeof(T)) != 0)
                return false;
        return true;
    }
};

/// What the tests put between the accumulator and a C of this type.
template <class C>
struct test_epilogue
{
    using type = epilogue::linear<C, float>;
};
template <>
struct test_epilogue<std::int32_t>
{
    using type = epilogue::none;
};

template <class T, class C>
struct gemm_data
{
    using epilogue_type = typename test_epilogue<C>::type;
    using arguments_type = gemm_arguments<T, T, C, epilogue_type>;
    static constexpr bool exact = std::is_same_v<C, std::int32_t>;

    gemm_case what;
    stored_matrix<T> a, b;
    stored_matrix<C> c, c0;
    std::vector<float> bias;

    explicit gemm_data(const gemm_case& g)
        : what(g), a(g.m, g.k, g.batch, g.a, g.rows), b(g.k, g.n, g.batch, g.b, g.rows),
          c(g.m, g.n, g.batch, memory_order::row_major, g.rows), c0(c),
          bias(static_cast<std::size_t>(g.n), std::numeric_limits<float>::quiet_NaN())
    {
        a.fill(1);
        b.fill(2);
        if (g.beta != 0) // where beta is 0, C0 stays poison: it must not be read
            (g.in_place ? c : c0).fill(3);
        if (g.bias)
            fill_uniform(std::span(bias), 4);
    }

    arguments_type arguments()
    {
        arguments_type args{what.m, what.n, what.k, what.batch, a.source(), b.source(), c.argument(), {}};
        if constexpr (!exact)
            args.epilogue = epilogue::make_linear<C, float>(what.alpha, what.beta, (what.in_place ? c : c0).source(),
                                                            what.bias ? bias.data() : nullptr, what.activation);
        return args;
    }

    /// Rows of C0 start as those of C do.
    bool aligned_epilogue() { return has_aligned_rows(c0.argument(), c0.where.row_stride, what.m, what.batch); }

    /// Compares C with the product in double, or with the exact integers.
    error_report verify(double unit = float_rounding_unit)
    {
        reference_gemm_problem<T, T, C, float> p{what.m,     what.n,           what.k,
                                                 what.batch, a.view(a.before), b.view(b.before)};
        if constexpr (exact)
            return verify_integer_gemm(p, c.view(c.values), reference_integer_gemm(p));
        else {
            p.alpha = what.alpha;
            p.beta = what.beta;
            p.c = what.in_place ? c.view(c.before) : c0.view(c0.before);
            p.bias = what.bias ? bias.data() : nullptr;
            p.activation = what.activation;
            return verify_gemm<C>(p, c.view(c.values), reference_gemm(p), unit);
        }
    }
};

} // namespace tegula::test
