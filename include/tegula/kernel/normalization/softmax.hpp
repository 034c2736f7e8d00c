#pragma once

#include <tegula/core/constants.hpp>
#include <tegula/kernel/normalization/row_space.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>
#include <tegula/kernel/normalization/softmax_statistics.hpp>

namespace tegula {

/// softmax: exp(x) / sum(exp(x)); log_softmax: its logarithm.
enum class softmax_form { softmax, log_softmax };

/// y = softmax of x along a dimension. NaN, +infinity, or -infinity throughout make a row NaN.
///
///   y  the lengths of x; it may be x itself
template <class T, class O = T>
struct softmax_arguments
{
    tensor_argument<const T> x = {};
    tensor_argument<O> y = {};
    int axis = -1; ///< negative: from the last
};

/// Errors: those of check_rows and check_row_output.
template <class T, class O>
status can_implement(const softmax_arguments<T, O>& a)
{
    if (status s = check_rows(a.x, a.axis, "x"); !s)
        return s;
    return check_row_output(a.x, "x", a.y, "y");
}

/// The rows of softmax_arguments, as softmax_kernels finds them.
template <class T, class O>
struct softmax_rows
{
    const T* x;
    O* y;
    row_space<2> space; ///< rows of x, y
};

template <class Tile, class T, class O = T, softmax_form Form = softmax_form::softmax>
struct softmax_kernel : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = softmax_rows<T, O>;
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<float>;
    /// Floats of a CPU: where x and y have neighbours, exponentials wait in y for their sum.
    static constexpr bool takes_runs =
        is_native_cpu<target> && std::is_same_v<T, float> && std::is_same_v<O, float> && Form == softmax_form::softmax;

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const index_t length = exists ? a.space.length : 0;
            if constexpr (takes_runs)
                if (a.space.strides[0] == 1 && a.space.strides[1] == 1) {
                    using rows = rows_of_lane<target>;
                    float* const to = a.y + at[1];
                    const float greatest = rows::highest(a.x + at[0], length);
                    const float sum = rows::exponentials(to, a.x + at[0], length, log2_of_e, greatest);
                    return rows::scale(to, length, 1.0f / sum);
                }
            const row_access<Tile, const T> x{a.x + at[0], length, a.space.strides[0], "x"};
            const row_access<Tile, O> y{a.y + at[1], length, a.space.strides[1], "y"};
            const auto load = [&](index_t first) { return x.load_float(first, -internal::infinity); };
            row_values<Tile, decltype(load)> values(load, length);

            constexpr bool logarithm = Form == softmax_form::log_softmax;
            constexpr bool powers = Tile::resident && !logarithm;
            const softmax_statistics of = find_softmax_statistics<powers>(values);
            const float shift = logarithm ? of.greatest : 0;
            const float log_sum = rounded_product(target::log2(of.sum), log_of_2);
            const float factor = 1.0f / of.sum;
            values.sweep([&](auto& v, index_t first) {
                for_each_register<Tile::registers>([&](auto r) {
                    if constexpr (logarithm)
                        v[r] = v[r] - shift - log_sum;
                    else
                        v[r] = (powers ? v[r] : exp_by_exp2<target>(v[r] - of.greatest)) * factor;
                });
                y.store_float(first, v);
            });
        });
    }
};

/// The kernels of softmax: launch(device, softmax_kernels<Tiles>{}, arguments).
///
///   Tiles  the row_tile_list to pick from
template <class Tiles, softmax_form Form = softmax_form::softmax, class Arguments = any_arguments>
struct softmax_kernels;

template <class Tiles, softmax_form Form>
struct softmax_kernels<Tiles, Form, any_arguments>
{
    template <class Arguments>
    using with_arguments = softmax_kernels<Tiles, Form, Arguments>;
};

template <class Tiles, class T, class O, softmax_form Form>
struct softmax_kernels<Tiles, Form, softmax_arguments<T, O>> : tensor_protocol<softmax_arguments<T, O>>
{
    using arguments = softmax_arguments<T, O>;
    template <class Tile>
    using kernel = softmax_kernel<Tile, T, O, Form>;

    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        add_tensor(memory, a.x, "x");
        add_tensor(memory, a.y, "y");
    }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        const softmax_rows<T, O> rows{a.x.data, a.y.data, make_row_space(a.axis, a.x, a.y)};
        const int vector = find_row_vector<2>(rows.space, {a.x.data, a.y.data}, {sizeof(T), sizeof(O)}, 16);
        return start_rows<kernel>(Tiles{}, rows, vector, "softmax", launch);
    }
};

} // namespace tegula
