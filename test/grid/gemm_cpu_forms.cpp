// The forms of GEMM on CPUs: as the machine's own code, and the same kernels on the strict emulator.

#include "test/kernel/gemm/cpu/forms.hpp"

TEST_CASE("CPU GEMM: block-scaled operands", "[gemm][cpu]") { check_blocks<float8_e4m3, float8_e4m3>(quarter::third); }

TEST_CASE("CPU GEMM: NVFP4 operands", "[gemm][cpu]")
{
    using operand = scaled_format_operand<nvfp4_format>;
    using arguments = scaled_format_arguments<nvfp4_format, nvfp4_format, float, epilogue::linear<>>;
    using kernels =
        cpu_scaled_format_kernels<strict_tile<float>, nvfp4_format, nvfp4_format, float, epilogue::linear<>>;
    check_scaled<operand, operand, arguments, kernels>(
        10, [](auto x, auto rows, auto k, auto& of) { return quantize_nvfp4(x, rows, k, of); });
    const float bad[] = {1, std::numeric_limits<float>::infinity()};
    operand x;
    CHECK(std::string(x.quantize({bad, 2, 1, 0}, 1, 2).message()) ==
          "the tensor has NaN or an infinity, which NVFP4 cannot hold; remove it before quantising");
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
        check_case<float, float>(what, [&](cpu_device& device, const auto& args) {
            return launch(device, cpu_split_k_gemm<avx2, std::remove_cvref_t<decltype(args)>>{}, {args, count});
        });
    }
    gemm_data<float, float> data(repeated_case());
    cpu_device device;
    CHECK(launch(device, cpu_split_k_gemm<avx2, decltype(data.arguments())>{}, {data.arguments(), 0}).code() ==
          status_code::invalid_argument);
}
