#pragma once

#include <tegula/host/attention_memory.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/attention/backward/kernels.hpp>

#include <numeric>

namespace tegula {

namespace detail {

/// Whether rows of all tensors are whole vectors of 16 bytes, and within reach of the tile's loaders.
template <class Tile, class Problem>
status has_gradient_rows_of_vectors(const Problem& b)
{
    const auto& a = b.forward;
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    constexpr index_t vector = 16 / static_cast<index_t>(sizeof(typename Tile::element));
    if (a.head_dim % vector != 0 || a.value_dim % vector != 0)
        return unsupported("head_dim is ")
               << a.head_dim << " and value_dim " << a.value_dim << "; both must be multiples of " << vector
               << ": add columns of zeros to Q and K, or to V and dO";
    const auto of_queries = [&](const auto& x) {
        return attention_checks::has_vector_rows(x, a.lengths.query_offsets, a.batch, a.heads, a.seq_q);
    };
    const auto of_keys = [&](const auto& x) {
        return attention_checks::has_vector_rows(x, a.lengths.key_offsets, a.batch, a.kv_heads, a.seq_k);
    };
    if (!(of_queries(a.q) && of_queries(a.o) && of_queries(b.d_o) && of_queries(b.dq) && of_keys(a.k) && of_keys(a.v) &&
          of_keys(b.dk) && of_keys(b.dv)))
        return unsupported("a row of Q, K, V, O or of a gradient does not start at a multiple of 16 bytes; all of them "
                           "must");
    struct named
    {
        const char* name;
        long_index_t stride;
    };
    using element = typename Tile::element;
    // An array: of a loop over a list in braces nvcc 13 makes host code that does not compile.
    const named strides[] = {
        {"Q", a.q.row_stride}, {"K", a.k.row_stride}, {"V", a.v.row_stride}, {"dO", b.d_o.row_stride}};
    for (const named& x : strides)
        if (status s = attention_checks::check_reach<element, typename Tile::kept_loader>(
                x.name, x.stride, max(Tile::rows, Tile::columns));
            !s)
            return s;
    return {};
}

/// Whether the kernels' tile takes the problem.
template <class Tile, class Variant, class Problem>
status suits_gradient_tile(const Problem& b)
{
    const auto& a = b.forward;
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    if (a.head_dim > Tile::head_dim || a.value_dim > Tile::value_dim)
        return unsupported("head_dim is ")
               << a.head_dim << " and value_dim " << a.value_dim << "; the tile is for up to " << Tile::head_dim
               << " and " << Tile::value_dim << ", use a larger one";
    // A CPU reads rows that start anywhere.
    if constexpr (Tile::target::vendor != vendor::x86)
        if (status s = has_gradient_rows_of_vectors<Tile>(b); !s)
            return s;
    if constexpr (Variant::mask == attention_mask::lists) {
        constexpr index_t least = std::lcm(Tile::rows, Tile::columns); // a tile lies in one block of each list
        if (a.lists.query_length % least != 0 || a.lists.key_length % least != 0)
            return unsupported("block lists are of ")
                   << a.lists.query_length << " queries and " << a.lists.key_length
                   << " keys; the backward pass takes multiples of its tile's " << least;
    }
    return {};
}

/// Whether the kernels can keep their numbers there.
template <class Arguments>
status check_gradient_workspace(const float* workspace, const Arguments& a)
{
    const long_index_t size = attention_backward_workspace::size(a);
    if (size > 0 && workspace == nullptr)
        return gemm_checks::invalid("the workspace is a null pointer; ") << size << " floats are needed";
    if (!gemm_checks::is_aligned(workspace, 16))
        return gemm_checks::invalid("the workspace of ") << size << " floats is not aligned to 16 bytes";
    return {};
}

/// Adds the memory that the kernels of the backward pass read and write, for the emulator.
template <class Variant, class Arguments>
void add_attention_gradients(emulator::memory_ranges& memory, const Arguments& args)
{
    const auto& b = args.problem;
    const auto& a = b.forward;
    const attention_extents e = attention_extents::of<Variant>(a);
    add_attention_inputs<Variant>(memory, a);
    if constexpr (Variant::mask == attention_mask::lists)
        each_array_of_lists(b.lists_by_keys, a, a.seq_k, a.lists.key_length, "block lists by keys",
                            adds_index_arrays(memory));
    add_tensor<const std::remove_pointer_t<decltype(a.o.data)>>(
        memory, {a.o.data, a.o.batch_stride, a.o.head_stride, a.o.row_stride}, e.batch_q, a.heads, e.rows_q,
        a.value_dim, "O");
    add_elements<const float, 3>(memory, a.lse.data, {e.batch_q, a.heads, e.rows_q},
                                 {a.lse.batch_stride, a.lse.head_stride, 1}, "lse");
    add_tensor(memory, b.d_o, e.batch_q, a.heads, e.rows_q, a.value_dim, "dO");
    add_tensor(memory, b.dq, e.batch_q, a.heads, e.rows_q, a.head_dim, "dQ");
    add_tensor(memory, b.dk, e.batch_k, a.kv_heads, e.rows_k, a.head_dim, "dK");
    add_tensor(memory, b.dv, e.batch_k, a.kv_heads, e.rows_k, a.value_dim, "dV");
    if (b.d_bias.data != nullptr)
        add_scores(memory, b.d_bias, a, "dbias");
    memory.write(b.d_sinks, static_cast<std::size_t>(a.heads) * sizeof(float), "dsinks");
    memory.write(args.workspace.normalizers,
                 static_cast<std::size_t>(attention_backward_workspace::size(a)) * sizeof(float), "workspace");
}

template <class Kernel>
launch_config gradient_config(const typename Kernel::arguments& args, const char* name)
{
    launch_config config;
    config.grid.x = Kernel::blocks(args);
    config.name = name;
    return config;
}

} // namespace detail

/// Starts the kernels of an attention's backward pass, an attention_backward_kernels, warp_specialized_backward_kernels or
/// tcgen05_backward_kernels, on a gpu_device or an emulated_device.
///
///   workspace  attention_backward_workspace::size(args.forward) floats of the device, at a multiple of 16 bytes
///
/// Errors: those of can_implement and of launch. unsupported if the tile has fewer columns than the problem, or rows of
/// a tensor do not start at multiples of 16 bytes. invalid_argument if the workspace is null or does not start at a
/// multiple of 16 bytes. Also those of check_gradient_numbers_in_memory where the device's memory is the host's or it
/// `checks_arrays`, and those of make_maps and make_tensor_map. But for those of launch nothing ran.
template <class Kernels, class Device>
status launch_attention_backward(Device&& device, Kernels, const typename Kernels::problem& problem, float* workspace)
{
    using variant = typename Kernels::variant;
    status s = can_implement<variant>(problem);
    if (s)
        s = detail::suits_gradient_tile<typename Kernels::tile, variant>(problem);
    if (s)
        s = detail::check_gradient_workspace(workspace, problem.forward);
    if (s)
        s = detail::check_numbers_on<variant>(device, problem);
    if (!s)
        return device.refuse(s);
    typename Kernels::arguments args{};
    args.problem = problem;
    args.workspace = attention_backward_workspace::in(workspace, problem.forward);
    if constexpr (requires { args.by_keys; }) // kernels by tensor copies
        if (s = Kernels::make_maps(
                args, [&](auto& map, const auto& parameters) { return make_tensor_map(device, map, parameters); });
            !s)
            return device.refuse(s);
    const auto run = [&](auto kernel, const char* name) {
        const typename decltype(kernel)::arguments& own = args;
        return launch(device, detail::gradient_config<decltype(kernel)>(own, name), kernel, own);
    };
    return device.with_memory([&](auto& memory) { detail::add_attention_gradients<variant>(memory, args); },
                              [&] {
                                  status s = run(typename Kernels::sums{}, "attention sums");
                                  if (s)
                                      s = run(typename Kernels::keys{},
                                              Kernels::split ? "attention dK" : "attention dK, dV");
                                  if constexpr (Kernels::split)
                                      if (s)
                                          s = run(typename Kernels::values{}, "attention dV");
                                  if (s)
                                      s = run(typename Kernels::queries{}, "attention dQ");
                                  if constexpr (Kernels::deterministic)
                                      if (s && problem.d_bias.data != nullptr)
                                          s = run(typename Kernels::bias{}, "attention dbias");
                                  if (s && problem.d_sinks != nullptr)
                                      s = run(typename Kernels::sinks{}, "attention dsinks");
                                  return s;
                              });
}

} // namespace tegula
