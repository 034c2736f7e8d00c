#pragma once

#include <tegula/block/softmax_rows.hpp>
#include <tegula/core/constants.hpp>
#include <tegula/kernel/normalization/row_space.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>
#include <tegula/kernel/normalization/softmax_statistics.hpp>

namespace tegula {

/// loss = log(sum(exp(x))) - x[label] for each row of logits, and its gradient dx = (softmax(x) - onehot(label)) * d_loss. A row
/// has the logits of all classes, along `axis`. Arrays of one number for each row are in C order of the other dimensions.
///
///   x         the logits
///   labels    the class of each row. Labels are in device memory, so that they are not checked before the launch.
///   ignored   a row with this label has loss 0 and gradient 0
///   losses    output, may be null if log_sum is given: the loss of each row; NaN if its label is no class
///   log_sum   output of the forward pass and input of the backward pass: log(sum(exp(x))) of each row. May be null in
///             the forward pass if losses is given; the backward pass needs it.
///   dx        output of the backward pass; may be x itself
///   d_losses  input of the backward pass: the gradient of each row's loss; null: all 1
template <class T, class O = T>
struct cross_entropy_arguments
{
    tensor_argument<const T> x = {};
    int axis = -1;
    const long_index_t* labels = nullptr;
    long_index_t ignored = -100;
    float* losses = nullptr;
    float* log_sum = nullptr;
    tensor_argument<O> dx = {};
    const float* d_losses = nullptr;
};

namespace detail {

template <class T, class O>
status check_logits(const cross_entropy_arguments<T, O>& a)
{
    if (status s = check_rows(a.x, a.axis, "x"); !s)
        return s;
    if (count_rows(a.axis, a.x) > 0 && a.labels == nullptr)
        return status(status_code::invalid_argument, "labels is a null pointer; give a label for each row");
    return {};
}

} // namespace detail

/// Checks the forward pass. Errors: those of check_rows; invalid_argument for null pointers.
template <class T, class O>
status can_implement(const cross_entropy_arguments<T, O>& a)
{
    if (status s = detail::check_logits(a); !s)
        return s;
    if (a.losses == nullptr && a.log_sum == nullptr && a.x.size() > 0)
        return status(status_code::invalid_argument, "losses and log_sum are null pointers; give one of them memory");
    return {};
}

/// Checks the backward pass.
template <class T, class O>
status can_implement_backward(const cross_entropy_arguments<T, O>& a)
{
    if (status s = detail::check_logits(a); !s)
        return s;
    if (status s = check_row_output(a.x, "x", a.dx, "dx"); !s)
        return s;
    if (a.log_sum == nullptr && a.x.size() > 0)
        return status(status_code::invalid_argument,
                      "log_sum is a null pointer; give it what the forward pass has written");
    return {};
}

/// cross_entropy_arguments as kernels take them.
template <class T, class O>
struct cross_entropy_rows
{
    const T* x;
    O* dx;
    row_space<2> space; ///< rows of x, dx; in the forward pass of x twice
    const long_index_t* labels;
    long_index_t ignored;
    float *losses, *log_sum;
    const float* d_losses;
};

/// The forward pass.
template <class Tile, class T, class O = T>
struct cross_entropy_kernel : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = cross_entropy_rows<T, O>;
    static constexpr index_t shared_bytes = Tile::template scratch_bytes<float>;

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const row_access<Tile, const T> x{a.x + at[0], exists ? a.space.length : 0, a.space.strides[0], "x"};
            const auto load = [&](index_t first) { return x.load_float(first, -internal::infinity); };
            row_values<Tile, decltype(load)> values(load, x.length);
            const softmax_statistics of = find_softmax_statistics<false>(values);
            const float log_sum = rounded_product(target::log2(of.sum), log_of_2);

            const long_index_t label = load_of_row<Tile>(a.labels + row);
            const bool is_class = label >= 0 && label < a.space.length;
            const T logit = internal::read_scalar<target>(x.data + (is_class ? label * x.stride : 0),
                                                          is_class && exists && Tile::is_first_lane_of_row());
            // The greatest is subtracted first: for close numbers that is exact.
            const float loss = is_class ? log_sum + (of.greatest - convert<float>(logit)) : __builtin_nanf("");
            if (a.losses != nullptr)
                store_of_row<Tile>(a.losses + row, label == a.ignored ? 0.0f : loss, exists);
            if (a.log_sum != nullptr)
                store_of_row<Tile>(a.log_sum + row, of.greatest + log_sum, exists);
        });
    }
};

/// The backward pass: reads the logits once.
template <class Tile, class T, class O = T>
struct cross_entropy_backward_kernel : row_kernel<Tile>
{
    using target = typename Tile::target;
    using arguments = cross_entropy_rows<T, O>;
    static constexpr index_t shared_bytes = 0;

    TEGULA_INLINE void operator()(const arguments& a) const
    {
        for_each_row<Tile>(a.space.rows.size, a.space.blocks, [&](long_index_t row, bool exists) {
            const auto at = a.space.offsets(row);
            const index_t length = exists ? a.space.length : 0;
            const row_access<Tile, const T> x{a.x + at[0], length, a.space.strides[0], "x"};
            const row_access<Tile, O> dx{a.dx + at[1], length, a.space.strides[1], "dx"};
            const long_index_t label = load_of_row<Tile>(a.labels + row);
            const float log_sum = load_of_row<Tile>(a.log_sum + row);
            const float slope = a.d_losses == nullptr ? 1.0f : load_of_row<Tile>(a.d_losses + row);
            const bool is_class = label >= 0 && label < a.space.length, ignored = label == a.ignored;
            const float factor = ignored ? 0.0f : is_class ? slope : __builtin_nanf("");
            const auto own = static_cast<index_t>(is_class ? label : -1);

            const auto load = [&](index_t first) { return x.load_float(first); };
            row_values<Tile, decltype(load)> values(load, length);
            values.sweep([&](auto& v, index_t first) {
                for_each_in_row<Tile>(first, length, [&](auto r, index_t column, bool) {
                    const float power = exp_by_exp2<target>(v[r] - log_sum);
                    const float gradient = (power - (column == own ? 1.0f : 0.0f)) * factor;
                    v[r] = ignored ? 0.0f : gradient;
                });
                dx.store_float(first, v);
            });
        });
    }
};

namespace detail {

/// The common part of both families.
template <class T, class O>
struct cross_entropy_protocol
{
    using arguments = cross_entropy_arguments<T, O>;

    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        const long_index_t rows = count_rows(a.axis, a.x);
        add_tensor(memory, a.x, "x");
        add_tensor(memory, a.dx, "dx");
        add_array(memory, a.labels, rows, "labels");
        add_array(memory, a.losses, rows, "losses");
        add_array(memory, a.log_sum, rows, "log_sum");
        add_array(memory, a.d_losses, rows, "d_losses");
    }

protected:
    template <template <class> class Kernel, class Tiles, class Launcher>
    static status start(const arguments& a, const char* name, Launcher& launch)
    {
        const cross_entropy_rows<T, O> rows{a.x.data,  a.dx.data, make_row_space(a.axis, a.x, given_or_like(a.dx, a.x)),
                                            a.labels,  a.ignored, a.losses,
                                            a.log_sum, a.d_losses};
        const int vector = find_row_vector<2>(rows.space, {a.x.data, a.dx.data}, {sizeof(T), sizeof(O)}, 16);
        return start_rows<Kernel>(Tiles{}, rows, vector, name, launch);
    }
};

} // namespace detail

/// The kernels of the forward pass: launch(device, cross_entropy_kernels<Tiles>{}, arguments).
///
///   Tiles  the row_tile_list to pick from
template <class Tiles, class Arguments = any_arguments>
struct cross_entropy_kernels;

template <class Tiles>
struct cross_entropy_kernels<Tiles, any_arguments> : deduces_arguments<cross_entropy_kernels, Tiles>
{};

template <class Tiles, class T, class O>
struct cross_entropy_kernels<Tiles, cross_entropy_arguments<T, O>> : detail::cross_entropy_protocol<T, O>
{
    using arguments = cross_entropy_arguments<T, O>;
    template <class Tile>
    using kernel = cross_entropy_kernel<Tile, T, O>;

    /// Errors: those of can_implement.
    static status check(const arguments& a) { return can_implement(a); }
    /// The forward pass has no gradient.
    static arguments normalize(arguments a)
    {
        a.dx = {};
        return a;
    }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        return cross_entropy_kernels::template start<kernel, Tiles>(a, "cross-entropy", launch);
    }
};

/// The kernels of the backward pass; used like cross_entropy_kernels.
template <class Tiles, class Arguments = any_arguments>
struct cross_entropy_backward_kernels;

template <class Tiles>
struct cross_entropy_backward_kernels<Tiles, any_arguments> : deduces_arguments<cross_entropy_backward_kernels, Tiles>
{};

template <class Tiles, class T, class O>
struct cross_entropy_backward_kernels<Tiles, cross_entropy_arguments<T, O>> : detail::cross_entropy_protocol<T, O>
{
    using arguments = cross_entropy_arguments<T, O>;
    template <class Tile>
    using kernel = cross_entropy_backward_kernel<Tile, T, O>;

    /// Errors: those of can_implement_backward.
    static status check(const arguments& a) { return can_implement_backward(a); }
    static arguments normalize(const arguments& a) { return a; }
    /// Errors: those of start_rows.
    template <class Launcher>
    status launches(const arguments& a, Launcher& launch) const
    {
        return cross_entropy_backward_kernels::template start<kernel, Tiles>(a, "cross-entropy backward", launch);
    }
};

} // namespace tegula
