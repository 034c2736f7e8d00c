#pragma once

#include <tegula/kernel/reduction/reduce_kernel.hpp>
#include <tegula/kernel/space_grid.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

/// output = the reduction of input over the dimensions `axes`.
///
///   Reducer  fold_reducer<T, Op>, arg_reducer<T> or a reducer of the user (reducers.hpp)
///   O        element type of the output; long_index_t for an arg_reducer
template <class Reducer, class O>
struct reduction_arguments
{
    Reducer reducer;
    tensor_argument<const typename Reducer::element> input;
    tensor_argument<O> output; ///< the input's other dimensions, in their order
    unsigned axes = 0;         ///< bit i: dimension i is reduced (axes_of); 0: no dimension is reduced
    /// reduction_workspace_bytes of device memory, aligned to 16 bytes. Null: one block reduces each result, which is slow for
    /// few results of many elements.
    void* workspace = nullptr;
};

/// The set of these dimensions, as bits; negative ones count from the last. A dimension that the tensor does not have sets bit
/// 31, which can_implement refuses.
template <class T>
constexpr unsigned axes_of(const tensor_argument<T>& tensor, std::initializer_list<int> dimensions)
{
    unsigned axes = 0;
    for (int d : dimensions) {
        const int dimension = d < 0 ? d + tensor.rank : d;
        axes |= dimension >= 0 && dimension < tensor.rank ? 1u << dimension : 1u << 31;
    }
    return axes;
}

/// A tensor at `data` with the lengths of the dimensions of `whole` that are not in `axes`.
template <class T, class U>
constexpr tensor_argument<T> without_axes(const tensor_argument<T>& whole, unsigned axes, U* data)
{
    tensor_argument<T> rest{data};
    for (int i = 0; i < whole.rank; ++i)
        if ((axes >> i & 1) == 0) {
            rest.lengths[rest.rank] = whole.lengths[i];
            rest.strides[rest.rank++] = whole.strides[i];
        }
    return rest;
}

namespace detail {

inline status check_axes(int rank, unsigned axes)
{
    if (axes >> rank != 0)
        return status(status_code::invalid_argument, "an axis is not a dimension of the input, whose rank is ")
               << rank << "; axes count from 0, or from -1 for the last";
    return {};
}

template <class T>
constexpr long_index_t elements_of(const tensor_argument<T>& x, unsigned axes)
{
    long_index_t n = 1;
    for (int i = 0; i < x.rank; ++i)
        n *= (axes >> i & 1) != 0 ? x.lengths[i] : 1;
    return n;
}

} // namespace detail

/// Whether the reduction can be computed.
///
/// Errors: invalid_argument if check_tensor refuses the input or check_output the output, if the output's lengths are
/// not those of the other dimensions, or for a minimum, a maximum or their index of no elements.
template <class Reducer, class O>
status can_implement(const reduction_arguments<Reducer, O>& args)
{
    status s = check_tensor(args.input, "input");
    if (s)
        s = detail::check_axes(args.input.rank, args.axes);
    if (s)
        s = check_output(args.output, "output");
    if (s)
        s = check_same_lengths(without_axes(args.input, args.axes, args.input.data), "what the axes leave of the input",
                               args.output, "output");
    if (s && args.output.size() > 0)
        s = args.reducer.check(args.input.size() / args.output.size());
    if (s && memory_overlaps(args.input, args.output))
        s = internal::bad_tensor("output")
            << "its memory overlaps the input's, which blocks still read; give it memory of "
               "its own";
    if (s && reinterpret_cast<std::uintptr_t>(args.workspace) % 16 != 0)
        s = internal::bad_tensor("workspace") << "its address is not a multiple of 16 bytes";
    return s;
}

namespace detail {

/// Blocks that share a result. One, if there are 1024 results or more, or if a result has fewer than 16384 elements. Else as many
/// as make 1024 blocks in all, with at least 8192 elements each. It depends only on the shape, so that results are the same
/// on every GPU.
constexpr index_t choose_reduce_splits(long_index_t results, long_index_t elements)
{
    constexpr long_index_t wanted = 1024, least = 8192;
    if (results >= wanted || elements < 2 * least)
        return 1;
    return static_cast<index_t>(min(wanted / max(results, long_index_t{1}), elements / least));
}

} // namespace detail

/// Bytes of the workspace that lets several blocks share a result; 0 if one is enough.
template <class Reducer, class O>
std::size_t reduction_workspace_bytes(const reduction_arguments<Reducer, O>& args)
{
    if (args.input.size() == 0)
        return 0;
    const long_index_t results = args.output.size();
    const index_t splits = detail::choose_reduce_splits(results, args.input.size() / results);
    return splits == 1 ? 0 : static_cast<std::size_t>(splits * results) * sizeof(typename Reducer::accumulator);
}

/// The plan of arguments that can_implement accepts. dispatch_reduction fills in `blocks`.
template <class Reducer, class O>
reduction_plan<Reducer, O> plan_reduction(const reduction_arguments<Reducer, O>& args)
{
    // The output, as if it had the reduced dimensions with stride 0.
    tensor_argument<O> spread{args.output.data, args.input.rank};
    for (int i = 0, kept = 0; i < args.input.rank; ++i) {
        spread.lengths[i] = args.input.lengths[i];
        spread.strides[i] = (args.axes >> i & 1) != 0 ? 0 : args.output.strides[kept++];
    }
    auto results = split_dimensions(make_index_space(args.input, spread), args.axes).kept;
    auto elements = split_dimensions(make_index_space(args.input), args.axes).taken;
    sort_dimensions(results);
    if (!Reducer::ordered)
        sort_dimensions(elements);
    reduction_plan<Reducer, O> plan{args.reducer, args.input.data, args.output.data};
    plan.results = canonicalize(results);
    plan.elements = canonicalize(elements);
    if (args.workspace != nullptr && args.input.size() > 0)
        plan.splits = detail::choose_reduce_splits(plan.results.size, plan.elements.size);
    plan.slice = slice_of(plan.elements.size, plan.splits);
    plan.partials = static_cast<typename Reducer::accumulator*>(args.workspace);
    return plan;
}

/// The second plan if several blocks share a result.
template <class Reducer, class O>
reduction_plan<partials_reducer<Reducer>, O> plan_partials(const reduction_plan<Reducer, O>& first)
{
    reduction_plan<partials_reducer<Reducer>, O> plan{
        {first.reducer, first.elements.size}, first.partials, first.output};
    plan.results = first.results;
    // The results lie side by side, in the order of their numbers.
    long_index_t stride = 1;
    for (int d = 0; d < plan.results.rank; ++d) {
        plan.results.strides[0][d] = stride;
        stride *= plan.results.lengths[d];
    }
    plan.elements.rank = 1;
    plan.elements.lengths[0] = first.splits;
    plan.elements.strides[0][0] = first.results.size;
    plan.elements = canonicalize(plan.elements);
    plan.slice = first.splits;
    return plan;
}

namespace detail {

/// Elements of an access along the dimension 0 of `along`, if the other space's strides are multiples of it too.
template <int Along, int Other>
index_t find_reduce_vector(const index_space<Along>& along, const index_space<Other>& other, const void* data,
                           int bytes, index_t widest)
{
    return find_vector_length(along, 0, data, bytes, widest) == widest && has_strides_of(other, 0, widest) ? widest : 1;
}

template <int Tensors>
constexpr long_index_t nearest_stride(const index_space<Tensors>& space)
{
    const long_index_t stride = space.rank > 0 ? space.strides[0][0] : INT64_MAX;
    return stride < 0 ? -stride : stride;
}

/// Whether lanes are to lie along the other space: its elements are nearer to each other, and there are enough to fill
/// sectors of memory.
template <int Tensors, int Others>
constexpr bool runs_across(const index_space<Tensors>& space, const index_space<Others>& other)
{
    return nearest_stride(space) > nearest_stride(other) && (other.lengths[0] >= 16 || space.size < 16);
}

} // namespace detail

/// Calls f(kernel, plan) with the kernel that suits the plan.
///
/// If results are nearer to each other in memory than the elements of a result, the layout is `across`: neighbouring lanes read
/// neighbouring results. Else the layout depends on the number of accesses to a result: `lanes` up to 32, `wave` above. It is
/// `block` above 512 if there are fewer results than fill 1024 blocks of `wave`, and accesses are vectors.
template <class Target, kernel_choice Choice = kernel_choice::all, class Reducer, class O, class Call>
status dispatch_reduction(reduction_plan<Reducer, O> plan, const Call& f)
{
    using element = typename Reducer::element;
    constexpr index_t widest = widest_vector<element>;
    constexpr int bytes = static_cast<int>(sizeof(element));
    const auto start = [&](auto kernel) {
        plan.blocks = blocks_for(plan.results.size, kernel.rows_of_block(plan.slice));
        return f(kernel, plan);
    };
    const auto with = [&](auto layout, index_t vector) {
        if constexpr (widest > 1)
            if (vector == widest)
                return start(reduce_kernel<Target, Reducer, O, layout.value, widest>{});
        return start(reduce_kernel<Target, Reducer, O, layout.value, 1>{});
    };
    using enum reduce_layout;
    if constexpr (Reducer::of_partials) {
        return with(std::integral_constant<reduce_layout, across>{}, 1);
    } else {
        if (detail::runs_across(plan.elements, plan.results))
            return with(std::integral_constant<reduce_layout, across>{},
                        detail::find_reduce_vector(plan.results, plan.elements, plan.input, bytes, widest));
        const index_t vector = detail::find_reduce_vector(plan.elements, plan.results, plan.input, bytes, widest);
        if constexpr (Choice == kernel_choice::all) {
            const long_index_t accesses = plan.slice / vector;
            if (accesses <= 32)
                return with(std::integral_constant<reduce_layout, lanes>{}, vector);
            constexpr long_index_t wave_rows = reduce_kernel<Target, Reducer, O, wave, widest>::rows;
            if (accesses > 512 && vector == widest && plan.results.size < 1024 * wave_rows)
                return start(reduce_kernel<Target, Reducer, O, block, widest>{});
        }
        return with(std::integral_constant<reduce_layout, wave>{}, vector);
    }
}

/// The kernels of a reduction, one, or two if several blocks share a result:
/// launch(device, reduction_kernels<Target>{}, args).
template <class Target, kernel_choice Choice = kernel_choice::all, class Arguments = any_arguments>
struct reduction_kernels;

template <class Target, kernel_choice Choice>
struct reduction_kernels<Target, Choice, any_arguments>
{
    template <class Arguments>
    using with_arguments = reduction_kernels<Target, Choice, Arguments>;
};

template <class Target, class Reducer, class O, kernel_choice Choice>
struct reduction_kernels<Target, Choice, reduction_arguments<Reducer, O>>
    : tensor_protocol<reduction_arguments<Reducer, O>>
{
    using arguments = reduction_arguments<Reducer, O>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.input, "input");
        add_tensor(memory, args.output, "output");
        if (args.workspace != nullptr)
            memory.write(args.workspace, reduction_workspace_bytes(args), "workspace");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        const auto plan = plan_reduction(args);
        const status s = dispatch_reduction<Target, Choice>(plan, start_plan("reduction", launch));
        if (!s || plan.splits == 1)
            return s;
        return dispatch_reduction<Target, Choice>(plan_partials(plan),
                                                  start_plan("reduction of partial results", launch));
    }
};

} // namespace tegula
