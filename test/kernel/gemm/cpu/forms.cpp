// The forms of GEMM on CPUs: as the machine's own code, and the same kernels on the strict emulator.

#include "test/kernel/gemm/cpu/forms.hpp"

TEST_CASE("CPU GEMM: quantised weights", "[gemm][cpu]")
{
    check_weights<bfloat16, quantized<uint4x2, 64, bfloat16, std::uint8_t>>(quarter::first);
    check_weights<half, quantized<std::int8_t>>(quarter::second);
}

TEST_CASE("CPU GEMM: Microscaling operands", "[gemm][cpu]")
{
    // A in 6 bits, whose elements lie across bytes, B in 4; blocks of 32 of which the last is cut off, and a batch of A.
    using a_type = float6_e2m3;
    using b_type = float4_e2m1;
    using arguments = microscaled_arguments<a_type, b_type, float, epilogue::linear<>>;
    using kernels = cpu_microscaled_kernels<strict_tile<float>, a_type, b_type, float, epilogue::linear<>>;
    check_scaled<microscaled_operand<a_type>, microscaled_operand<b_type>, arguments, kernels>(
        30, [](auto x, auto rows, auto k, auto& of) { return quantize_mx(x, rows, k, of); });
}

TEST_CASE("CPU GEMM: lists of products", "[gemm][cpu]")
{
    using kernel = cpu_any_gemm<strict_tile<float>, float, test_epilogue<float>::type>;
    check_lists<kernel>(strict_cases(quarter::second));
    if (!has_target<avx2>())
        return;
    grouped_run<cpu_any_gemm<prologue_tiles<avx2, float>::small, float, test_epilogue<float>::type>> lists(
        with_empty_ones(native_cases(quarter::second)));
    cpu_device device;
    using product = std::remove_cvref_t<decltype(lists.products[0])>;
    const status s = launch(device, cpu_grouped_gemm<avx2, product>{}, {lists.products.data(), lists.count()});
    INFO(s.message());
    REQUIRE(s.ok());
    for (auto& one : lists.data) {
        INFO(one.what.text());
        CHECK(one.verify().passed);
        CHECK(one.c.surroundings_untouched());
    }
}
