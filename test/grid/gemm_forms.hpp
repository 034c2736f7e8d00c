#pragma once

/// Forms of GEMM that are multiplied alike on several targets.

#include "test/kernel/gemm/epilogue/epilogue.hpp"
#include "test/kernel/gemm/forms/quantized_weights.hpp"
#include "test/kernel/gemm/forms/split_harness.hpp"

namespace tegula::test {

template <class Target>
void check_shared_products()
{
    using enum operand_order;
    check_split_k<typename gemm_tiles<Target, bfloat16>::t64x64, k_contiguous, row_contiguous, bfloat16>(quarter::all);
    check_split_k<typename gemm_tiles<Target, float>::t32x128, row_contiguous, k_contiguous, float>(quarter::all);
    check_stream_k<typename gemm_tiles<Target, float8_e4m3>::t128x128, k_contiguous, k_contiguous, bfloat16>(
        quarter::all);
}

template <class Target>
void check_quantized_weights()
{
    using enum operand_order;
    quantized_weights_check<typename gemm_tiles<Target, half>::t64x64, quantized<std::int8_t>, k_contiguous,
                            row_contiguous>::run(quarter::all);
    quantized_weights_check<typename gemm_tiles<Target, bfloat16>::t128x128, quantized<int4x2, 64, bfloat16>,
                            k_contiguous, k_contiguous>::run(quarter::all);
}

/// Scales, residual, activation, limits, three outputs and an fp8 result; integer products scaled in float, of split-K.
template <class Target>
void check_epilogues_in_8_bits(const std::vector<gemm_case>& cases)
{
    check_epilogues<typename gemm_tiles<Target, bfloat16>::t64x64, float8_e4m3, half>(cases);
    check_epilogues<typename gemm_tiles<Target, std::int8_t>::t64x64, std::int8_t, half, shared_form<split_k_gemm>>(
        cases);
}

} // namespace tegula::test
