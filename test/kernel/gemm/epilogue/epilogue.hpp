#pragma once

/// Epilogues of many parts on the emulator, against the same steps in double.

#include "test/kernel/gemm/forms/forms.hpp"
#include "test/kernel/gemm/forms/split_harness.hpp"

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

/// How the product is computed that an epilogue follows.
struct plain_form
{
    template <class Kernel>
    static emulator::launch_result run(Kernel kernel, const typename Kernel::arguments& args)
    {
        return emulate(kernel, args);
    }
};

template <template <class> class Shared>
struct shared_form
{
    template <class Kernel>
    static emulator::launch_result run(Kernel, const typename Kernel::arguments& product)
    {
        typename Shared<Kernel>::arguments args{product, 3, {}};
        std::vector<std::uint64_t> memory(static_cast<std::size_t>(Shared<Kernel>::workspace_bytes(args) / 8));
        args.workspace = {memory.data(), static_cast<long_index_t>(memory.size() * 8)};
        return emulate(Shared<Kernel>{}, args);
    }
};

/// Runs the kernel that suits and requires that it ran without a complaint.
template <class Form, class Tile, class C, class Arguments>
void run_epilogue_kernel(const Arguments& args)
{
    using kernels = gemm_kernels<Tile, C, decltype(args.epilogue)>;
    using enum operand_order;
    const auto run = suits_aligned<k_contiguous, row_contiguous>(args, args.k)
                         ? Form::run(typename kernels::template aligned<k_contiguous, row_contiguous>{}, args)
                         : Form::run(typename kernels::element_wise{}, args);
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);
}

/// Inputs and outputs of an epilogue's product. The residual's and the copy's order is told by the case's activation,
/// which these epilogues have none of, so that every kernel meets all of them.
template <class T, class C, class D>
struct epilogue_data
{
    gemm_case e;
    stored_matrix<T> a, b;
    stored_matrix<C> c;
    stored_matrix<D> d;
    reference_gemm_result exact;

    explicit epilogue_data(const gemm_case& what)
        : e(what), a(e.m, e.k, e.batch, e.a, e.rows), b(e.k, e.n, e.batch, e.b, e.rows),
          c(e.m, e.n, e.batch, e.c, e.rows), d(e.m, e.n, e.batch, other(), e.rows)
    {
        a.fill(1);
        b.fill(2);
        exact = multiply_in_double(
            e, [&](auto... at) { return static_cast<double>(a.values[a.where.at(at...)]); },
            [&](auto... at) { return static_cast<double>(b.values[b.where.at(at...)]); });
    }

    memory_order other() const { return static_cast<memory_order>(e.activation); }

    template <class Epilogue>
    gemm_arguments<T, T, C, Epilogue> arguments(const Epilogue& parts)
    {
        return {e.m, e.n, e.k, e.batch, a.source(), b.source(), c.argument(), parts};
    }

    /// Compares an output with what follow(value, batch, i, j) makes of the exact product.
    template <class X, class Follow>
    void check_output(stored_matrix<X>& output, long_index_t additions, const Follow& follow)
    {
        CHECK(all_elements(e, output, exact, [&](X x, double value, double magnitude, auto... at) {
            return is_stored(x, follow({value, magnitude}, at...), additions);
        }));
        CHECK(output.surroundings_untouched());
    }
};

/// C = quantise(Q = clamp(silu(D = A B * rows * columns + residual))). D is stored too, and Q as int8 by scales of its
/// own: three outputs, each of its own type and strides.
template <class Tile, class C, class D, class Form>
void check_float_epilogue(const gemm_case& e)
{
    using namespace epilogue;
    epilogue_data<typename Tile::a_type, C, D> data(e);
    stored_matrix<bfloat16> residual(e.m, e.n, e.batch, data.other(), e.rows);
    residual.fill(3);
    // Its order is told by factors these epilogues have none of either.
    stored_matrix<std::int8_t> q(e.m, e.n, e.batch, static_cast<memory_order>(2 * e.in_place + e.bias), e.rows);
    const auto rows = make_scales(e.m * e.batch, 4), columns = make_scales(e.n, 5), whole = make_scales(e.batch, 6),
               steps = make_scales(e.n * e.batch, 7);
    const float high = 2.5f, low = -0.125f, factor = 0.75f, finer = 64;

    run_epilogue_kernel<Form, Tile, C>(data.arguments(make_chain(
        scale_rows<>{rows.data(), e.m}, scale_columns<>{columns.data(), 0},
        make_residual(residual.argument(), e.m, e.batch, factor), make_store_copy(data.d.argument(), e.m, e.batch),
        activate{tegula::activation::silu}, clamp{low, high},
        make_store_copy(q.argument(), e.m, e.batch, scale{finer}, scale_columns<scaling::divide>{steps.data(), e.n}),
        scale_tensor<scaling::divide>{whole.data(), 1})));

    const auto copied = [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        v.multiply(rows[static_cast<std::size_t>(batch * e.m + i)]);
        v.multiply(columns[static_cast<std::size_t>(j)]);
        v.add(factor * static_cast<double>(residual.values[residual.where.at(batch, i, j)]));
        return v;
    };
    const auto limited = [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        v = copied(v, batch, i, j);
        v.apply(tegula::activation::silu);
        v.value = std::fmin(std::fmax(v.value, low), high);
        return v;
    };
    const auto quantised = [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        v = limited(v, batch, i, j);
        v.multiply(finer);
        v.divide(steps[static_cast<std::size_t>(batch * e.n + j)]);
        return v;
    };
    data.check_output(data.d, e.k, copied);
    data.check_output(q, e.k, quantised);
    data.check_output(data.c, e.k, [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        v = limited(v, batch, i, j);
        v.divide(whole[static_cast<std::size_t>(batch)]);
        return v;
    });
    CHECK(residual.surroundings_untouched());
}

/// C = A B + residual + C0, of floats, and a copy of it in floats. Whole tiles touch no sector of these twice, though a lane has
/// more than 16 bytes of floats beside 16 bytes of a narrow C.
template <class Tile, class C>
void check_wider_operands()
{
    using namespace epilogue;
    gemm_case e{Tile::block_m, 2 * Tile::block_n, 2 * Tile::block_k};
    e.b = memory_order::column_major;
    INFO(e.text());
    epilogue_data<typename Tile::a_type, C, float> data(e);
    stored_matrix<float> residual(e.m, e.n, 1, memory_order::row_major, e.rows);
    residual.fill(3);
    const auto args = data.arguments(make_chain(make_residual(residual.argument(), e.m, 1),
                                                add_source<float>{residual.source(), 0.5f},
                                                make_store_copy(data.d.argument(), e.m, 1)));
    using kernel = gemm_kernel<Tile, operand_order::k_contiguous, operand_order::k_contiguous, C,
                               std::remove_cvref_t<decltype(args.epilogue)>, output_access::vectors>;
    const auto run = emulate(kernel{}, args);
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    const auto read = (2 * e.m + e.n) * e.k * static_cast<long_index_t>(sizeof(typename Tile::a_type));
    const auto wide = e.m * e.n * static_cast<long_index_t>(sizeof(float)),
               narrow = e.m * e.n * static_cast<long_index_t>(sizeof(C));
    CHECK(run.counters.global_load_sectors == (read + 2 * wide) / 32);
    CHECK(run.counters.global_store_sectors == (narrow + wide) / 32);
    CHECK(run.counters.global_stores == (narrow + wide) / 16 / Tile::target::wave_size);
    const auto added = [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        const auto x = static_cast<double>(residual.values[residual.where.at(batch, i, j)]);
        v.add(x);
        v.add(0.5 * x);
        return v;
    };
    data.check_output(data.d, e.k, added);
    data.check_output(data.c, e.k, added);
}

/// C = quantise(A B * rows * columns + bias) and a copy of it scaled otherwise; int8 inputs and C.
template <class Tile, class D, class Form>
void check_integer_epilogue(const gemm_case& e)
{
    using namespace epilogue;
    using i8 = std::int8_t;
    epilogue_data<i8, i8, D> data(e);
    const auto whole = make_scales(1, 3), columns = make_scales(e.n * e.batch, 4), bias = make_scales(e.n, 5),
               rows = make_scales(e.m, 6);
    const float small = 0.00390625f;

    run_epilogue_kernel<Form, Tile, i8>(data.arguments(
        make_as_float(scale{small}, scale_tensor<>{whole.data(), 0}, scale_columns<>{columns.data(), e.n},
                      add_bias<float>{bias.data()},
                      make_store_copy(data.d.argument(), e.m, e.batch, scale_columns<>{columns.data(), e.n}),
                      scale_rows<scaling::divide>{rows.data(), 0})));

    const auto scaled = [&](followed_value v, float column, long_index_t j) {
        v.magnitude = std::fabs(v.value); // the integer sum is exact; its conversion is one rounding
        v.multiply(small);
        v.multiply(whole[0]);
        v.multiply(column);
        v.add(bias[static_cast<std::size_t>(j)]);
        return v;
    };
    const auto column_of = [&](long_index_t batch, long_index_t j) {
        return columns[static_cast<std::size_t>(batch * e.n + j)];
    };
    const auto copied = [&](followed_value v, long_index_t batch, long_index_t, long_index_t j) {
        v = scaled(v, column_of(batch, j), j);
        v.multiply(column_of(batch, j));
        return v;
    };
    data.check_output(data.d, 1, copied);
    data.check_output(data.c, 1, [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        v = scaled(v, column_of(batch, j), j);
        v.divide(rows[static_cast<std::size_t>(i)]);
        return v;
    });
}

/// Inputs of the tile's type, results and copies of C and D.
template <class Tile, class C, class D, class Form = plain_form>
void check_epilogues(const std::vector<gemm_case>& cases)
{
    for (const gemm_case& e : cases) {
        INFO(e.text());
        if constexpr (std::is_same_v<typename Tile::a_type, std::int8_t>)
            check_integer_epilogue<Tile, D, Form>(e);
        else
            check_float_epilogue<Tile, C, D, Form>(e);
    }
}

inline std::vector<gemm_case> epilogue_cases(quarter part)
{
    return two_kernel_cases(operand_order::k_contiguous, operand_order::row_contiguous, part);
}
inline std::vector<gemm_case> epilogue_grid()
{
    return grid_cases(operand_order::k_contiguous, operand_order::row_contiguous);
}

} // namespace tegula::test
