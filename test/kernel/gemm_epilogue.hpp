#pragma once

/// Epilogues of many parts on the emulator, against the same steps in double.

#include <tegula/host/epilogue_memory.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm_data.hpp"

namespace tegula::test {

/// A value with what its error is measured against.
///
/// Each step is one rounded operation in float, so that after `steps` of them on a sum of k products the error is at
/// most gamma_(k + steps) * magnitude (see gemm_error_bound); `more` is what evaluating an activation adds.
struct followed_value
{
    double value = 0, magnitude = 0, more = 0, slope = 1;
    int steps = 0;

    void multiply(double s)
    {
        value *= s;
        magnitude *= std::fabs(s);
        more *= std::fabs(s);
        ++steps;
    }
    void divide(double s)
    {
        value /= s;
        magnitude /= std::fabs(s);
        more /= std::fabs(s);
        ++steps;
    }
    void add(double x)
    {
        value += x;
        magnitude += std::fabs(x);
        ++steps;
    }
    void apply(tegula::activation f)
    {
        slope *= lipschitz_constant(f);
        more = more * lipschitz_constant(f) + 16 * float_rounding_unit * magnitude;
        value = tegula::apply(f, value);
    }

    double error(long_index_t k) const
    {
        const double n = static_cast<double>(k + steps) * float_truncation_unit;
        return slope * n / (1 - n) * magnitude + more + 0x1p-100;
    }
};

/// Whether `stored` is `v` rounded to T, saturated where T does so.
template <class T>
bool is_stored(T stored, const followed_value& v, long_index_t k)
{
    const double error = v.error(k);
    const double most = number_traits<T>::is_float ? static_cast<double>(number_traits<T>::max()) : 127;
    const double least = number_traits<T>::is_float ? -most : -128;
    const double expected = std::fmin(std::fmax(v.value, least), most);
    double rounding = 0.5;
    if constexpr (number_traits<T>::is_float)
        rounding = tegula::detail::storing_error<T>(std::fabs(expected) + error);
    return std::fabs(static_cast<double>(stored) - expected) <= error + rounding;
}

/// Scales whose quotients are not exact, some below 1; as long as they are read, so that a read past them is seen.
inline std::vector<float> make_scales(long_index_t count, std::uint64_t seed)
{
    std::vector<float> scales(static_cast<std::size_t>(count));
    fill_uniform(std::span(scales), seed, 0.25, 3);
    return scales;
}

struct epilogue_case
{
    long_index_t m, n, k, batch;
    padding rows;
    memory_order other; ///< of the residual and the copy
};

inline std::vector<epilogue_case> epilogue_cases()
{
    using enum memory_order;
    return {{1, 1, 3, 1, padding::none, row_major},         {65, 133, 40, 2, padding::odd, strided},
            {64, 128, 64, 1, padding::vectors, row_major},  {130, 61, 33, 2, padding::vectors, row_major},
            {67, 70, 1, 3, padding::vectors, column_major}, {5, 64, 16, 2, padding::vectors, strided},
            {64, 80, 0, 1, padding::vectors, row_major}};
}

/// Runs the kernel that suits and requires that it ran without a complaint.
template <class Tile, class C, class Arguments>
void run_epilogue_kernel(const Arguments& args)
{
    using kernels = gemm_kernels<Tile, C, decltype(args.epilogue)>;
    REQUIRE(check_epilogue(args).ok());
    const auto launch = [&](auto kernel) { return emulate_gemm(kernel, args); };
    using enum operand_order;
    const bool aligned =
        has_aligned_rows(args.c, args.c.row_stride, args.m, args.batch) &&
        find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch) == k_contiguous &&
        find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, args.batch) == row_contiguous;
    const auto run = aligned ? launch(typename kernels::template aligned<k_contiguous, row_contiguous>{})
                             : launch(typename kernels::element_wise{});
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
}

/// C = quantise(clamp(silu(D = A B * rows * columns + residual))), D stored too; bf16 inputs, fp8 C.
template <class Tile, class C, class D>
void check_float_epilogue(const epilogue_case& e)
{
    using T = typename Tile::a_type;
    using namespace epilogue;
    stored_matrix<T> a(e.m, e.k, e.batch, memory_order::row_major, e.rows);
    stored_matrix<T> b(e.k, e.n, e.batch, memory_order::row_major, e.rows);
    stored_matrix<C> c(e.m, e.n, e.batch, memory_order::row_major, e.rows);
    stored_matrix<D> d(e.m, e.n, e.batch, e.other, e.rows);
    stored_matrix<bfloat16> residual(e.m, e.n, e.batch, e.other, e.rows);
    a.fill(1);
    b.fill(2);
    residual.fill(3);
    const auto rows = make_scales(e.m * e.batch, 4), columns = make_scales(e.n, 5), whole = make_scales(e.batch, 6);
    const float high = 2.5f, low = -0.125f, factor = 0.75f;

    const auto parts = make_chain(scale_rows<>{rows.data(), e.m}, scale_columns<>{columns.data(), 0},
                                  make_residual(residual.argument(), e.m, e.batch, factor),
                                  make_store_copy(d.argument(), e.m, e.batch), activate{tegula::activation::silu},
                                  clamp{low, high}, scale_tensor<scaling::divide>{whole.data(), 1});
    const gemm_arguments<T, T, C, std::remove_const_t<decltype(parts)>> args{
        e.m, e.n, e.k, e.batch, a.source(), b.source(), c.argument(), parts};
    run_epilogue_kernel<Tile, C>(args);

    bool copies = true, results = true;
    for (long_index_t batch = 0; batch < e.batch; ++batch)
        for (long_index_t i = 0; i < e.m; ++i)
            for (long_index_t j = 0; j < e.n; ++j) {
                followed_value v;
                for (long_index_t k = 0; k < e.k; ++k) {
                    const double x = static_cast<double>(a.values[a.where.at(batch, i, k)]) *
                                     static_cast<double>(b.values[b.where.at(batch, k, j)]);
                    v.value += x;
                    v.magnitude += std::fabs(x);
                }
                v.multiply(rows[static_cast<std::size_t>(batch * e.m + i)]);
                v.multiply(columns[static_cast<std::size_t>(j)]);
                v.add(factor * static_cast<double>(residual.values[residual.where.at(batch, i, j)]));
                copies = copies && is_stored(d.values[d.where.at(batch, i, j)], v, e.k);
                v.apply(tegula::activation::silu);
                v.value = std::fmin(std::fmax(v.value, low), high);
                v.divide(whole[static_cast<std::size_t>(batch)]);
                results = results && is_stored(c.values[c.where.at(batch, i, j)], v, e.k);
            }
    CHECK(copies);
    CHECK(results);
    CHECK(c.surroundings_untouched());
    CHECK(d.surroundings_untouched());
    CHECK(residual.surroundings_untouched());
}

/// C = quantise(A B * rows * columns + bias) and a copy of it scaled otherwise; int8 inputs and C.
template <class Tile, class D>
void check_integer_epilogue(const epilogue_case& e)
{
    using namespace epilogue;
    using i8 = std::int8_t;
    stored_matrix<i8> a(e.m, e.k, e.batch, memory_order::row_major, e.rows);
    stored_matrix<i8> b(e.k, e.n, e.batch, memory_order::row_major, e.rows);
    stored_matrix<i8> c(e.m, e.n, e.batch, memory_order::row_major, e.rows);
    stored_matrix<D> d(e.m, e.n, e.batch, e.other, e.rows);
    a.fill(1);
    b.fill(2);
    const auto whole = make_scales(1, 3), columns = make_scales(e.n * e.batch, 4), bias = make_scales(e.n, 5),
               rows = make_scales(e.m, 6);
    const float small = 0.00390625f;

    const auto parts = make_as_float(scale{small}, scale_tensor<>{whole.data(), 0},
                                     scale_columns<>{columns.data(), e.n}, add_bias<float>{bias.data()},
                                     make_store_copy(d.argument(), e.m, e.batch, scale_columns<>{columns.data(), e.n}),
                                     scale_rows<scaling::divide>{rows.data(), 0});
    const gemm_arguments<i8, i8, i8, std::remove_const_t<decltype(parts)>> args{
        e.m, e.n, e.k, e.batch, a.source(), b.source(), c.argument(), parts};
    run_epilogue_kernel<Tile, i8>(args);

    bool copies = true, results = true;
    for (long_index_t batch = 0; batch < e.batch; ++batch)
        for (long_index_t i = 0; i < e.m; ++i)
            for (long_index_t j = 0; j < e.n; ++j) {
                followed_value v;
                for (long_index_t k = 0; k < e.k; ++k)
                    v.value += static_cast<double>(a.values[a.where.at(batch, i, k)]) *
                               static_cast<double>(b.values[b.where.at(batch, k, j)]);
                v.magnitude = std::fabs(v.value); // the integer sum is exact; its conversion is one rounding
                const float column = columns[static_cast<std::size_t>(batch * e.n + j)];
                v.multiply(small);
                v.multiply(whole[0]);
                v.multiply(column);
                v.add(bias[static_cast<std::size_t>(j)]);
                followed_value copy = v;
                copy.multiply(column);
                copies = copies && is_stored(d.values[d.where.at(batch, i, j)], copy, 1);
                v.divide(rows[static_cast<std::size_t>(i)]);
                results = results && is_stored(c.values[c.where.at(batch, i, j)], v, 1);
            }
    CHECK(copies);
    CHECK(results);
    CHECK(c.surroundings_untouched());
    CHECK(d.surroundings_untouched());
}

} // namespace tegula::test
