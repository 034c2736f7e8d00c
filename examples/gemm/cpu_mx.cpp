// not in the demo
#if defined(__x86_64__)

#include "cpu.hpp"
#include "quantize.hpp"

#include <tegula/host/cpu_forms.hpp>

namespace gemm_example {
namespace {

template <class Target, class T>
run_result multiply(const problem& p, const run_options&)
{
    const auto plain = make_arguments<float>(p);
    tegula::microscaled_operand<T> a, b;
    tegula::microscaled_arguments<T, T, float, epilogue_of<float>> args;
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
        return tegula::cpu_microscaled_gemm<Target>(device, args);
    });
}

/// Operands with block scales on the CPU, which multiplies them as float.
template <class Target, class T>
bool add(const char* type)
{
    kernel_entry e = describe_cpu_tile<Target, typename tegula::prologue_tiles<Target, float>::small>(type, "t84x256");
    e.run = &multiply<Target, T>;
    e.quantize = &quantize<tegula::mx_format<T>>;
    return add_kernels({e});
}

template <class Target>
bool add_all()
{
    return add<Target, tegula::float8_e4m3>("mxfp8_e4m3") && add<Target, tegula::float6_e2m3>("mxfp6_e2m3") &&
           add<Target, tegula::float4_e2m1>("mxfp4");
}

const bool added = add_all<tegula::arch::x86_avx2>() && add_all<tegula::arch::x86_avx512>();

} // namespace
} // namespace gemm_example

#endif
