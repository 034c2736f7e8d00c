#pragma once

#include <tegula/kernel/attention/backward/check.hpp>
#include <tegula/kernel/attention/memory.hpp>
#include <tegula/kernel/protocol.hpp>

namespace tegula {

/// The launches of Kernels, see attention_backward_protocol, in order. Errors: those of the device's launch.
template <class Kernels, class Launcher>
status launch_gradients(const Kernels&, const typename Kernels::arguments& args, Launcher& launch)
{
    const auto run = [&](auto kernel, const char* name) {
        const typename decltype(kernel)::arguments& own = args;
        launch_config config;
        config.grid.x = kernel.blocks(own);
        config.name = name;
        return launch(config, kernel, own);
    };
    status s = run(typename Kernels::sums{}, "attention sums");
    if (s)
        s = run(typename Kernels::keys{}, Kernels::split ? "attention dK" : "attention dK, dV");
    if constexpr (Kernels::split)
        if (s)
            s = run(typename Kernels::values{}, "attention dV");
    if (s)
        s = run(typename Kernels::queries{}, "attention dQ");
    if constexpr (Kernels::deterministic)
        if (s && args.problem.d_bias.data != nullptr)
            s = run(typename Kernels::bias{}, "attention dbias");
    if (s && args.problem.d_sinks != nullptr)
        s = run(typename Kernels::sinks{}, "attention dsinks");
    return s;
}

/// The protocol (kernel/protocol.hpp) of the kernels of a backward pass.
///
///   Kernels        lists them: sums, keys, queries and sinks; values if it is `split`, bias if it is `deterministic`
///   Tile, Variant  those of the kernels
///   Arguments      attention_gradient_arguments or tensor_copy_gradient_arguments
template <class Kernels, class Tile, class Variant, class Arguments>
struct attention_backward_protocol
{
    static_assert(Variant::cache == attention_cache::contiguous, "tegula: a paged cache has no backward pass");

    static constexpr bool split = false;
    static constexpr bool deterministic = false; ///< dbias is the same from run to run even if it repeats
    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using variant = Variant;
    using arguments = Arguments;
    using problem = decltype(Arguments::problem);

    /// Columns of the workspace's sums of dQ; 0 if the kernels have none.
    static constexpr index_t dq_columns = [] {
        if constexpr (requires { Tile::adds_dq; })
            return Tile::adds_dq ? Tile::head_dim : index_t{0};
        else
            return index_t{0};
    }();
    /// Floats of workspace that a launch takes, at a multiple of 16 bytes.
    template <class Forward>
    static constexpr long_index_t workspace_floats(const Forward& forward)
    {
        return attention_backward_workspace::size(forward, dq_columns);
    }
    /// Errors: those of can_implement, suits_gradient_tile and check_gradient_workspace.
    static status check(const Arguments& args)
    {
        status s = can_implement<Variant>(args.problem);
        if (s)
            s = suits_gradient_tile<Tile, Variant>(args.problem);
        return s ? check_gradient_workspace(args.workspace.normalizers, workspace_floats(args.problem.forward)) : s;
    }
    /// The parts of the workspace are found from its start.
    static Arguments normalize(const Arguments& given)
    {
        Arguments args = given;
        args.workspace = attention_backward_workspace::in(args.workspace.normalizers, args.problem.forward);
        return args;
    }
    template <class Memory>
    static void memory(const Arguments& args, Memory& memory)
    {
        const auto& b = args.problem;
        const auto& a = b.forward;
        using output = std::remove_pointer_t<decltype(a.o.data)>;
        const auto e = internal::attention_extents::of<Variant>(a);
        add_attention_inputs<Variant>(memory, a);
        if constexpr (Variant::mask == attention_mask::lists)
            each_list_by_keys(b, internal::adds_index_arrays(memory));
        internal::add_tensor<Memory, const output>(memory,
                                                   {a.o.data, a.o.batch_stride, a.o.head_stride, a.o.row_stride},
                                                   e.batch_q, a.heads, e.rows_q, a.value_dim, "O");
        internal::add_elements<const float, 3>(memory, a.lse.data, {e.batch_q, a.heads, e.rows_q},
                                               {a.lse.batch_stride, a.lse.head_stride, 1}, "lse");
        internal::add_tensor(memory, b.d_o, e.batch_q, a.heads, e.rows_q, a.value_dim, "dO");
        internal::add_tensor(memory, b.dq, e.batch_q, a.heads, e.rows_q, a.head_dim, "dQ");
        internal::add_tensor(memory, b.dk, e.batch_k, a.kv_heads, e.rows_k, a.head_dim, "dK");
        internal::add_tensor(memory, b.dv, e.batch_k, a.kv_heads, e.rows_k, a.value_dim, "dV");
        if (b.d_bias.data != nullptr)
            internal::add_scores(memory, b.d_bias, a, "dbias");
        memory.write(b.d_sinks, static_cast<std::size_t>(a.heads) * sizeof(float), "dsinks");
        memory.write(args.workspace.normalizers, static_cast<std::size_t>(workspace_floats(a)) * sizeof(float),
                     "workspace");
    }
    /// Errors: those of check_gradient_numbers_in_memory.
    static status check_indices(const Arguments& args)
    {
        return check_gradient_numbers_in_memory<Variant>(args.problem);
    }
    template <class Visit>
    static void index_arrays(Arguments& args, const Visit& visit)
    {
        internal::each_index_array<Variant>(args.problem.forward, internal::visits_spans(visit));
        if constexpr (Variant::mask == attention_mask::lists)
            each_list_by_keys(args.problem, internal::visits_spans(visit));
    }
    /// Errors: those of the device's launch.
    template <class Launcher>
    status launches(const Arguments& args, Launcher& launch) const
    {
        return launch_gradients(Kernels{}, args, launch);
    }

private:
    template <class Problem, class Visit>
    static void each_list_by_keys(Problem& b, const Visit& visit)
    {
        internal::each_array_of_lists(b.lists_by_keys, b.forward, b.forward.seq_k, b.forward.lists.key_length,
                                      "block lists by keys", visit);
    }
};

} // namespace tegula
