// The forms of GEMM on CPUs: as the machine's own code, and the same kernels on the strict emulator.

#include <tegula/gemm_cpu_forms.hpp>
#include <tegula/host/launch_microscaled.hpp>

#include "test/kernel/gemm_cpu.hpp"
#include "test/kernel/gemm_grouped_harness.hpp"
#include "test/kernel/gemm_quantized_weights.hpp"
#include "test/kernel/gemm_scaled.hpp"
#include "test/kernel/gemm_split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

using avx2 = arch::x86_avx2;

/// A tile small enough for the strict emulator: a block of two register tiles each way, 16 words of k.
template <class Element>
using strict_tile = cpu_gemm_tile<arch::strict<avx2>, Element, x86::avx2::fma_f32, 12, 32, 16>;

std::vector<gemm_case> strict_cases(quarter part)
{
    return pairwise_gemm_cases(gemm_sizes{{1, 17, 30}, {1, 33, 70}, {1, 19, 65}}, part);
}
std::vector<gemm_case> native_cases(quarter part) { return two_kernel_cases(k_contiguous, row_contiguous, part); }

/// Quantised weights by the call that users have, and on the emulator.
template <class A, class Form, class Epilogue>
struct native_weights
{
    using arguments = quantized_weights_arguments<A, Form, float, Epilogue>;
    static void run(const arguments& args)
    {
        cpu_device device;
        const status s = cpu_quantized_weights_gemm<avx2>(device, args);
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
            const auto run = emulate_gemm(kernel, product);
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
        const status s = cpu_block_scaled_gemm<avx2>(device, args);
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

} // namespace

TEST_CASE("CPU GEMM: quantised weights", "[gemm][cpu]")
{
    check_weights<bfloat16, quantized<int4x2, 64, bfloat16>>(quarter::first);
    check_weights<half, quantized<std::int8_t>>(quarter::second);
}

TEST_CASE("CPU GEMM: block-scaled operands", "[gemm][cpu]") { check_blocks<float8_e4m3, float8_e4m3>(quarter::third); }

TEST_CASE("CPU GEMM: lists of products", "[gemm][cpu]")
{
    using kernel = cpu_any_gemm<strict_tile<float>, float, test_epilogue<float>::type>;
    check_lists<kernel>(strict_cases(quarter::second));
    if (!has_target<avx2>())
        return;
    grouped_run<cpu_any_gemm<prologue_tiles<avx2, float>::small, float, test_epilogue<float>::type>> lists(
        with_empty_ones(native_cases(quarter::second)));
    cpu_device device;
    const status s = cpu_grouped_gemm<avx2>(device, lists.products.data(), lists.count());
    INFO(s.message());
    REQUIRE(s.ok());
    for (auto& one : lists.data) {
        INFO(one.what.text());
        CHECK(one.verify().passed);
        CHECK(one.c.surroundings_untouched());
    }
}

TEST_CASE("CPU GEMM: split-K", "[gemm][cpu]")
{
    using kernel = split_k_gemm<cpu_any_gemm<strict_tile<float>, float, test_epilogue<float>::type>>;
    std::size_t turn = 0;
    const std::vector<index_t> splits = split_counts();
    for (const gemm_case& what : strict_cases(quarter::fourth)) {
        const index_t count = splits[turn++ % splits.size()];
        check_split_k<kernel>(what, count, turn % 8 == 0);
    }
    if (!has_target<avx2>())
        return;
    for (gemm_case what : native_cases(quarter::fourth)) {
        what.k *= 7;
        const index_t count = splits[turn++ % splits.size()];
        check_case<float, float>(
            what, [&](cpu_device& device, const auto& args) { return cpu_split_k_gemm<avx2>(device, args, count); });
    }
    gemm_data<float, float> data(repeated_case());
    cpu_device device;
    CHECK(cpu_split_k_gemm<avx2>(device, data.arguments(), 0).code() == status_code::invalid_argument);
}
