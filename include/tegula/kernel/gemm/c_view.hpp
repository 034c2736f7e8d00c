#pragma once

#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/layout/transform/indirect.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula {

namespace detail {

/// Descriptor of C with `rows` rows.
template <bool Vectors, class Product>
TEGULA_INLINE auto make_c_descriptor(const Product& p, long_index_t rows)
{
    const auto lengths = make_tuple(static_cast<index_t>(rows), static_cast<index_t>(p.n));
    if constexpr (Vectors)
        return make_strided_descriptor(lengths, make_tuple(p.c.row_stride, constant<1>{}),
                                       constant<16 / static_cast<index_t>(sizeof(*p.c.data))>{});
    else
        return make_strided_descriptor(lengths, make_tuple(p.c.row_stride, p.c.column_stride), constant<1>{});
}

} // namespace detail

/// Matrix `batch` of the C of a product.
///
///   Vectors  rows start at multiples of 16 bytes and columns are neighbours, so that C is written in vectors
template <class Target, bool Vectors, class Product>
TEGULA_INLINE auto make_c_view(const Product& p, long_index_t batch)
{
    return make_tensor_view<Target, address_space::global>(p.c.data + batch * p.c.batch_stride,
                                                           detail::make_c_descriptor<Vectors>(p, p.m), "C");
}

/// View of matrix `batch` of a C with c_height rows; row i of the product is row c_rows[i] of C.
template <class Target, bool Vectors, class Product>
TEGULA_INLINE auto make_scattered_c_view(const Product& p, long_index_t batch)
{
    const auto rows = transform_descriptor(detail::make_c_descriptor<Vectors>(p, p.c_height),
                                           make_tuple(make_indirect_transform(p.c_rows, static_cast<index_t>(p.m)),
                                                      make_pass_through_transform(static_cast<index_t>(p.n))),
                                           tuple<sequence<0>, sequence<1>>{}, tuple<sequence<0>, sequence<1>>{});
    return make_tensor_view<Target, address_space::global>(p.c.data + batch * p.c.batch_stride, rows, "C");
}

} // namespace tegula
