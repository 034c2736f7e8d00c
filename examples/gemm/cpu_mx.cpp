// not in the demo
#if defined(__x86_64__)

#include "cpu.hpp"
#include "quantize.hpp"

#include <tegula/host/cpu_forms.hpp>

namespace gemm_example {
namespace {

/// Operands, arguments: the library's for Microscaling formats or for NVFP4.
template <class Target, class Operand, class Arguments>
run_result multiply(const problem& p, const run_options&)
{
    const auto plain = make_arguments<float>(p);
    Operand a, b;
    Arguments args;
    return run_on_cpu([&](tegula::cpu_device& device) {
        tegula::status s = a.quantize(plain.a, p.m, p.k, p.batch);
        if (s)
            s = b.quantize({plain.b.data, plain.b.column_stride, plain.b.row_stride, plain.b.batch_stride}, p.n, p.k,
                           p.batch);
        if (!s)
            return s;
        args.m = p.m, args.n = p.n, args.k = p.k, args.batch = p.batch;
        args.a = a.rows_of_a(), args.b = b.columns_of_b();
        args.a_scales = a.scales(), args.a_scales_stride = a.scales_stride;
        args.b_scales = b.scales(), args.b_scales_stride = b.scales_stride;
        args.c = plain.c;
        args.epilogue = plain.epilogue;
        if constexpr (requires { args.tensor_scale; })
            args.epilogue = set_tensor_scale(args, p, a.tensor_scale, b.tensor_scale);
        return tegula::cpu_microscaled_gemm<Target>(device, args);
    });
}

/// Operands with block scales on the CPU, which multiplies them as float.
template <class Target, class Format, class Operand, class Arguments>
bool add(const char* type)
{
    kernel_entry e = describe_cpu_tile<Target, typename tegula::prologue_tiles<Target, float>::small>(type, "t84x256");
    e.run = &multiply<Target, Operand, Arguments>;
    e.quantize = &quantize<Format>;
    return add_kernels({e});
}
template <class Target, class T>
bool add_mx(const char* type)
{
    return add<Target, tegula::mx_format<T>, tegula::microscaled_operand<T>,
               tegula::microscaled_arguments<T, T, float, epilogue_of<float>>>(type);
}

template <class Target>
bool add_all()
{
    using nvfp4 = tegula::nvfp4_format;
    return add_mx<Target, tegula::float8_e4m3>("mxfp8_e4m3") && add_mx<Target, tegula::float6_e2m3>("mxfp6_e2m3") &&
           add_mx<Target, tegula::float4_e2m1>("mxfp4") &&
           add<Target, nvfp4, tegula::scaled_format_operand<nvfp4>,
               tegula::scaled_format_arguments<nvfp4, nvfp4, float, epilogue_of<float>>>("nvfp4");
}

const bool added = add_all<tegula::arch::x86_avx2>() && add_all<tegula::arch::x86_avx512>();

} // namespace
} // namespace gemm_example

#endif
