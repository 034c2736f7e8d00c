#pragma once

// The GPU's kernels of the backward pass.

#include "on_gpu.hpp"
#include "tiles_backward.hpp"

#include <tuple>

namespace attention_example {

inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Copies of the tensors of a backward pass on the GPU, beside those of the forward pass: O in the inputs' type, and memory for
/// the gradients.
class gradients_on_gpu
{
public:
    tegula::status upload(const problem& p, long_index_t element_bytes)
    {
        const auto& a = p.plain;
        tegula::status s = inputs_.upload(p, element_bytes);
        if (!s)
            return s;
        on_gpu_ = *inputs_;
        s = copy(o_, p.o, on_gpu_.o, element_bytes);
        if (s)
            s = copy(d_o_, p.d_o, on_gpu_.d_o, element_bytes);
        if (s)
            s = lse_.copy_from(a.lse.data, static_cast<std::size_t>(a.batch * a.lse.batch_stride) * sizeof(float));
        on_gpu_.plain.lse.data = static_cast<float*>(lse_.data());
        for (const auto& [memory, from, to] :
             {std::tuple(&dq_, &p.dq, &on_gpu_.dq), std::tuple(&dk_, &p.dk, &on_gpu_.dk),
              std::tuple(&dv_, &p.dv, &on_gpu_.dv)}) {
            if (s)
                s = memory->allocate(bytes(*from, a.batch));
            to->data = static_cast<float*>(memory->data());
        }
        return s;
    }
    tegula::status download(const problem& p) const
    {
        tegula::status s = dq_.copy_to(p.dq.data, bytes(p.dq, p.plain.batch));
        if (s)
            s = dk_.copy_to(p.dk.data, bytes(p.dk, p.plain.batch));
        if (s)
            s = dv_.copy_to(p.dv.data, bytes(p.dv, p.plain.batch));
        return s;
    }
    const problem& operator*() const { return on_gpu_; }

private:
    static std::size_t bytes(const tegula::attention_tensor<float>& x, long_index_t batch)
    {
        return static_cast<std::size_t>(batch * x.batch_stride) * sizeof(float);
    }
    template <class Void>
    tegula::status copy(tegula::device_memory& memory, const tegula::attention_tensor<Void>& from,
                        tegula::attention_tensor<Void>& to, long_index_t element_bytes)
    {
        const tegula::status s = memory.copy_from(
            from.data, static_cast<std::size_t>(on_gpu_.plain.batch * from.batch_stride * element_bytes));
        to = from;
        to.data = memory.data();
        return s;
    }

    problem on_gpu_;
    problem_on_gpu inputs_;
    tegula::device_memory o_, d_o_, lse_, dq_, dk_, dv_;
};

template <class Kernels>
run_result run_backward_on_gpu(const problem& p, const run_options& options)
{
    using T = typename Kernels::element;
    return run_copies<gradients_on_gpu>(p, options, sizeof(T), [](const problem& on_gpu) {
        const auto args = make_backward_arguments<T, score_of<Kernels>>(on_gpu);
        tegula::device_memory workspace;
        run_result timed;
        timed.status =
            workspace.allocate(static_cast<std::size_t>(Kernels::workspace_floats(args.forward)) * sizeof(float));
        if (!timed.status)
            return timed;
        return time_launches([&] {
            return tegula::launch(tegula::gpu_device{}, Kernels{}, {args, {static_cast<float*>(workspace.data())}});
        });
    });
}

/// Adds kernels of the backward pass on the GPU, each for inputs of that type.
template <class... Kernels>
bool add_gpu_backward(const char* type)
{
    return (add_backward_kernels(make_backward_entry<Kernels>(type, device::gpu, &run_backward_on_gpu<Kernels>)) &&
            ...);
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace attention_example
