#include "contender.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <thread>

namespace cpu_benchmark {

namespace {

/// A tensor in memory that stays where it is.
at::Tensor tensor_at(void* data, at::IntArrayRef lengths, at::ScalarType type)
{
    return at::from_blob(data, lengths, at::TensorOptions().dtype(type));
}

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    at::set_num_threads(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()));
    const at::ScalarType type = p.type == "f32"    ? at::kFloat
                                : p.type == "f64"  ? at::kDouble
                                : p.type == "bf16" ? at::kBFloat16
                                : p.type == "f16"  ? at::kHalf
                                                   : at::kChar;
    if (!p.multiplies()) {
        const at::Tensor a = tensor_at(x.a.data(), {p.m, p.n}, type);
        const bool transposes = p.operation == "transpose", sums = p.operation == "sum";
        at::Tensor c = sums         ? tensor_at(x.c.data(), {p.m}, type)
                       : transposes ? tensor_at(x.c.data(), {p.n, p.m}, type)
                                    : tensor_at(x.c.data(), {p.m, p.n}, type);
        if (p.operation == "softmax")
            return [=]() mutable { at::softmax_out(c, a, 1); };
        if (sums)
            return [=]() mutable { at::sum_out(c, a, 1); };
        if (transposes)
            return [=]() mutable { c.copy_(a.t()); };
        // Without a result of one's own: PyTorch allocates it, as its users' programs do.
        return [=]() mutable { c.copy_(at::layer_norm(a, {p.n})); };
    }
    const bool several = p.batch > 1;
    const at::Tensor a =
        several ? tensor_at(x.a.data(), {p.batch, p.m, p.k}, type) : tensor_at(x.a.data(), {p.m, p.k}, type);
    const at::Tensor stored = several          ? tensor_at(x.b.data(), {p.batch, p.k, p.n}, type)
                              : p.b_transposed ? tensor_at(x.b.data(), {p.n, p.k}, type)
                                               : tensor_at(x.b.data(), {p.k, p.n}, type);
    const at::Tensor b = p.b_transposed ? stored.t() : stored;
    const at::ScalarType result = type == at::kChar ? at::kInt : type;
    at::Tensor c =
        several ? tensor_at(x.c.data(), {p.batch, p.m, p.n}, result) : tensor_at(x.c.data(), {p.m, p.n}, result);
    if (p.operation == "bias_gelu") {
        const at::Tensor bias = tensor_at(x.a.data(), {p.n}, type);
        return [=]() mutable {
            at::addmm_out(c, bias, a, b);
            at::gelu_out(c, c);
        };
    }
    if (type == at::kChar)
        return [=]() mutable { at::_int_mm_out(c, a, b); };
    if (several)
        return [=]() mutable { at::bmm_out(c, a, b); };
    return [=]() mutable { at::mm_out(c, a, b); };
}

const bool added = add_contender({"PyTorch", TORCH_VERSION, &prepare});

} // namespace

} // namespace cpu_benchmark
