#pragma once

#include <tegula/block/block_scales.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>

namespace tegula {

/// Elements that share a scale: 128 along k in A, 128 along k by 128 along n in B.
inline constexpr index_t block_scale_length = 128;

/// C[b] = epilogue(sum over groups g of k: a_scales[m][g] * b_scales[g][n / 128] * A[m][k in g] B[k in g][n]).
///
/// a_scales  [m, (k + 127) / 128]; any strides
/// b_scales  [(k + 127) / 128, (n + 127) / 128]; any strides
template <class A, class B, class C, class Epilogue>
struct block_scaled_arguments : gemm_arguments<A, B, C, Epilogue>
{
    matrix_argument<const float> a_scales = {};
    matrix_argument<const float> b_scales = {};

    constexpr TEGULA_HOST_DEVICE long_index_t groups_k() const { return groups(this->k); }
    constexpr TEGULA_HOST_DEVICE long_index_t groups_n() const { return groups(this->n); }

    static constexpr TEGULA_HOST_DEVICE long_index_t groups(long_index_t length)
    {
        return ceil_div(length, block_scale_length);
    }

    template <class Memory>
    void memory(Memory& memory) const
    {
        gemm_arguments<A, B, C, Epilogue>::memory(memory);
        add_matrix(memory, a_scales, this->m, groups_k(), this->batch, "scales of A");
        add_matrix(memory, b_scales, groups_k(), groups_n(), this->batch, "scales of B");
    }
};

/// Whether the arguments describe a product that can be computed; see can_implement of gemm_arguments.
template <class A, class B, class C, class Epilogue>
status can_implement(const block_scaled_arguments<A, B, C, Epilogue>& g)
{
    const gemm_arguments<A, B, C, Epilogue>& plain = g;
    if (status s = can_implement(plain); !s || g.m == 0 || g.n == 0)
        return s;
    if (status s = gemm_checks::check_input("the scale matrix of A", g.a_scales, g.m, g.groups_k(), g.batch); !s)
        return s;
    return gemm_checks::check_input("the scale matrix of B", g.b_scales, g.groups_k(), g.groups_n(), g.batch);
}

/// The scales of matrix `batch` for the tile of C that begins at (row, column).
template <class A, class B, class C, class Epilogue>
TEGULA_INLINE block_scale_source block_scales_at(const block_scaled_arguments<A, B, C, Epilogue>& args,
                                                 long_index_t batch, index_t row, index_t column)
{
    const auto& a = args.a_scales;
    const auto& b = args.b_scales;
    return {a.data + batch * a.batch_stride + row * a.row_stride,
            a.row_stride,
            a.column_stride,
            b.data + batch * b.batch_stride + column / block_scale_length * b.column_stride,
            b.row_stride,
            static_cast<index_t>(args.m) - row,
            static_cast<index_t>(args.groups_k())};
}

} // namespace tegula
