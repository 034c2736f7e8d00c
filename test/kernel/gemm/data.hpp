#pragma once

/// The matrices of one GEMM case: laid out in memory with guards and padding, filled, and compared afterwards.
/// shared/gemm_data.cpp has what is compiled once.

#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/work.hpp>
#include <tegula/mma/element_type.hpp>
#include <tegula/mma/target_arch.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/kernel/gemm/case.hpp"

#include <algorithm>
#include <array>
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

placement place(long_index_t rows, long_index_t columns, long_index_t batch, memory_order order, padding pad);

/// Cases for the kernel of aligned operands of these orders.
std::vector<gemm_case> aligned_gemm_cases(const gemm_sizes& sizes, operand_order a, operand_order b,
                                          quarter part = quarter::all);

/// Cases for the kernel for all operands and the one for aligned operands of these orders: sizes and strides in pairs,
/// then products of nothing.
std::vector<gemm_case> two_kernel_cases(operand_order a, operand_order b, quarter part);

/// Every combination of sizes, once for each of the two kernels.
std::vector<gemm_case> grid_cases(operand_order a, operand_order b);

/// Two products for the kernel of aligned operands of these orders: ragged tiles and steps of k of a tile of this size.
std::vector<gemm_case> ragged_cases(long_index_t block_m, long_index_t block_n, long_index_t block_k, operand_order a,
                                    operand_order b);
template <class Tile>
std::vector<gemm_case> ragged_tile_cases(operand_order a, operand_order b)
{
    return ragged_cases(Tile::block_m, Tile::block_n, Tile::block_k, a, b);
}

/// The case as the kernel takes it: one that writes C by tensor copies takes rows of whole 16 bytes.
template <class Kernel>
gemm_case suited_case(gemm_case what)
{
    if constexpr (requires { requires Kernel::tensor_c && Kernel::sharing != work_partition::split_k; }) {
        constexpr long_index_t chunk = 16 / static_cast<long_index_t>(sizeof(typename Kernel::c_type));
        what.n = ceil_div(what.n, chunk) * chunk;
    }
    return what;
}

/// Whether the kernel for aligned operands of these orders can take the arguments.
template <operand_order A, operand_order B, class Arguments>
bool suits_aligned(const Arguments& args, long_index_t k_of_b)
{
    return find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch) == A &&
           find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, k_of_b, args.batch) == B &&
           writes_vectors(args);
}

/// The value of memory that holds no element: NaN spreads, and integers give wrong sums.
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

    stored_matrix(long_index_t r, long_index_t c, long_index_t b, memory_order order, padding pad);

    template <class Body>
    void for_each(const Body& body)
    {
        for (long_index_t b = 0; b < batch; ++b)
            for (long_index_t i = 0; i < rows; ++i)
                for (long_index_t j = 0; j < columns; ++j)
                    body(values[where.at(b, i, j)]);
    }

    void fill(std::uint64_t seed);
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
    bool surroundings_untouched();
};

template <class T>
stored_matrix<T>::stored_matrix(long_index_t r, long_index_t c, long_index_t b, memory_order order, padding pad)
    : rows(r), columns(c), batch(b), where(place(r, c, b, order, pad)),
      values(static_cast<std::size_t>(where.storage), poison<T>()), before(values)
{}

template <class T>
void stored_matrix<T>::fill(std::uint64_t seed)
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

template <class T>
bool stored_matrix<T>::surroundings_untouched()
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

/// The tests' epilogue between the accumulator and a C of this type.
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

/// The magnitude below which `Kernel` takes an input as zero.
template <class Kernel>
constexpr double least_input_of =
    least_input(arch_of<typename Kernel::target>(), kind_of_type<typename Kernel::a_type>());

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

    explicit gemm_data(const gemm_case& g);
    arguments_type arguments();
    /// Compares C with the product in double, or with the exact integers.
    error_report verify(double least_input = 0);
};

template <class T, class C>
gemm_data<T, C>::gemm_data(const gemm_case& g)
    : what(g), a(g.m, g.k, g.batch, g.a, g.rows), b(g.k, g.n, g.batch, g.b, g.rows), c(g.m, g.n, g.batch, g.c, g.rows),
      c0(c), bias(static_cast<std::size_t>(g.n), std::numeric_limits<float>::quiet_NaN())
{
    a.fill(1);
    b.fill(2);
    if (g.beta != 0) // where beta is 0, C0 stays poison: it must not be read
        (g.in_place ? c : c0).fill(3);
    if (g.bias)
        fill_uniform(std::span(bias), 4);
}

template <class T, class C>
typename gemm_data<T, C>::arguments_type gemm_data<T, C>::arguments()
{
    arguments_type args{what.m, what.n, what.k, what.batch, a.source(), b.source(), c.argument(), {}};
    if constexpr (!exact)
        args.epilogue = epilogue::make_linear<C, float>(what.alpha, what.beta, (what.in_place ? c : c0).source(),
                                                        what.bias ? bias.data() : nullptr, what.activation);
    return args;
}

template <class T, class C>
error_report gemm_data<T, C>::verify(double least_input)
{
    reference_gemm_problem<T, T, C, float> p{what.m, what.n, what.k, what.batch, a.view(a.before), b.view(b.before)};
    p.least_input = least_input;
    if constexpr (exact)
        return verify_integer_gemm(p, c.view(c.values), reference_integer_gemm(p));
    else {
        p.alpha = what.alpha;
        p.beta = what.beta;
        p.c = what.in_place ? c.view(c.before) : c0.view(c0.before);
        p.bias = what.bias ? bias.data() : nullptr;
        p.activation = what.activation;
        return verify_gemm<C>(p, c.view(c.values), reference_gemm(p));
    }
}

// The types of most tests are compiled once.
#define TEGULA_TEST_GEMM_DATA(declare)                                                                                 \
    declare template struct stored_matrix<half>;                                                                       \
    declare template struct stored_matrix<bfloat16>;                                                                   \
    declare template struct stored_matrix<float>;                                                                      \
    declare template struct stored_matrix<tfloat32>;                                                                   \
    declare template struct stored_matrix<float8_e4m3>;                                                                \
    declare template struct stored_matrix<std::int8_t>;                                                                \
    declare template struct stored_matrix<std::int32_t>;                                                               \
    declare template struct gemm_data<half, half>;                                                                     \
    declare template struct gemm_data<half, float>;                                                                    \
    declare template struct gemm_data<bfloat16, bfloat16>;                                                             \
    declare template struct gemm_data<bfloat16, float>;                                                                \
    declare template struct gemm_data<float, float>;                                                                   \
    declare template struct gemm_data<tfloat32, float>;                                                                \
    declare template struct gemm_data<float8_e4m3, float>;                                                             \
    declare template struct gemm_data<std::int8_t, std::int32_t>;
TEGULA_TEST_GEMM_DATA(extern)

} // namespace tegula::test
