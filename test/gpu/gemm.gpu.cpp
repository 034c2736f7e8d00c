/// Runs the kernels of one tile on the machine's GPU and compares with the product in double.

#include <tegula/host/gpu_runtime.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/gpu/gemm.hpp"
#include "test/kernel/gemm_data.hpp"

#if defined(__HIP__)
#define TEGULA_TEST_VENDOR on_amd
#else
#define TEGULA_TEST_VENDOR on_nvidia
#endif

namespace tegula::test::TEGULA_TEST_VENDOR {
namespace {

using data_type = gemm_data<bfloat16, float>;

/// The storage of a matrix on the GPU. The host's alignment to 16 bytes is kept.
template <class T>
status upload(device_memory& memory, const std::vector<T>& values)
{
    return memory.copy_from(values.data(), values.size() * sizeof(T));
}
template <class T>
T* device_data(const device_memory& memory, const stored_matrix<std::remove_const_t<T>>& matrix)
{
    return static_cast<T*>(memory.data()) + matrix.where.first;
}

template <class Target>
status multiply(data_type& data)
{
    using tile = typename gemm_tiles<Target, bfloat16>::medium;
    using kernels = gemm_kernels<tile, float, data_type::epilogue_type>;
    device_memory a, b, c, c0, bias;
    for (const status& s : {upload(a, data.a.values), upload(b, data.b.values), upload(c, data.c.values),
                            upload(c0, data.c0.values), upload(bias, data.bias)})
        if (!s)
            return s;
    auto args = data.arguments();
    args.a.data = device_data<const bfloat16>(a, data.a);
    args.b.data = device_data<const bfloat16>(b, data.b);
    args.c.data = device_data<float>(c, data.c);
    auto source = (data.what.in_place ? data.c : data.c0).source();
    source.data = device_data<const float>(data.what.in_place ? c : c0, data.what.in_place ? data.c : data.c0);
    args.epilogue = epilogue::make_linear<float, float>(
        data.what.alpha, data.what.beta, source, data.what.bias ? static_cast<const float*>(bias.data()) : nullptr,
        data.what.activation);
    if (status s = can_implement(args); !s)
        return s;
    const status launched = kernels::dispatch(
        args, true, [&](auto kernel) { return launch_on_gpu(kernel, args, decltype(kernel)::blocks(args)); });
    return launched ? c.copy_to(data.c.values.data(), data.c.values.size() * sizeof(float)) : launched;
}

/// Calls run(target) for the target of the machine's GPU; the reason where there is none.
template <class Run>
std::string with_target(const Run& run)
{
#if defined(__HIP__)
    hipDeviceProp_t properties{};
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess)
        return "no AMD GPU answers";
    const std::string name =
        std::string(properties.gcnArchName).substr(0, std::string(properties.gcnArchName).find(':'));
    if (name == "gfx90a")
        return run(arch::gfx90a{}), "";
    if (name == "gfx942")
        return run(arch::gfx942{}), "";
    if (name == "gfx1100")
        return run(arch::gfx1100{}), "";
    if (name == "gfx1201")
        return run(arch::gfx1201{}), "";
    return "no kernels are built for " + name;
#else
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return "no NVIDIA GPU answers";
    if (properties.major == 9 && properties.minor == 0)
        return run(arch::sm_90a{}), "";
    if (properties.major == 8)
        return run(arch::sm_80{}), "";
    return "no kernels are built for compute capability " + std::to_string(properties.major) + "." +
           std::to_string(properties.minor);
#endif
}

std::string judge(data_type& data, const status& ran)
{
    if (!ran)
        return ran.message();
    const error_report error = data.verify(float_truncation_unit);
    if (!error.passed)
        return "error " + std::to_string(error.max_abs_error) + " is " + std::to_string(error.worst_ratio) +
               " of the bound, at element " + std::to_string(error.worst_index);
    return data.c.surroundings_untouched() ? "" : "something around C was written";
}

} // namespace

gpu_outcome run_bf16_gemm(const gemm_case& what)
{
    gpu_outcome outcome;
    data_type data(what);
    outcome.skipped =
        with_target([&](auto target) { outcome.failure = judge(data, multiply<decltype(target)>(data)); });
    return outcome;
}

} // namespace tegula::test::TEGULA_TEST_VENDOR
