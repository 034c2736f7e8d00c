#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/kernel/computed_type.hpp>
#include <tegula/kernel/reduction/reducers.hpp>
#include <tegula/kernel/space_descriptor.hpp>
#include <tegula/kernel/space_grid.hpp>
#include <tegula/kernel/tensor_protocol.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

enum class pooling { average, maximum };

/// output[n, y, x, c] = the average or the maximum of input[n, y * stride - padding + i, x * stride - padding + j, c]
/// over a window of i and j. Elements in the padding are left out. An average is divided by the number of elements inside the
/// image; with `count_padding`, those in the padding count too. A maximum is NaN if an element is NaN.
template <class T>
struct pooling_arguments
{
    pooling kind = pooling::average;
    tensor_argument<const T> input = {}; ///< [batch, height, width, channels], any strides
    tensor_argument<T> output = {};      ///< [batch, pooled_length(height ...), pooled_length(width ...), channels]
    index_t window[2] = {1, 1};          ///< rows, columns
    index_t stride[2] = {1, 1};
    index_t padding[2] = {0, 0}; ///< on both sides; less than the window
    bool count_padding = false;
};

/// The number of windows that fit into `length` with its padding; 0 if none does.
constexpr long_index_t pooled_length(long_index_t length, index_t window, index_t stride, index_t padding)
{
    const long_index_t room = length + 2 * static_cast<long_index_t>(padding) - window;
    return room < 0 ? 0 : room / stride + 1;
}

/// The arguments of a pooling_kernel (plan_pooling).
template <class T>
struct pooling_plan
{
    static constexpr index_t splits = 1; ///< the grid's y

    const T* input;
    T* output;
    /// Places of an element in the output and of its window's first element in the input, and that element's row and
    /// column. All but the first count from the first window.
    index_space<4> space = {};
    long_index_t lengths[2] = {}; ///< rows and columns of the input
    long_index_t strides[2] = {}; ///< from row to row, from column to column
    long_index_t first_place = 0; ///< place of the window of output element (0, 0, 0, 0), maybe in the padding
    long_index_t first_index[2] = {};
    index_t window[2] = {};
    bool maximum = false, count_padding = false;
    index_t blocks = 0; ///< to launch; each takes every blocks-th tile
};

/// The elements at one place of the windows of neighbouring outputs.
template <class T, index_t Vector>
struct pooled_descriptor
{
    static constexpr int num_dims = 1;

    const pooling_plan<T>* plan;
    long_index_t first;  ///< number of the first output
    index_t length;      ///< outputs
    index_t row, column; ///< in the window

    struct coordinate_type
    {
        multi_index<1> at;
        long_index_t place;
        bool inside;
        constexpr TEGULA_INLINE const multi_index<1>& index() const { return at; }
        constexpr TEGULA_INLINE long_index_t offset() const { return place; }
    };

    static consteval index_t guaranteed_vector_length(int) { return Vector; }

    TEGULA_INLINE bool is_valid(const multi_index<1>& x) const { return make_coordinate(*this, x).inside; }
    friend TEGULA_INLINE bool is_valid(const pooled_descriptor&, const coordinate_type& c) { return c.inside; }

    friend TEGULA_INLINE coordinate_type make_coordinate(const pooled_descriptor& d, const multi_index<1>& x)
    {
        const auto at = d.plan->space.offsets(d.first + x[0]);
        const long_index_t y = at[2] + d.plan->first_index[0] + d.row, z = at[3] + d.plan->first_index[1] + d.column;
        return {x, at[1] + d.plan->first_place + d.row * d.plan->strides[0] + d.column * d.plan->strides[1],
                x[0] >= 0 && x[0] < d.length && y >= 0 && y < d.plan->lengths[0] && z >= 0 && z < d.plan->lengths[1]};
    }
    friend TEGULA_INLINE void move_coordinate(const pooled_descriptor& d, coordinate_type& c, const multi_index<1>& by)
    {
        c = make_coordinate(d, multi_index<1>{c.at[0] + by[0]});
    }
    /// A step inside a vector leads to another channel of the same window.
    template <index_t By>
    friend TEGULA_INLINE void move_coordinate(const pooled_descriptor& d, coordinate_type& c, sequence<By>)
    {
        if constexpr (By >= 0 && By < Vector)
            c = {{c.at[0] + By}, c.place + By, c.inside && c.at[0] + By < d.length};
        else
            c = make_coordinate(d, multi_index<1>{c.at[0] + By});
    }
};

/// A block takes tiles of 2 accesses a lane of neighbouring outputs and walks through their windows.
template <class Target, class T, index_t Vector>
struct pooling_kernel
{
    using target = Target;
    using arguments = pooling_plan<T>;
    using value_type = computed_type<T>;
    using distribution = flat_distribution<Target, 2, default_block_threads<Target> / Target::wave_size, Vector>;

    static constexpr index_t vector = Vector;
    static constexpr int block_threads = default_block_threads<Target>;
    static constexpr index_t shared_bytes = 0;
    static constexpr index_t tile = distribution::x_length(0);

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t step = static_cast<long_index_t>(args.blocks) * tile;
        TEGULA_ROLLED
        for (long_index_t first = static_cast<long_index_t>(target::block_id()[0]) * tile; first < args.space.size;
             first += step)
            pool(internal::reload_arguments(args), first, internal::count_from(first, args.space.size, tile));
    }

private:
    static TEGULA_INLINE void pool(const arguments& args, long_index_t first, index_t count)
    {
        const value_type none = args.maximum ? maximum::identity<value_type>() : value_type{};
        const auto combine = [&](value_type a, value_type b) { return args.maximum ? maximum{}(a, b) : a + b; };
        auto sums = make_distributed_tensor<value_type, distribution>(none);
        TEGULA_ROLLED
        for (index_t row = 0; row < args.window[0]; ++row) {
            TEGULA_ROLLED
            for (index_t column = 0; column < args.window[1]; ++column) {
                const auto view = make_tensor_view<target, address_space::global>(
                    args.input, pooled_descriptor<T, Vector>{&args, first, count, row, column}, "input");
                const auto values = load(make_tile_window<distribution>(view, {0}), from_computed<T>(none));
                sums = elementwise([&](value_type a, const T& x) { return combine(a, to_computed(x)); }, sums, values);
            }
        }
        if (!args.maximum)
            sweep<target>(sums, [&](value_type& sum, const auto& x) { sum /= divisor(args, first + x[0]); });
        const auto view = make_tensor_view<target, address_space::global>(
            args.output, numbered_descriptor<4, Vector>{&args.space, 0, first, count}, "output");
        store(make_tile_window<distribution>(view, {0}),
              elementwise([](value_type x) { return from_computed<T>(x); }, sums));
    }

    /// The divisor of the sum of an output's window.
    static TEGULA_INLINE value_type divisor(const arguments& args, long_index_t number)
    {
        if (args.count_padding)
            return static_cast<value_type>(args.window[0]) * static_cast<value_type>(args.window[1]);
        const auto at = args.space.offsets(number);
        value_type product = 1;
        for (int d = 0; d < 2; ++d) {
            const long_index_t start = at[2 + d] + args.first_index[d];
            product *=
                static_cast<value_type>(min(start + args.window[d], args.lengths[d]) - max(start, long_index_t{0}));
        }
        return product;
    }
};

/// Whether the pooling can be computed: tensors of rank 4 (check_tensor, check_output), a window and a stride of at
/// least 1, a padding less than the window, and an output of the lengths that follow.
///
/// Errors: invalid_argument.
template <class T>
status can_implement(const pooling_arguments<T>& args)
{
    status s = check_tensor(args.input, "input");
    if (s)
        s = check_output(args.output, "output");
    if (!s)
        return s;
    if (args.input.rank != 4)
        return internal::bad_tensor("input")
               << "rank " << args.input.rank << "; it is [batch, height, width, channels], of rank 4";
    auto expected = args.input;
    for (int d = 0; d < 2; ++d) {
        if (args.window[d] < 1 || args.stride[d] < 1)
            return status(status_code::invalid_argument, "a window of ")
                   << args.window[d] << " with a stride of " << args.stride[d] << "; both are at least 1";
        if (args.padding[d] < 0 || args.padding[d] >= args.window[d])
            return status(status_code::invalid_argument, "a padding of ")
                   << args.padding[d] << " with a window of " << args.window[d]
                   << "; it is at least 0 and less than the window";
        expected.lengths[1 + d] =
            pooled_length(args.input.lengths[1 + d], args.window[d], args.stride[d], args.padding[d]);
    }
    if (s = check_same_lengths(expected, "what the windows leave of the input", args.output, "output"); !s)
        return s;
    if (memory_overlaps(args.input, args.output))
        return internal::bad_tensor("output") << "its memory overlaps the input's; give it memory of its own";
    return {};
}

/// The plan of arguments that can_implement accepts. dispatch_pooling fills in `blocks`.
template <class T>
pooling_plan<T> plan_pooling(const pooling_arguments<T>& args)
{
    pooling_plan<T> plan{args.input.data, args.output.data};
    tensor_argument<const T> first = args.input, row{nullptr, 4}, column{nullptr, 4};
    for (int d = 0; d < 4; ++d)
        first.lengths[d] = row.lengths[d] = column.lengths[d] = args.output.lengths[d];
    for (int d = 0; d < 2; ++d) {
        first.strides[1 + d] = args.input.strides[1 + d] * args.stride[d];
        plan.lengths[d] = args.input.lengths[1 + d];
        plan.strides[d] = args.input.strides[1 + d];
        plan.first_index[d] = -args.padding[d];
        plan.window[d] = args.window[d];
    }
    row.strides[1] = args.stride[0];
    column.strides[2] = args.stride[1];
    plan.first_place = plan.first_index[0] * plan.strides[0] + plan.first_index[1] * plan.strides[1];
    plan.maximum = args.kind == pooling::maximum;
    plan.count_padding = args.count_padding;
    auto space = make_index_space(args.output, first, row, column);
    sort_dimensions(space);
    plan.space = canonicalize(space);
    return plan;
}

/// Calls f(kernel, plan) with the kernel for accesses of 16 bytes if channels are contiguous and a multiple of them,
/// else for single elements. Precondition: can_implement.
template <class Target, class T, class Call>
status dispatch_pooling(const pooling_arguments<T>& args, const Call& f)
{
    auto plan = plan_pooling(args);
    constexpr index_t widest = widest_vector<T>;
    constexpr int bytes = static_cast<int>(sizeof(T));
    const auto start = [&](auto kernel) {
        plan.blocks = blocks_for(plan.space.size, kernel.tile);
        return f(kernel, plan);
    };
    if constexpr (widest > 1)
        if (find_vector_length(plan.space, 0, plan.output, bytes, widest) == widest &&
            find_vector_length(plan.space, 1, plan.input, bytes, widest) == widest && plan.space.strides[2][0] == 0 &&
            plan.space.strides[3][0] == 0 && plan.strides[0] % widest == 0 && plan.strides[1] % widest == 0)
            return start(pooling_kernel<Target, T, widest>{});
    return start(pooling_kernel<Target, T, 1>{});
}

/// The kernels of pooling: launch(device, pooling_kernels<Target>{}, args).
template <class Target, class Arguments = any_arguments>
struct pooling_kernels;

template <class Target>
struct pooling_kernels<Target, any_arguments> : deduces_arguments<pooling_kernels, Target>
{};

template <class Target, class T>
struct pooling_kernels<Target, pooling_arguments<T>> : tensor_protocol<pooling_arguments<T>>
{
    using arguments = pooling_arguments<T>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.input, "input");
        add_tensor(memory, args.output, "output");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return dispatch_pooling<Target>(args, start_plan("pooling", launch));
    }
};

} // namespace tegula
