#pragma once

/// Checks of the forms of GEMM on CPUs, for forms.cpp and test/grid/gemm_cpu_forms.cpp.

#include <tegula/gemm_cpu_forms.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/reference/random.hpp>

#include "test/kernel/gemm/cpu/cpu.hpp"
#include "test/kernel/gemm/forms/grouped_harness.hpp"
#include "test/kernel/gemm/forms/quantized_weights.hpp"
#include "test/kernel/gemm/forms/scaled.hpp"
#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

using avx2 = arch::x86_avx2;

/// A tile small enough for the strict emulator: a block of two register tiles each way, 16 words of k.
template <class Element>
using strict_tile = cpu_gemm_tile<arch::strict<avx2>, Element, x86::avx2::fma_f32, 12, 32, 16>;

inline std::vector<gemm_case> strict_cases(quarter part)
{
    return pairwise_gemm_cases(gemm_sizes{{1, 17, 30}, {1, 33, 70}, {1, 19, 65}}, part);
}
inline std::vector<gemm_case> native_cases(quarter part)
{
    return two_kernel_cases(k_contiguous, row_contiguous, part);
}

/// Quantised weights by the call that users have, and on the emulator.
template <class A, class Form, class Epilogue>
struct native_weights
{
    using arguments = quantized_weights_arguments<A, Form, float, Epilogue>;
    static void run(const arguments& args)
    {
        cpu_device device;
        const status s = launch(device, cpu_gemm<avx2>{}, args);
        INFO(s.message());
        REQUIRE(s.ok());
    }
};
template <class Kernels>
struct on_emulator
{
    using arguments = typename Kernels::arguments;
    static void run(const arguments& args)
    {
        REQUIRE(can_implement(args).ok());
        const status s = Kernels::dispatch(args, [](auto kernel, const auto& product) {
            const auto run = emulate(kernel, product);
            INFO(run.report << run.status.message());
            REQUIRE(run.status.ok());
            return run.status;
        });
        REQUIRE(s.ok());
    }
};
template <class A, class B>
struct native_blocks
{
    using arguments = block_scaled_arguments<A, B, float, epilogue::none>;
    static void run(const arguments& args)
    {
        cpu_device device;
        const status s = launch(device, cpu_gemm<avx2>{}, args);
        INFO(s.message());
        REQUIRE(s.ok());
    }
};

template <class A, class Form>
void check_weights(quarter part)
{
    using epilogue_type = quantized_weights_epilogue<Form>;
    int uses[2] = {};
    if (has_target<avx2>())
        for (const gemm_case& f : native_cases(part)) {
            INFO(f.text());
            check_quantized_weights_case<native_weights<A, Form, epilogue_type>, A, Form>(f, 0, uses);
        }
    for (const gemm_case& f : strict_cases(part)) {
        INFO(f.text() << ", strict");
        check_quantized_weights_case<
            on_emulator<cpu_quantized_weights_kernels<strict_tile<A>, Form, float, epilogue_type>>, A, Form>(f, 0,
                                                                                                             uses);
    }
}

template <class A, class B>
void check_blocks(quarter part)
{
    int uses[2] = {};
    if (has_target<avx2>())
        for (const gemm_case& f : native_cases(part)) {
            INFO(f.text());
            check_block_scaled_case<native_blocks<A, B>, A, B>(f, uses);
        }
    for (const gemm_case& f : strict_cases(part)) {
        INFO(f.text() << ", strict");
        check_block_scaled_case<on_emulator<cpu_block_scaled_kernels<strict_tile<float>, A, B, float, epilogue::none>>,
                                A, B>(f, uses);
    }
}

/// A product of a batch of A with one B, operands quantised by the calls that users have; against what the host's rule,
/// quantize(numbers, rows, k, result), makes of them, multiplied in double. Blocks of A's rows differ by up to 2^binades.
template <class OperandA, class OperandB, class Arguments, class Kernels, class Quantize>
void check_scaled(int binades, const Quantize& quantize)
{
    constexpr long_index_t m = 9, n = 35, k = 150, batch = 2;
    std::vector<float> x(batch * m * k), y(k * n);
    fill_normal<float>(x, 3);
    fill_normal<float>(y, 4);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::ldexp(x[i], static_cast<int>(i / 40) % binades - binades / 2);
    OperandA a;
    OperandB b;
    REQUIRE(a.quantize({x.data(), k, 1, m * k}, m, k, batch).ok());
    REQUIRE(b.quantize({y.data(), 1, n, 0}, n, k).ok()); // B by rows
    Arguments args;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    args.a = a.rows_of_a(), args.b = b.columns_of_b();
    args.b.batch_stride = 0;
    args.a_scales = a.scales(), args.b_scales = b.scales();
    args.a_scales_stride = a.scales_stride;
    if constexpr (requires { args.tensor_scale; })
        args.tensor_scale = a.tensor_scale * b.tensor_scale;

    block_quantized<typename OperandA::element_type, typename OperandA::scale_type> left;
    block_quantized<typename OperandB::element_type, typename OperandB::scale_type> right;
    std::vector<float> turned;
    for (long_index_t j = 0; j < n; ++j)
        for (long_index_t d = 0; d < k; ++d)
            turned.push_back(y[static_cast<std::size_t>(d * n + j)]);
    REQUIRE(quantize(std::span<const float>(x), batch * m, k, left).ok());
    REQUIRE(quantize(std::span<const float>(turned), n, k, right).ok());
    const auto check = [&](const std::vector<float>& c) {
        int wrong = 0;
        for (long_index_t i = 0; i < batch * m; ++i)
            for (long_index_t j = 0; j < n; ++j) {
                double sum = 0, magnitude = 0;
                for (long_index_t d = 0; d < k; ++d) {
                    const double product = left.value(i, d) * right.value(j, d);
                    sum += product;
                    magnitude += std::fabs(product);
                }
                const double error = std::fabs(static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) - sum);
                wrong += !(error <= 0x1p-24 * static_cast<double>(k) * magnitude);
            }
        CHECK(wrong == 0);
    };
    std::vector<float> c(batch * m * n, -1);
    args.c = {c.data(), n, 1, m * n};
    on_emulator<Kernels>::run(args);
    check(c);
    if (!has_target<avx2>())
        return;
    std::fill(c.begin(), c.end(), -1.0f);
    cpu_device device;
    REQUIRE(launch(device, cpu_gemm<avx2>{}, args).ok());
    check(c);
}

} // namespace
