#pragma once

#include <tegula/kernel/gemm/epilogue/scales.hpp>

namespace tegula::epilogue {

/// alpha A B + beta C0 + bias, then the activation: what BLAS and most layers need.
template <class Source = float, class Bias = float>
using linear = chain<scale, add_source<Source>, add_bias<Bias>, activate>;

/// source  C0, {} if beta is 0
/// bias    one value a column; null: none
template <class Source = float, class Bias = float>
constexpr linear<Source, Bias> make_linear(float alpha, float beta, const matrix_argument<const Source>& source,
                                           const Bias* bias, activation function = activation::none)
{
    return {make_tuple(scale{alpha}, add_source<Source>{source, beta}, add_bias<Bias>{bias}, activate{function})};
}

/// A residual of m rows for each product of the batch; read in vectors if its strides allow.
template <class Source>
add_residual<std::remove_const_t<Source>> make_residual(const matrix_argument<Source>& source, long_index_t m,
                                                        long_index_t batch, float factor = 1.0f)
{
    const matrix_argument<const Source> x{source.data, source.row_stride, source.column_stride, source.batch_stride};
    return {x, factor, allows_vectors(x, m, batch)};
}

/// One more output of m rows for each product of the batch, stored after `parts`.
template <class D, class... Parts>
store_copy<D, Parts...> make_store_copy(const matrix_argument<D>& d, long_index_t m, long_index_t batch,
                                        const Parts&... parts)
{
    return {d, allows_vectors(d, m, batch), make_chain(parts...)};
}

} // namespace tegula::epilogue
