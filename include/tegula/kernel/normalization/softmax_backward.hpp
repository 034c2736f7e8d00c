#pragma once

#include <tegula/block/softmax_rows.hpp>
#include <tegula/kernel/normalization/softmax.hpp>

namespace tegula {

/// The gradient of softmax or log-softmax along a dimension, from what the forward pass has written:
///
///     softmax      dx = y * (dy - sum(dy * y))
///     log_softmax  dx = dy - exp(y) * sum(dy)
///
///   dy, y, dx  the same lengths; dx may be dy or y itself
template <class T, class O = T>
struct softmax_backward_arguments
{
    tensor_argument<const T> dy = {};
    tensor_argument<const T> y = {};
    tensor_argument<O> dx = {};
    int axis = -1;
};

/// Errors: those of check_rows and check_row_output.
template <class T, class O>
status can_implement(const softmax_backward_arguments<T, O>& a)
{
    if (status s = check_rows(a.y, a.axis, "y"); !s)
        return s;
    if (status s = check_tensor(a.dy, "dy"); !s)
        return s;
    if (status s = check_same_lengths(a.y, "y", a.dy, "dy"); !s)
        return s;
    if (status s = check_row_output(a.y, "y", a.dx, "dx"); !s)
        return s;
    return check_row_output(a.dy, "dy", a.dx, "dx");
}

/// The rows of softmax_backward_arguments, as softmax_backward_kernels finds them.
template <class T, class O>
struct softmax_backward_rows
{
    const T *dy, *y;
    O* dx;
    row_space<3> space; ///< rows of dy, y, dx
};

template <class Tile, class T, class O = T, softmax_form Form = softmax_form::softmax>
struct softmax_backward_kernel : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = softmax_backward_rows<T, O>;
    using chunk = typename Tile::template values<float>;
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<float>;

    /// dy and y of a chunk.
    struct factors
    {
        chunk dy, y;
    };

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        constexpr bool logarithm = Form == softmax_form::log_softmax;
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const index_t length = exists ? a.space.length : 0;
            const row_access<Tile, const T> dy{a.dy + at[0], length, a.space.strides[0], "dy"};
            const row_access<Tile, const T> y{a.y + at[1], length, a.space.strides[1], "y"};
            const row_access<Tile, O> dx{a.dx + at[2], length, a.space.strides[2], "dx"};
            const auto load = [&](index_t first) { return factors{dy.load_float(first), y.load_float(first)}; };
            row_values<Tile, decltype(load)> values(load, length);

            float sum = 0; // what lies past the end is 0
            values.sweep([&](auto& f, index_t) {
                float part = 0;
                for_each_register<Tile::registers>(
                    [&](auto r) { part = logarithm ? part + f.dy[r] : multiply_add(f.dy[r], f.y[r], part); });
                sum += part;
            });
            sum = Tile::combine(sum, plus{});
            values.sweep([&](auto& f, index_t first) {
                for_each_register<Tile::registers>([&](auto r) {
                    if constexpr (logarithm)
                        f.dy[r] = multiply_add(-exp_by_exp2<target>(f.y[r]), sum, f.dy[r]);
                    else
                        f.dy[r] = f.y[r] * (f.dy[r] - sum);
                });
                dx.store_float(first, f.dy);
            });
        });
    }
};

/// The kernels of the gradient of softmax; used like softmax_kernels.
template <class Tiles, softmax_form Form = softmax_form::softmax, class Arguments = any_arguments>
struct softmax_backward_kernels;

template <class Tiles, softmax_form Form>
struct softmax_backward_kernels<Tiles, Form, any_arguments>
{
    template <class Arguments>
    using with_arguments = softmax_backward_kernels<Tiles, Form, Arguments>;
};

template <class Tiles, class T, class O, softmax_form Form>
struct softmax_backward_kernels<Tiles, Form, softmax_backward_arguments<T, O>>
    : tensor_protocol<softmax_backward_arguments<T, O>>
{
    using arguments = softmax_backward_arguments<T, O>;
    template <class Tile>
    using kernel = softmax_backward_kernel<Tile, T, O, Form>;

    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        add_tensor(memory, a.dy, "dy");
        add_tensor(memory, a.y, "y");
        add_tensor(memory, a.dx, "dx");
    }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        const softmax_backward_rows<T, O> rows{a.dy.data, a.y.data, a.dx.data, make_row_space(a.axis, a.dy, a.y, a.dx)};
        const int vector =
            find_row_vector<3>(rows.space, {a.dy.data, a.y.data, a.dx.data}, {sizeof(T), sizeof(T), sizeof(O)}, 16);
        return start_rows<kernel>(Tiles{}, rows, vector, "softmax backward", launch);
    }
};

} // namespace tegula
