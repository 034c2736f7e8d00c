#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/attention/backward/kernels.hpp>
#include <tegula/kernel/attention/can_implement.hpp>

namespace tegula {

namespace detail {

/// Names the memory of [lengths...] elements, whose strides are not negative.
template <class T, int Rank>
void add_array(emulator::memory_ranges& memory, T* data, const long_index_t (&lengths)[Rank],
               const long_index_t (&strides)[Rank], const char* name)
{
    long_index_t last = 0;
    for (int i = 0; i < Rank; ++i) {
        if (lengths[i] == 0)
            return;
        last += (lengths[i] - 1) * strides[i];
    }
    memory.add(data, static_cast<std::size_t>(last + 1) * sizeof(T), name, !std::is_const_v<T>);
}

/// What the kernels of the backward pass read and write, for the emulator.
template <class Arguments>
void add_attention_gradients(emulator::memory_ranges& memory, const Arguments& args)
{
    const auto& b = args.problem;
    const auto& a = b.forward;
    const auto& lengths = a.lengths;
    const long_index_t batch_q = lengths.query_offsets != nullptr ? 1 : a.batch;
    const long_index_t batch_k = lengths.key_offsets != nullptr ? 1 : a.batch;
    const long_index_t rows_q = lengths.query_offsets != nullptr ? lengths.query_offsets[a.batch] : a.seq_q;
    const long_index_t rows_k = lengths.key_offsets != nullptr ? lengths.key_offsets[a.batch] : a.seq_k;
    const auto tensor = [&](const auto& x, long_index_t batch, long_index_t heads, long_index_t rows,
                            long_index_t columns, const char* name) {
        add_array<std::remove_pointer_t<decltype(x.data)>, 4>(
            memory, x.data, {batch, heads, rows, columns}, {x.batch_stride, x.head_stride, x.row_stride, 1}, name);
    };
    const auto scores = [&](const auto& x, const char* name) {
        add_array<std::remove_pointer_t<decltype(x.data)>, 4>(
            memory, x.data, {a.batch, a.heads, a.seq_q, a.seq_k},
            {x.batch_stride, x.head_stride, x.query_stride, x.key_stride}, name);
    };
    tensor(a.q, batch_q, a.heads, rows_q, a.head_dim, "Q");
    tensor(a.k, batch_k, a.kv_heads, rows_k, a.head_dim, "K");
    tensor(a.v, batch_k, a.kv_heads, rows_k, a.value_dim, "V");
    tensor(attention_tensor<const std::remove_pointer_t<decltype(a.o.data)>>{a.o.data, a.o.batch_stride,
                                                                            a.o.head_stride, a.o.row_stride},
           batch_q, a.heads, rows_q, a.value_dim, "O");
    tensor(b.d_o, batch_q, a.heads, rows_q, a.value_dim, "dO");
    tensor(b.dq, batch_q, a.heads, rows_q, a.head_dim, "dQ");
    tensor(b.dk, batch_k, a.kv_heads, rows_k, a.head_dim, "dK");
    tensor(b.dv, batch_k, a.kv_heads, rows_k, a.value_dim, "dV");
    add_array<const float, 3>(memory, a.lse.data, {batch_q, a.heads, rows_q},
                              {a.lse.batch_stride, a.lse.head_stride, 1}, "lse");
    scores(a.boolean, "mask");
    scores(a.bias, "bias");
    scores(b.d_bias, "dbias");
    add_array<float, 1>(memory, b.d_sinks, {a.heads}, {1}, "dsinks");
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

/// Starts the kernels of an attention's backward pass, an attention_backward_kernels, on a gpu_device or an
/// emulated_device.
///
///   workspace  attention_backward_workspace::size(args.forward) floats of the device, at a multiple of 16 bytes
///
/// Precondition: rows of all tensors start at multiples of 16 bytes.
/// Errors: those of can_implement and of launch. With the former nothing ran.
template <class Kernels, class Device>
status launch_attention_backward(Device&& device, Kernels, const typename Kernels::problem& problem, float* workspace)
{
    if (status s = can_implement<typename Kernels::variant>(problem); !s)
        return device.refuse(s);
    const auto& forward = problem.forward;
    const typename Kernels::arguments args{problem, attention_backward_workspace::in(workspace, forward)};
    const auto run = [&](auto kernel, const char* name) {
        return launch(device, detail::gradient_config<decltype(kernel)>(args, name), kernel, args);
    };
    return device.with_memory(
        [&](auto& memory) { detail::add_attention_gradients(memory, args); },
        [&] {
            status s = run(typename Kernels::sums{}, "attention sums");
            if (s)
                s = run(typename Kernels::keys{}, Kernels::split ? "attention dK" : "attention dK, dV");
            if constexpr (Kernels::split)
                if (s)
                    s = run(typename Kernels::values{}, "attention dV");
            if (s)
                s = run(typename Kernels::queries{}, "attention dQ");
            if (s && problem.d_sinks != nullptr)
                s = run(typename Kernels::sinks{}, "attention dsinks");
            return s;
        });
}

} // namespace tegula
