#pragma once

#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula {

/// Matrix `batch` of the C of a product.
///
///   Vectors  whether rows start at multiples of 16 bytes and columns are neighbours, so that C is written in vectors
template <class Target, bool Vectors, class Product>
TEGULA_INLINE auto make_c_view(const Product& p, long_index_t batch)
{
    const auto view = [&](auto column_stride, auto promise) {
        return make_tensor_view<Target, address_space::global>(
            p.c.data + batch * p.c.batch_stride,
            make_strided_descriptor(make_tuple(static_cast<index_t>(p.m), static_cast<index_t>(p.n)),
                                    make_tuple(p.c.row_stride, column_stride), promise),
            "C");
    };
    if constexpr (Vectors)
        return view(constant<1>{}, constant<16 / static_cast<index_t>(sizeof(*p.c.data))>{});
    else
        return view(p.c.column_stride, constant<1>{});
}

} // namespace tegula
