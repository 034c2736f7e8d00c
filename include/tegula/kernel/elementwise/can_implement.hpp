#pragma once

#include <tegula/kernel/elementwise/elementwise_kernel.hpp>
#include <tegula/kernel/space_grid.hpp>

namespace tegula {

namespace detail {

/// `tensor` repeated along the dimensions that it lacks of `whole`, or whose length is 1.
template <class T, class U>
status broadcast(tensor_argument<T>& tensor, const tensor_argument<U>& whole, const char* name)
{
    if (tensor.rank > whole.rank)
        return bad_tensor(name) << "rank " << tensor.rank << ", and the output has rank " << whole.rank
                                << "; an input has at most the output's dimensions";
    tensor_argument<T> wide{tensor.data, whole.rank};
    const int missing = whole.rank - tensor.rank;
    for (int i = 0; i < whole.rank; ++i) {
        wide.lengths[i] = whole.lengths[i];
        if (i < missing)
            continue;
        const long_index_t length = tensor.lengths[i - missing];
        if (length != whole.lengths[i] && length != 1)
            return bad_tensor(name) << "length " << length << " of dimension " << i - missing << "; the output has "
                                    << whole.lengths[i] << " there, and only a length of 1 is repeated";
        wide.strides[i] = length == 1 ? 0 : tensor.strides[i - missing];
    }
    tensor = wide;
    return {};
}

template <class Arguments, int... Os, int... Is>
status broadcast_inputs(Arguments& args, std::integer_sequence<int, Os...>, std::integer_sequence<int, Is...>)
{
    status s;
    const auto& first = get<0>(args.outputs);
    const auto output = [&](const auto& tensor) {
        if (s)
            s = check_output(tensor, "output");
        if (s)
            s = check_same_lengths(first, "the first output", tensor, "output");
    };
    (output(get<Os>(args.outputs)), ...);
    const auto input = [&](auto& tensor) {
        if (s)
            s = check_tensor(tensor, "input");
        if (s)
            s = broadcast(tensor, first, "input");
        const auto apart = [&](const auto& out) {
            if (s && memory_overlaps(out, tensor) && !same_elements(out, tensor))
                s = bad_tensor("input") << "its memory overlaps an output's, whose elements lie elsewhere; write to "
                                           "memory of its own, or to exactly the input's elements";
        };
        (apart(get<Os>(args.outputs)), ...);
    };
    (input(get<Is>(args.inputs)), ...);
    const auto outputs_apart = [&](const auto& a, int i, const auto& b, int j) {
        if (s && i < j && memory_overlaps(a, b))
            s = bad_tensor("output") << "the memory of outputs " << i << " and " << j
                                     << " overlaps; give each memory of its own";
    };
    const auto each = [&](const auto& a, int i) { (outputs_apart(a, i, get<Os>(args.outputs), Os), ...); };
    (each(get<Os>(args.outputs), Os), ...);
    return s;
}

template <class Arguments>
status broadcast_inputs(Arguments& args)
{
    return broadcast_inputs(args, std::make_integer_sequence<int, Arguments::num_outputs>{},
                            std::make_integer_sequence<int, Arguments::num_inputs>{});
}

template <class Plan, class Arguments, int... Os, int... Is>
Plan plan_elementwise(const Arguments& args, std::integer_sequence<int, Os...>, std::integer_sequence<int, Is...>)
{
    auto space = make_index_space(get<Os>(args.outputs)..., get<Is>(args.inputs)...);
    sort_dimensions(space);
    Plan plan{args.function, {{{get<Os>(args.outputs).data}..., {get<Is>(args.inputs).data}...}}, canonicalize(space), {}};
    for (int t = 0; t < Plan::tensors; ++t)
        plan.repeated[t] = plan.space.rank > 0 && plan.space.strides[t][0] == 0;
    return plan;
}

} // namespace detail

/// Whether the operation can be computed: every tensor is one (check_tensor), the outputs have the same lengths and no
/// two elements at one address, the inputs are broadcast to them, and what is written is not read elsewhere.
///
/// Errors: invalid_argument.
template <class F, class Outputs, class Inputs>
status can_implement(elementwise_arguments<F, Outputs, Inputs> args)
{
    return detail::broadcast_inputs(args);
}

/// The plan of arguments that can_implement accepts.
template <class F, class Outputs, class Inputs>
elementwise_plan<F, Outputs, Inputs> plan_elementwise(elementwise_arguments<F, Outputs, Inputs> args)
{
    using arguments = elementwise_arguments<F, Outputs, Inputs>;
    static_cast<void>(detail::broadcast_inputs(args));
    return detail::plan_elementwise<elementwise_plan<F, Outputs, Inputs>>(
        args, std::make_integer_sequence<int, arguments::num_outputs>{},
        std::make_integer_sequence<int, arguments::num_inputs>{});
}

namespace detail {

template <class Target, class F, class Outputs, class Inputs>
struct elementwise_kernels;
template <class Target, class F, class... Os, class... Is>
struct elementwise_kernels<Target, F, tuple<Os...>, tuple<Is...>>
{
    template <index_t Vector>
    using kernel = elementwise_kernel<Target, F, tuple<Os...>, tuple<Is...>, Vector>;
    static constexpr index_t widest = widest_vector<Os..., Is...>;

    template <class Plan, int... Ts>
    static bool suits(const Plan& plan, std::integer_sequence<int, Ts...>)
    {
        return (suits_vector(plan.space, Ts, get<Ts>(plan.data), static_cast<int>(sizeof(*get<Ts>(plan.data))),
                             widest) &&
                ...);
    }
};

} // namespace detail

/// Calls f(kernel, plan) with the kernel of the widest accesses that the tensors take: 16 bytes of the widest element
/// type where all are contiguous along one dimension, or repeated along it, else single elements.
///
/// Errors: those of can_implement; f's.
template <class Target, class F, class Outputs, class Inputs, class Call>
status dispatch_elementwise(const elementwise_arguments<F, Outputs, Inputs>& args, const Call& f)
{
    using kernels = detail::elementwise_kernels<Target, F, Outputs, Inputs>;
    if (status s = can_implement(args); !s)
        return s;
    auto plan = plan_elementwise(args);
    const auto start = [&](auto kernel) {
        plan.blocks = blocks_for(plan.space.size, kernel.tile);
        return f(kernel, plan);
    };
    if constexpr (kernels::widest > 1)
        if (kernels::suits(plan, std::make_integer_sequence<int, decltype(plan)::tensors>{}))
            return start(typename kernels::template kernel<kernels::widest>{});
    return start(typename kernels::template kernel<1>{});
}

} // namespace tegula
