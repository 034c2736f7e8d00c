#pragma once

#include <tegula/kernel/elementwise/elementwise_kernel.hpp>
#include <tegula/kernel/space_grid.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

namespace detail {

/// Repeats `tensor` along the dimensions of `whole` that it lacks, or in which it has length 1.
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
status check_tensors(const Arguments& args, std::integer_sequence<int, Os...>, std::integer_sequence<int, Is...>)
{
    status s;
    const auto output = [&](const auto& tensor) {
        if (s)
            s = check_output(tensor, "output");
        if (s)
            s = check_same_lengths(get<0>(args.outputs), "the first output", tensor, "output");
    };
    const auto input = [&](const auto& tensor) {
        if (s)
            s = check_tensor(tensor, "input");
    };
    (output(get<Os>(args.outputs)), ...);
    (input(get<Is>(args.inputs)), ...);
    return s;
}

template <class Arguments, int... Is>
status broadcast_inputs(Arguments& args, std::integer_sequence<int, Is...>)
{
    status s;
    const auto each = [&](auto& tensor) {
        if (s)
            s = broadcast(tensor, get<0>(args.outputs), "input");
    };
    (each(get<Is>(args.inputs)), ...);
    return s;
}

/// Whether what is written is read nowhere else. Precondition: the inputs are broadcast.
template <class Arguments, int... Os, int... Is>
status check_overlaps(const Arguments& args, std::integer_sequence<int, Os...>, std::integer_sequence<int, Is...>)
{
    status s;
    const auto pair = [&](const auto& a, int i, const auto& b, int j) {
        if (s && i < j && memory_overlaps(a, b))
            s = bad_tensor("output") << "the memory of outputs " << i << " and " << j
                                     << " overlaps; give each memory of its own";
    };
    const auto input = [&](const auto& out, const auto& in) {
        if (s && memory_overlaps(out, in) && !same_elements(out, in))
            s = bad_tensor("input") << "its memory overlaps an output's, whose elements lie elsewhere; write to memory "
                                       "of its own, or to exactly the input's elements";
    };
    const auto each = [&](const auto& out, int i) {
        (pair(out, i, get<Os>(args.outputs), Os), ...);
        (input(out, get<Is>(args.inputs)), ...);
    };
    (each(get<Os>(args.outputs), Os), ...);
    return s;
}

template <class Plan, class Arguments, int... Os, int... Is>
Plan plan_elementwise(const Arguments& args, std::integer_sequence<int, Os...>, std::integer_sequence<int, Is...>)
{
    auto space = make_index_space(get<Os>(args.outputs)..., get<Is>(args.inputs)...);
    sort_dimensions(space);
    Plan plan{
        args.function, {{{get<Os>(args.outputs).data}..., {get<Is>(args.inputs).data}...}}, canonicalize(space), {}};
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
    using arguments = elementwise_arguments<F, Outputs, Inputs>;
    constexpr std::make_integer_sequence<int, arguments::num_outputs> outputs;
    constexpr std::make_integer_sequence<int, arguments::num_inputs> inputs;
    status s = detail::check_tensors(args, outputs, inputs);
    if (s)
        s = detail::broadcast_inputs(args, inputs);
    if (s)
        s = detail::check_overlaps(args, outputs, inputs);
    return s;
}

/// The plan of arguments that can_implement accepts. dispatch_elementwise fills in `blocks`.
template <class F, class Outputs, class Inputs>
elementwise_plan<F, Outputs, Inputs> plan_elementwise(elementwise_arguments<F, Outputs, Inputs> args)
{
    using arguments = elementwise_arguments<F, Outputs, Inputs>;
    constexpr std::make_integer_sequence<int, arguments::num_outputs> outputs;
    constexpr std::make_integer_sequence<int, arguments::num_inputs> inputs;
    static_cast<void>(detail::broadcast_inputs(args, inputs));
    return detail::plan_elementwise<elementwise_plan<F, Outputs, Inputs>>(args, outputs, inputs);
}

namespace detail {

/// The kernels of one function, of the widest accesses and of single elements.
template <class Target, class F, class Outputs, class Inputs>
struct elementwise_widths;
template <class Target, class F, class... Os, class... Is>
struct elementwise_widths<Target, F, tuple<Os...>, tuple<Is...>>
{
    template <index_t Vector>
    using kernel = elementwise_kernel<Target, F, tuple<Os...>, tuple<Is...>, Vector>;
    static constexpr index_t widest = [] {
        // A lane of a CPU has the work of many and keeps tiles of the general length.
        if constexpr (lane_multiple<Target> == 1 && requires { F::template vector<Os..., Is...>; })
            return F::template vector<Os..., Is...>;
        else
            return widest_vector<Os..., Is...>;
    }();

    template <class Plan, int... Ts>
    static bool suits(const Plan& plan, std::integer_sequence<int, Ts...>)
    {
        // A vector of a wider type is several accesses of 16 bytes.
        return (suits_vector(plan.space, Ts, get<Ts>(plan.data),
                             min(static_cast<int>(sizeof(*get<Ts>(plan.data))), static_cast<int>(16 / widest)),
                             widest) &&
                ...);
    }
};

} // namespace detail

/// Calls f(kernel, plan) with the kernel of the widest accesses that the plan's tensors take: 16 bytes of the widest
/// element type, or F::vector<outputs..., inputs...> elements, if all are contiguous along one dimension, or repeated
/// along it, else single elements.
template <class Target, class F, class Outputs, class Inputs, class Call>
status dispatch_elementwise(elementwise_plan<F, Outputs, Inputs> plan, const Call& f)
{
    using kernels = detail::elementwise_widths<Target, F, Outputs, Inputs>;
    const auto start = [&](auto kernel) {
        plan.blocks = blocks_for(plan.space.size, kernel.tile);
        return f(kernel, plan);
    };
    if constexpr (kernels::widest > 1)
        if (kernels::suits(plan, std::make_integer_sequence<int, decltype(plan)::tensors>{}))
            return start(typename kernels::template kernel<kernels::widest>{});
    return start(typename kernels::template kernel<1>{});
}

/// The kernels of an elementwise operation: launch(device, elementwise_kernels<Target>{}, args).
template <class Target, class Arguments = any_arguments>
struct elementwise_kernels;

template <class Target>
struct elementwise_kernels<Target, any_arguments> : deduces_arguments<elementwise_kernels, Target>
{};

template <class Target, class F, class... Os, class... Is>
struct elementwise_kernels<Target, elementwise_arguments<F, tuple<Os...>, tuple<Is...>>>
    : tensor_protocol<elementwise_arguments<F, tuple<Os...>, tuple<Is...>>>
{
    using arguments = elementwise_arguments<F, tuple<Os...>, tuple<Is...>>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        const auto add = [&]<int... I>(const auto& tensors, const char* name, std::integer_sequence<int, I...>) {
            (add_tensor(memory, get<I>(tensors), name), ...);
        };
        add(args.outputs, "output", std::make_integer_sequence<int, arguments::num_outputs>{});
        add(args.inputs, "input", std::make_integer_sequence<int, arguments::num_inputs>{});
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return dispatch_elementwise<Target>(plan_elementwise(args), start_plan("elementwise", launch));
    }
};

} // namespace tegula
