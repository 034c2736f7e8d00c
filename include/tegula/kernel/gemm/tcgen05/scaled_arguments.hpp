#pragma once

#include <tegula/core/block_scale.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>

namespace tegula {

/// C[b] = epilogue(tensor_scale A[b] B[b]) for operands whose blocks along k have scales of their own: mx_format or
/// nvfp4_format. Sizes are in elements. The matrices:
///
/// a         packed rows of A, mx_row_bytes<element>(k) bytes each, row_stride bytes apart, 0 past k; column_stride 1
/// b         packed columns of B likewise, column_stride bytes apart; row_stride is 1
/// a_scales  scales of A's rows, scale_atom_bytes(m, blocks of k) bytes in the order of scale_atom_offset; the
///           scales of the next product of the batch begin a_scales_stride bytes later. b_scales: scales of B's columns
///
/// block_quantize writes all of this, the scales in the order of cuBLAS and CUTLASS. Rows start at multiples of 16
/// bytes, or of 32 for 6-bit elements and for 4-bit ones with a wider partner. Scales start at multiples of 16.
template <class FormatA, class FormatB, class C, class Epilogue>
struct scaled_format_arguments
    : microscaled_arguments<typename FormatA::element_type, typename FormatB::element_type, C, Epilogue>
{
    using a_format = FormatA;
    using b_format = FormatB;

    float tensor_scale = 1; ///< NVFP4: the scale of A's tensor times that of B's

    template <class Memory>
    void memory(Memory& memory) const
    {
        this->add_packed(memory, mx_row_bytes<typename FormatA::element_type>(this->k),
                         mx_row_bytes<typename FormatB::element_type>(this->k),
                         scale_atom_bytes(this->m, ceil_div(this->k, FormatA::block)),
                         scale_atom_bytes(this->n, ceil_div(this->k, FormatB::block)));
    }
};

/// Whether the arguments describe a product that can be computed; see can_implement of gemm_arguments.
template <class FormatA, class FormatB, class C, class Epilogue>
status can_implement(const scaled_format_arguments<FormatA, FormatB, C, Epilogue>& g)
{
    using element_a = typename FormatA::element_type;
    using element_b = typename FormatB::element_type;
    const microscaled_arguments<element_a, element_b, C, Epilogue>& base = g;
    if (status s = can_implement(base); !s)
        return s;
    if (!(g.tensor_scale >= 0x1p-126f && g.tensor_scale <= 0x1.fffffep127f))
        return gemm_checks::invalid("tensor_scale") << " is no normal number of float above 0; give what "
                                                       "nvfp4_product_scale makes of both tensors' scales, 1 for "
                                                       "Microscaling formats";
    if (!FormatA::has_tensor_scale && g.tensor_scale != 1)
        return gemm_checks::invalid("tensor_scale") << " is not 1, and Microscaling formats have none; scale by alpha";
    return {};
}

} // namespace tegula
