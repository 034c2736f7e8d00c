#pragma once

// Attention as operations of the library. Tensors are dense, [batch, heads, rows, columns].
//
//   sizes     batch, heads, kv_heads, seq_q, seq_k, columns, splits (0: as the library chooses)
//   pointers  Q, K, V, O, lse (float), workspace, and of the backward pass dO, dQ, dK, dV

#include "library/on_stream.hpp"

#include <tegula/attention.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/tensor_map.hpp>

#include <cmath>

namespace gpu_library {

/// value_columns: those of V, which are the first of K; 0: V is a tensor of its own, with the columns of K.
template <class T, class O>
tegula::attention_arguments<T, O> attention_of(const long* sizes, void* const* pointers, long value_columns = 0)
{
    tegula::attention_arguments<T, O> a;
    a.batch = sizes[0];
    a.heads = static_cast<index_t>(sizes[1]), a.kv_heads = static_cast<index_t>(sizes[2]);
    a.seq_q = static_cast<index_t>(sizes[3]), a.seq_k = static_cast<index_t>(sizes[4]);
    a.head_dim = static_cast<index_t>(sizes[5]);
    a.value_dim = value_columns > 0 ? static_cast<index_t>(value_columns) : a.head_dim;
    a.scale = 1 / std::sqrt(static_cast<float>(a.head_dim));
    a.band.right = 0;
    const auto tensor = [&](auto* data, long heads, long rows, long columns) {
        return tegula::attention_tensor<std::remove_pointer_t<decltype(data)>>{data, heads * rows * columns,
                                                                               rows * columns, columns};
    };
    if (pointers == nullptr)
        return a;
    a.q = tensor(static_cast<const T*>(pointers[0]), a.heads, a.seq_q, a.head_dim);
    a.k = tensor(static_cast<const T*>(pointers[1]), a.kv_heads, a.seq_k, a.head_dim);
    a.v = value_columns > 0 ? a.k : tensor(static_cast<const T*>(pointers[2]), a.kv_heads, a.seq_k, a.value_dim);
    a.o = tensor(static_cast<O*>(pointers[3]), a.heads, a.seq_q, a.value_dim);
    a.lse = {static_cast<float*>(pointers[4]), a.heads * sizes[3], sizes[3]};
    return a;
}

/// A warp_specialized_attention, or an attention_kernel.
template <class Kernel>
bool add_attention(const char* name)
{
    return add({name, &no_workspace, [](const long* sizes, void* const* pointers, starter& start) {
                    const auto args =
                        attention_of<typename Kernel::element, typename Kernel::output_type>(sizes, pointers);
                    start = on_stream(
                        [args](const tegula::gpu_device& device) { return tegula::launch(device, Kernel{}, {args}); });
                    return tegula::status{};
                }});
}

/// K of kernels that make keys of a scaled_latent_cache is its records, [batch, kv_heads, rows].
template <class Kernel>
bool add_attention_split(const char* name)
{
    static constexpr auto arguments_of = [](const long* sizes, void* const* pointers) {
        const auto attention = attention_of<typename Kernel::element, typename Kernel::output_type>(
            sizes, pointers, Kernel::tile::key_values == tegula::key_value_place::same ? Kernel::tile::value_dim : 0);
        const index_t splits = sizes[6] > 0 ? static_cast<index_t>(sizes[6]) : Kernel::choose_splits(attention);
        typename Kernel::arguments args{attention, splits, {}};
        if constexpr (requires { args.cache; }) {
            using cache = decltype(args.cache);
            args.attention.k = args.attention.v = {};
            if (pointers != nullptr)
                args.cache = cache::of_records(pointers[1], sizes[2] * sizes[4] * cache::record_bytes,
                                               sizes[4] * cache::record_bytes);
        }
        return args;
    };
    return add(
        {name,
         [](const long* sizes) {
             return static_cast<long>(arguments_of(sizes, nullptr).workspace_size() * long_index_t{sizeof(float)});
         },
         [](const long* sizes, void* const* pointers, starter& start) {
             auto args = arguments_of(sizes, pointers);
             args.workspace = {static_cast<float*>(pointers[5]), args.workspace_size()};
             start =
                 on_stream([args](const tegula::gpu_device& device) { return tegula::launch(device, Kernel{}, args); });
             return tegula::status{};
         }});
}

template <class Kernels>
bool add_attention_backward(const char* name)
{
    using T = typename Kernels::element;
    return add(
        {name,
         [](const long* sizes) {
             return static_cast<long>(Kernels::workspace_floats(attention_of<T, T>(sizes, nullptr)) *
                                      long_index_t{sizeof(float)});
         },
         [](const long* sizes, void* const* pointers, starter& start) {
             typename Kernels::problem problem;
             problem.forward = attention_of<T, T>(sizes, pointers);
             const auto like = [](const auto& x, void* data) {
                 return tegula::attention_tensor<T>{static_cast<T*>(data), x.batch_stride, x.head_stride, x.row_stride};
             };
             const auto& f = problem.forward;
             problem.d_o = {static_cast<const T*>(pointers[6]), f.o.batch_stride, f.o.head_stride, f.o.row_stride};
             problem.dq = like(f.q, pointers[7]);
             problem.dk = like(f.k, pointers[8]);
             problem.dv = like(f.v, pointers[9]);
             float* const workspace = static_cast<float*>(pointers[5]);
             start = on_stream([problem, workspace](const tegula::gpu_device& device) {
                 return tegula::launch(device, Kernels{}, {problem, {workspace}});
             });
             return tegula::status{};
         }});
}

} // namespace gpu_library
