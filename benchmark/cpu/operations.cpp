// The library's operations on rows of floats.

#include "contender.hpp"

#include <tegula/host/cpu_device.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reduction.hpp>

#include <cstdlib>

namespace cpu_benchmark {

using namespace tegula;

namespace {

template <class Target>
status run_operation(const product& p, cpu_device& device, const float* x, float* y)
{
    using tiles = row_tiles_for<Target, row_vector<float, float>>;
    const auto in = make_tensor_argument(x, {p.m, p.n});
    const auto out = make_tensor_argument(y, {p.m, p.n});
    if (p.operation == "softmax")
        return launch(device, softmax_kernels<tiles>{}, softmax_arguments<float, float>{in, out});
    if (p.operation == "layernorm") {
        norm_arguments<float, float> args;
        args.x = in;
        args.y = out;
        return launch(device, norm_kernels<tiles, norm_kind::layer>{}, args);
    }
    if (p.operation == "transpose") {
        permute_arguments<std::uint32_t> args{
            make_tensor_argument(reinterpret_cast<const std::uint32_t*>(x), {p.m, p.n}),
            make_tensor_argument(reinterpret_cast<std::uint32_t*>(y), {p.n, p.m})};
        args.order[0] = 1;
        args.order[1] = 0;
        return launch(device, permute_kernels<Target>{}, args);
    }
    return launch(device, reduction_kernels<Target>{},
                  reduction_arguments<fold_reducer<float, plus>, float>{{}, in, make_tensor_argument(y, {p.m}), 2u});
}

} // namespace

std::function<void()> prepare_operation(const product& p, matrices& x, int threads)
{
    return [p, &x, threads] {
        cpu_device device;
        device.threads = threads;
        const auto* const in = reinterpret_cast<const float*>(x.a.data());
        auto* const out = reinterpret_cast<float*>(x.c.data());
        const status s = !p.avx2 && x86::host_features().contains(x86::feature::avx512)
                             ? run_operation<arch::x86_avx512>(p, device, in, out)
                             : run_operation<arch::x86_avx2>(p, device, in, out);
        if (!s)
            std::abort();
    };
}

} // namespace cpu_benchmark
