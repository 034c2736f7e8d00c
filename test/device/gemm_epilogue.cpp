// Epilogues of many parts: scales, residual, activation, limits, three outputs, fp8 and int8 results.
//
// targets: gfx942
// full targets: gfx90a gfx1100 gfx1201 sm_80 sm_90a
// expect * [along_k]: matrix >= 4, wide_global_load >= 2, wide_global_store >= 1
// expect gfx942 gfx1201 [float8_e4m3]: /v_cvt_pk_fp8_f32/ >= 2
// expect gfx942 clang22 [along_k bfloat16]: loop_matrix_percent >= 22
// expect gfx942 clang22 [along_k aai]: loop_matrix_percent >= 12
// expect gfx942 clang22 [element_wise bfloat16]: loop_matrix_percent >= 11
// expect gfx942 clang22 [element_wise aai]: loop_matrix_percent >= 6
// expect gfx90a clang22 [along_k bfloat16]: loop_matrix_percent >= 46
// expect gfx90a clang22 [along_k aai]: loop_matrix_percent >= 48
// expect gfx90a clang22 [element_wise bfloat16]: loop_matrix_percent >= 20
// expect gfx90a clang22 [element_wise aai]: loop_matrix_percent >= 21
// expect * [add_residualIf]: half_wide_global_store == 0

#include "test/device/gemm_words.hpp"

namespace tegula {

using epilogue::scale_columns;
using epilogue::scale_rows;
using epilogue::scale_tensor;
using epilogue::scaling;
using epilogue::store_copy;
using fp8 = std::conditional_t<std::is_same_v<target, arch::gfx942>, float8_e4m3_fnuz, float8_e4m3>;
using float_parts =
    epilogue::chain<scale_rows<>, scale_columns<>, epilogue::add_residual<bfloat16>, store_copy<float>,
                    epilogue::activate, epilogue::clamp, store_copy<std::int8_t, scale_columns<scaling::divide>>,
                    scale_tensor<scaling::divide>>;
using integer_parts = epilogue::as_float<scale_tensor<>, scale_columns<>, epilogue::add_bias<float>, store_copy<float>,
                                         scale_rows<scaling::divide>>;

/// Floats read and written beside bf16 results.
using wider_parts = epilogue::chain<epilogue::add_residual<float>, epilogue::add_source<float>, store_copy<float>>;
using wider = gemm_kernel<gemm_tiles<target, bfloat16>::t64x64, k_contiguous, k_contiguous, bfloat16, wider_parts,
                          output_access::vectors>;

template <class T, class C, class Parts>
void keep_parts(const void**& kept)
{
    using tile = typename gemm_tiles<target, T>::t64x64;
    *kept++ = reinterpret_cast<const void*>(
        along_k<gemm_kernel<tile, k_contiguous, k_contiguous, C, Parts, output_access::vectors>>);
    *kept++ =
        reinterpret_cast<const void*>(element_wise<gemm_kernel<tile, any, any, C, Parts, output_access::elements>>);
}

void keep_all(const void** kept)
{
    keep_parts<bfloat16, fp8, float_parts>(kept);
    keep_parts<std::int8_t, std::int8_t, integer_parts>(kept);
    *kept++ = reinterpret_cast<const void*>(along_k<wider>);
}

} // namespace tegula
