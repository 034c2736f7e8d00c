#pragma once

/// GEMM with a prologue on a device: rows found by index, rows of C sent by index, elements made from two matrices. Each
/// is compared with the plain product of what its operands stand for.

#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>

#include "test/gpu/form_checks.hpp"
#include "test/kernel/gemm/prologue/operands.hpp"

namespace tegula::test {

/// Rows of a table; those that are not there are 0. The last row of the product is the first of the indices.
template <class T>
struct gathered_input
{
    matrix_argument<const T> table;
    const index_t* indices;
    long_index_t rows, table_rows;

    TEGULA_HOST_DEVICE float operator()(long_index_t batch, long_index_t i, long_index_t k) const
    {
        const index_t row = indices[batch * rows + rows - 1 - i];
        return row < 0 || row >= table_rows ? 0.0f : convert<float>(element_of(table, batch, row, k));
    }
};

template <class T>
struct multiplied_inputs
{
    matrix_argument<const T> left, right;

    TEGULA_HOST_DEVICE float operator()(long_index_t batch, long_index_t i, long_index_t k) const
    {
        const auto x = convert<float>(element_of(left, batch, i, k)),
                   y = convert<float>(element_of(right, batch, i, k));
        return convert<float>(convert<T>(x * y));
    }
};

// How a form's A is made, and what it stands for: fill(arguments, case, inputs, seed).

/// Rows of a table, some of which are not there; the last row of the product is the first of C.
template <class Tile>
struct gathered_inputs
{
    using tile = Tile;
    using T = typename Tile::a_type;

    template <class Arguments, class Inputs>
    static auto fill(Arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        const long_index_t table_rows = what.m / 2 + 3;
        const auto table = on.template filled<T>(table_rows, what.k, what.batch, what.a, what.rows, seed + 1);
        const auto rows = random_rows(what.m * what.batch, table_rows, seed + 3);
        std::vector<index_t> places;
        for (long_index_t i = 0; i < what.m; ++i)
            places.push_back(static_cast<index_t>(what.m - 1 - i));
        const index_t* const indices = on.put(rows);
        args.a = {table.data, table.row_stride, table.column_stride, table.batch_stride, indices, what.m, table_rows};
        args.c_rows = on.put(places);
        args.c_height = what.m;
        return on.make(what.m, what.k, what.batch, gathered_input<T>{table, indices, what.m, table_rows});
    }
};

/// Products of two matrices' elements, rounded to their type.
template <class Tile>
struct made_inputs
{
    using tile = Tile;
    using T = typename Tile::a_type;

    template <class Arguments, class Inputs>
    static auto fill(Arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        const auto x = on.template filled<T>(what.m, what.k, what.batch, what.a, what.rows, seed + 1);
        const auto y = on.template filled<T>(what.m, what.k, what.batch, what.a, what.rows, seed + 3);
        args.a.maker = {x, y,
                        x.column_stride == 1 && what.rows == padding::vectors &&
                            has_aligned_rows(x, x.row_stride, what.m, what.batch) &&
                            has_aligned_rows(y, y.row_stride, what.m, what.batch)};
        return on.make(what.m, what.k, what.batch, multiplied_inputs<T>{x, y});
    }
};

/// The kernels for them; a launch starts the one that suits.
template <class Kernels>
struct launch_prologue
{
    using kernels = Kernels;

    template <class Device>
    static status start(Device& device, const typename Kernels::arguments& args)
    {
        return launch(device, Kernels{}, args);
    }
};

using prologue_orders = operand_orders<operand_order::k_contiguous, operand_order::row_contiguous>;

template <class Tile, class T = typename Tile::a_type>
struct gathered_form : gathered_inputs<Tile>,
                       launch_prologue<prologue_kernels<Tile, gathered_rows<T>, strided_rows<T>, float, epilogue::none,
                                                        c_rows_order::by_index, prologue_orders>>
{};

template <class Tile, class T = typename Tile::a_type>
struct made_form : made_inputs<Tile>,
                   launch_prologue<prologue_kernels<Tile, made_elements<T, product_of_two<T>>, strided_rows<T>, float,
                                                    epilogue::none, c_rows_order::as_they_are, prologue_orders>>
{};

/// Checks one case of a form with one lot of data, by the kernel that suits. Returns what is wrong, or an empty string.
template <class Form, class Device>
std::string check_prologue(Device& device, const gemm_case& what, std::uint64_t seed)
{
    using T = typename Form::T;
    using target = typename Form::tile::target;
    inputs_on<target, Device> on(device);
    typename Form::kernels::arguments args;
    args.m = what.m, args.n = what.n, args.k = what.k, args.batch = what.batch;
    const matrix_argument<const float> a = Form::fill(args, what, on, 10 * seed + 251);
    const auto b = on.template filled<T>(what.k, what.n, what.batch, what.b, what.rows, 10 * seed + 252);
    args.b = make_b_operand(b);
    matrix_on<target, float, Device> c;
    status s = on.error;
    s = s ? c.create(device, what.m, what.n, what.batch, what.c, what.rows) : s;
    args.c = c.argument();
    product_to_check<float, float, float> product;
    product.m = what.m, product.n = what.n, product.k = what.k, product.batch = what.batch;
    product.a = a;
    product.b = on.make(what.k, what.n, what.batch, plain_input<T>{b});
    product.c = c.source();
    product.unit = unit_of_sums<target, T>;
    product.least_input = least_input(arch_of<target>(), kind_of_type<T>());
    s = s ? on.error : s;
    s = s ? Form::start(device, args) : s;
    s = s ? wait_for(device) : s;
    return s ? judge_product<target>(device, product, c) : s.message();
}

/// Operands in vectors; the same with odd strides, which takes the kernel of elements.
template <class Tile>
std::vector<gemm_case> prologue_cases(bool fast)
{
    std::vector<gemm_case> cases = cases_of<Tile>(operand_order::k_contiguous, operand_order::row_contiguous, fast);
    gemm_case odd = cases.front();
    odd.rows = padding::odd;
    cases.push_back(odd);
    return cases;
}

} // namespace tegula::test
