#pragma once

// The GPU's kernels, for CUDA and for HIP from the same sources.

#include "tiles.hpp"

#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/tensor_map.hpp>

namespace attention_example {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Copies of a problem's tensors on the GPU.
class problem_on_gpu
{
public:
    tegula::status upload(const problem& p, long_index_t element_bytes)
    {
        const auto& a = p.plain;
        const bool in_pages = a.pages.page_length != 0;
        const long_index_t caches = in_pages ? a.pages.pages : a.batch; // of K and V
        on_gpu_ = p;
        o_bytes_ = bytes(a.o, a.batch, sizeof(float));
        lse_bytes_ = static_cast<std::size_t>(a.batch * a.lse.batch_stride) * sizeof(float);
        tegula::status s;
        if (s = q_.copy_from(a.q.data, bytes(a.q, a.batch, element_bytes)); !s)
            return s;
        if (s = k_.copy_from(a.k.data, bytes(a.k, caches, element_bytes)); !s)
            return s;
        if (s = v_.copy_from(a.v.data, bytes(a.v, caches, element_bytes)); !s)
            return s;
        const bool empty = a.batch == 0 || a.heads == 0 || a.seq_q == 0 || a.seq_k == 0;
        const long_index_t last = (a.batch - 1) * a.bias.batch_stride + (a.heads - 1) * a.bias.head_stride +
                                  (a.seq_q - 1) * a.bias.query_stride + (a.seq_k - 1) * a.bias.key_stride;
        const bool biased = a.bias.data != nullptr && !empty;
        if (s = bias_.copy_from(a.bias.data, biased ? static_cast<std::size_t>(last + 1) * sizeof(float) : 0); !s)
            return s;
        tegula::attention_scale* const scales[] = {&on_gpu_.plain.q_scale, &on_gpu_.plain.k_scale,
                                                   &on_gpu_.plain.v_scale}; // of the host's so far
        for (int i = 0; i < 3 && a.q_scale.data != nullptr; ++i) {
            if (s = scales_[i].copy_from(scales[i]->data, sizeof(float)); !s)
                return s;
            scales[i]->data = static_cast<const float*>(scales_[i].data());
        }
        if (s = upload_lists(a); !s)
            return s;
        if (s = o_.allocate(o_bytes_); !s)
            return s;
        if (s = lse_.allocate(lse_bytes_); !s)
            return s;
        auto& g = on_gpu_.plain;
        g.q.data = q_.data();
        g.k.data = k_.data();
        g.v.data = v_.data();
        g.bias.data = biased ? static_cast<const float*>(bias_.data()) : a.bias.data;
        g.o.data = static_cast<float*>(o_.data());
        g.lse.data = static_cast<float*>(lse_.data());
        return {};
    }
    tegula::status download(const problem& p) const
    {
        const tegula::status s = o_.copy_to(p.plain.o.data, o_bytes_);
        return s ? lse_.copy_to(p.plain.lse.data, lse_bytes_) : s;
    }
    const problem& operator*() const { return on_gpu_; }

private:
    /// The page table and the sequences' numbers of keys, where there are any.
    tegula::status upload_lists(const decltype(problem::plain)& a)
    {
        tegula::status s;
        if (a.lengths.key_lengths != nullptr) {
            s = lengths_.copy_from(a.lengths.key_lengths, static_cast<std::size_t>(a.batch) * sizeof(index_t));
            on_gpu_.plain.lengths.key_lengths = static_cast<const index_t*>(lengths_.data());
        }
        if (s && a.pages.page_length != 0 && a.batch > 0) {
            const long_index_t entries =
                (a.batch - 1) * a.pages.batch_stride + tegula::ceil_div(a.seq_k, a.pages.page_length);
            s = table_.copy_from(a.pages.table, static_cast<std::size_t>(entries) * sizeof(index_t));
            on_gpu_.plain.pages.table = static_cast<const index_t*>(table_.data());
        }
        return s;
    }
    template <class T>
    static std::size_t bytes(const tegula::attention_tensor<T>& x, long_index_t matrices, long_index_t size)
    {
        return static_cast<std::size_t>(matrices * x.batch_stride * size);
    }

    problem on_gpu_;
    std::size_t o_bytes_ = 0, lse_bytes_ = 0;
    tegula::device_memory q_, k_, v_, bias_, o_, lse_, scales_[3], lengths_, table_;
};

/// The mean time of a few launches after a first one.
template <class Start>
run_result time_launches(const Start& start)
{
    run_result timed;
    constexpr int launches = 5;
    if (timed.status = start(); !timed.status)
        return timed;
    tegula::gpu_timer timer;
    timer.start();
    for (int i = 0; i < launches; ++i)
        if (timed.status = start(); !timed.status)
            return timed;
    timed.status = timer.stop(timed.seconds);
    timed.seconds /= launches;
    return timed;
}

/// Copies the problem, whose Q has elements of element_bytes bytes, to the GPU, runs it by compute() and copies the
/// result back.
template <class Copies = problem_on_gpu, class Compute>
run_result run_copies(const problem& p, const run_options& options, long_index_t element_bytes, const Compute& compute)
{
    run_result result;
    Copies copies;
    tegula::status& s = result.status;
    if (s = tegula::check_runtime(TEGULA_RUNTIME(SetDevice)(options.gpu), "choosing the GPU"); !s)
        return result;
    if (s = copies.upload(p, element_bytes); !s)
        return result;
    const run_result run = compute(*copies);
    s = run.status;
    result.seconds = run.seconds;
    if (s)
        s = copies.download(p);
    return result;
}

template <class Tile>
run_result run_on_gpu(const problem& p, const run_options& options)
{
    return run_copies(p, options, sizeof(typename Tile::element), [](const problem& on_gpu) {
        return dispatch<Tile>(on_gpu, [](auto kernel, const auto& args) {
            return time_launches([&] { return tegula::launch(tegula::gpu_device{}, kernel, args); });
        });
    });
}

template <class Tile>
run_result run_latent_on_gpu(const problem& p, const run_options& options)
{
    return run_copies(p, options, sizeof(typename Tile::element), [](const problem& on_gpu) {
        return dispatch_latent<Tile>(on_gpu, [](auto kernel, const auto& args) {
            return time_launches([&] { return tegula::launch(tegula::gpu_device{}, kernel, args); });
        });
    });
}

template <class Kernel>
run_result run_feature_on_gpu(const problem& p, const run_options& options)
{
    return run_copies(p, options, sizeof(typename Kernel::tile::element), [](const problem& on_gpu) {
        const auto args = make_feature_arguments<Kernel>(on_gpu);
        return time_launches([&] { return tegula::launch(tegula::gpu_device{}, Kernel{}, args); });
    });
}

template <class Kernel>
run_result run_decoding_on_gpu(const problem& p, const run_options& options)
{
    return run_copies(p, options, sizeof(typename Kernel::element), [](const problem& on_gpu) {
        run_result timed;
        const tegula::status s = with_workspace<Kernel, tegula::gpu_device>(on_gpu, [&](const auto& args) {
            timed = time_launches([&] { return tegula::launch(tegula::gpu_device{}, Kernel{}, args); });
            return timed.status;
        });
        timed.status = s;
        return timed;
    });
}

template <class Kernel>
run_result run_warp_specialized_on_gpu(const problem& p, const run_options& options)
{
    return run_copies(p, options, sizeof(typename Kernel::element), [](const problem& on_gpu) {
        const auto args = make_arguments<typename Kernel::element, float, tegula::unchanged_score>(on_gpu);
        return time_launches([&] { return tegula::launch(tegula::gpu_device{}, Kernel{}, {args}); });
    });
}

/// Adds warp-specialised kernels of Target, for up to so many columns each.
template <class Target, class T, index_t... Columns>
bool add_gpu_warp_specialized(const char* type)
{
    return add_kernels({make_warp_specialized_entry<warp_specialized_kernel<Target, T, Columns>>(
        type, device::gpu, &run_warp_specialized_on_gpu<warp_specialized_kernel<Target, T, Columns>>)...});
}

/// Adds those of paged caches.
template <class Target, class T, index_t Columns>
bool add_gpu_warp_specialized_pages(const char* type)
{
    using kernel = warp_specialized_pages_kernel<Target, T, Columns>;
    return add_kernels({make_warp_specialized_entry<kernel>(type, device::gpu, &run_warp_specialized_on_gpu<kernel>)});
}

/// Adds the GPU's kernels of Target for inputs of type T, for up to so many columns each.
template <class Target, class T, index_t... Columns>
bool add_gpu_kernels(const char* type)
{
    return add_kernels(
        {make_entry<tile_of<Target, T, Columns>>(type, device::gpu, &run_on_gpu<tile_of<Target, T, Columns>>)...});
}

/// Adds those with dropout.
template <class Target, class T, index_t Columns>
bool add_gpu_dropout(const char* type)
{
    using kernel = feature_kernel<Target, T, Columns, dropping_variant>;
    return add_kernels({make_feature_entry<kernel>(type, device::gpu, &run_feature_on_gpu<kernel>)});
}

/// Adds those of paged caches.
template <class Target, class T, index_t Columns>
bool add_gpu_pages(const char* type)
{
    using kernel = feature_kernel<Target, T, Columns, paged_variant>;
    return add_kernels({make_feature_entry<kernel>(type, device::gpu, &run_feature_on_gpu<kernel>)});
}

/// Adds those of the latent form.
template <class Target, class T, index_t Columns>
bool add_gpu_latent(const char* type)
{
    using tile = latent_tile<Target, T, Columns>;
    return add_kernels({make_entry<tile>(type, device::gpu, &run_latent_on_gpu<tile>)});
}

/// Adds those for few queries.
template <class Target, class T, index_t Columns>
bool add_gpu_decoding(const char* type)
{
    using kernel = decoding_kernel<Target, T, Columns>;
    return add_kernels({make_decoding_entry<kernel>(type, device::gpu, &run_decoding_on_gpu<kernel>)});
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace attention_example
