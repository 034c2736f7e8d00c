#pragma once

#include "cpu.hpp"
#include "quantize.hpp"

#include <tegula/host/cpu_forms.hpp>

namespace gemm_example {

/// Operand, Arguments: the library's for Microscaling formats or for NVFP4.
template <class Target, class Operand, class Arguments>
run_result multiply_scaled(const problem& p, const run_options&)
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
        return tegula::launch(device, tegula::cpu_gemm<Target>{}, args);
    });
}

/// Packed operands of a format, and the arguments of their product.
template <class Format>
struct cpu_operands
{
    using operand = tegula::scaled_format_operand<Format>;
    using arguments = tegula::scaled_format_arguments<Format, Format, float, epilogue_of<float>>;
};
template <class T>
struct cpu_operands<tegula::mx_format<T>>
{
    using operand = tegula::microscaled_operand<T>;
    using arguments = tegula::microscaled_arguments<T, T, float, epilogue_of<float>>;
};

/// Adds the CPU's product of operands with block scales, which it multiplies as float.
template <class Target, class Format>
bool add_cpu_block_scaled(const char* type)
{
    using operands = cpu_operands<Format>;
    kernel_entry e = describe_cpu_tile<Target, typename tegula::prologue_tiles<Target, float>::small>(type, "t84x256");
    e.run = &multiply_scaled<Target, typename operands::operand, typename operands::arguments>;
    e.quantize = &quantize<Format>;
    return add_kernels({e});
}

} // namespace gemm_example
