#pragma once

#include <tegula/kernel/reduction/can_implement.hpp>
#include <tegula/kernel/reduction/scan_kernel.hpp>

namespace tegula {

/// output[i] = op over input[0 .. i] along one dimension, or over input[0 .. i - 1]; the first is the identity.
template <class T, class Op, class O>
struct scan_arguments
{
    Op op = {};
    tensor_argument<const T> input;
    tensor_argument<O> output; ///< shaped like the input; may be the input itself
    int axis = -1;             ///< negative: from the last
    bool exclusive = false;
    /// scan_workspace_bytes of device memory, aligned to 16 bytes. Null: one block scans each row, which is slow if
    /// there are few rows of many elements.
    void* workspace = nullptr;
};

namespace detail {

template <class T, class Op, class O>
constexpr unsigned scan_axis(const scan_arguments<T, Op, O>& args)
{
    return axes_of(args.input, {args.axis});
}

} // namespace detail

/// Whether the scan can be computed: check_tensor of the input, check_output of the output, the same lengths, an
/// existing axis, and memory that does not overlap unless the tensors are the same.
///
/// Errors: invalid_argument.
template <class T, class Op, class O>
status can_implement(const scan_arguments<T, Op, O>& args)
{
    status s = check_tensor(args.input, "input");
    if (s)
        s = detail::check_axes(args.input.rank, detail::scan_axis(args));
    if (s)
        s = check_output(args.output, "output");
    if (s)
        s = check_same_lengths(args.input, "input", args.output, "output");
    if (s && memory_overlaps(args.input, args.output) && !same_elements(args.input, args.output))
        s = internal::bad_tensor("output") << "its memory overlaps the input's, whose elements lie elsewhere; give it "
                                              "memory of its own, or exactly the input's elements";
    if (s && reinterpret_cast<std::uintptr_t>(args.workspace) % 16 != 0)
        s = internal::bad_tensor("workspace") << "its address is not a multiple of 16 bytes";
    return s;
}

/// The plan of arguments that can_implement accepts. dispatch_scan fills in `blocks`.
template <class T, class Op, class O>
scan_plan<T, Op, O> plan_scan(const scan_arguments<T, Op, O>& args)
{
    auto parts = split_dimensions(make_index_space(args.input, args.output), detail::scan_axis(args));
    sort_dimensions(parts.kept);
    scan_plan<T, Op, O> plan{args.op, args.exclusive, args.input.data, args.output.data};
    plan.rows = canonicalize(parts.kept);
    plan.elements = canonicalize(parts.taken);
    if (args.input.size() > 0 && args.workspace != nullptr)
        plan.splits = detail::choose_reduce_splits(plan.rows.size, plan.elements.size);
    plan.slice = slice_of(plan.elements.size, plan.splits);
    plan.partials = static_cast<const computed_type<T>*>(args.workspace);
    return plan;
}

/// Bytes of the workspace that lets several blocks share a row; 0 if one is enough.
template <class T, class Op, class O>
std::size_t scan_workspace_bytes(const scan_arguments<T, Op, O>& args)
{
    if (args.input.size() == 0)
        return 0;
    const long_index_t length = detail::elements_of(args.input, detail::scan_axis(args));
    const long_index_t rows = args.input.size() / length;
    const index_t splits = detail::choose_reduce_splits(rows, length);
    return splits == 1 ? 0 : static_cast<std::size_t>(splits * rows) * sizeof(computed_type<T>);
}

/// The reduction of each part of a row, with which a scan begins if several blocks share a row.
template <class T, class Op, class O>
reduction_plan<fold_reducer<T, Op>, O> plan_scan_parts(const scan_plan<T, Op, O>& scan)
{
    reduction_plan<fold_reducer<T, Op>, O> plan{{scan.op, false}, scan.input, scan.output};
    plan.partials = const_cast<computed_type<T>*>(scan.partials);
    plan.results = scan.rows;
    plan.elements.rank = scan.elements.rank;
    for (int d = 0; d < scan.elements.rank; ++d) {
        plan.elements.lengths[d] = scan.elements.lengths[d];
        plan.elements.strides[0][d] = scan.elements.strides[0][d];
    }
    plan.elements = canonicalize(plan.elements);
    plan.splits = scan.splits;
    plan.slice = scan.slice;
    return plan;
}

/// Calls f(kernel, plan) with the kernel that suits the plan. That is `across` if rows are nearer to each other than
/// the elements of a row are. Else a wave takes rows of up to 8 accesses a lane, and a block longer ones.
template <class Target, kernel_choice Choice = kernel_choice::all, class T, class Op, class O, class Call>
status dispatch_scan(scan_plan<T, Op, O> plan, const Call& f)
{
    constexpr index_t widest = widest_vector<T, O>;
    const auto vector_along = [&](const auto& along, const auto& other) {
        return detail::find_reduce_vector(along, other, plan.input, static_cast<int>(sizeof(T)), widest) == widest &&
               find_vector_length(along, 1, plan.output, static_cast<int>(sizeof(O)), widest) == widest &&
               has_strides_of(other, 1, widest);
    };
    const auto with = [&](auto layout, bool vectors) {
        const auto start = [&](auto kernel) {
            plan.blocks = blocks_for(plan.rows.size, kernel.rows);
            return f(kernel, plan);
        };
        if constexpr (widest > 1)
            if (vectors)
                return start(scan_kernel<Target, T, Op, O, layout.value, widest>{});
        return start(scan_kernel<Target, T, Op, O, layout.value, 1>{});
    };
    using enum reduce_layout;
    if (detail::runs_across(plan.elements, plan.rows))
        return with(std::integral_constant<reduce_layout, across>{}, vector_along(plan.rows, plan.elements));
    const bool vectors = vector_along(plan.elements, plan.rows);
    if constexpr (Choice == kernel_choice::all)
        if (plan.slice > 512 * (vectors ? widest : 1))
            return with(std::integral_constant<reduce_layout, block>{}, vectors);
    return with(std::integral_constant<reduce_layout, wave>{}, vectors);
}

/// The kernels of a scan, after a reduction of parts of rows if several blocks share a row:
/// launch(device, scan_kernels<Target>{}, args).
template <class Target, kernel_choice Choice = kernel_choice::all, class Arguments = any_arguments>
struct scan_kernels;

template <class Target, kernel_choice Choice>
struct scan_kernels<Target, Choice, any_arguments>
{
    template <class Arguments>
    using with_arguments = scan_kernels<Target, Choice, Arguments>;
};

template <class Target, class T, class Op, class O, kernel_choice Choice>
struct scan_kernels<Target, Choice, scan_arguments<T, Op, O>> : tensor_protocol<scan_arguments<T, Op, O>>
{
    using arguments = scan_arguments<T, Op, O>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.input, "input");
        add_tensor(memory, args.output, "output");
        if (args.workspace != nullptr)
            memory.write(args.workspace, scan_workspace_bytes(args), "workspace");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        const auto plan = plan_scan(args);
        if (plan.splits > 1)
            if (status s = dispatch_reduction<Target, Choice>(plan_scan_parts(plan),
                                                              start_plan("reduction of parts of rows", launch));
                !s)
                return s;
        return dispatch_scan<Target, Choice>(plan, start_plan("scan", launch));
    }
};

} // namespace tegula
