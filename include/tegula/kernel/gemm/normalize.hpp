#pragma once

#include <tegula/kernel/gemm/epilogue/check.hpp>

namespace tegula {

namespace epilogue {

/// Whether the result does not depend on the product, because the epilogue first scales it by an alpha of 0.
template <class Epilogue>
constexpr bool ignores_product(const Epilogue&)
{
    return false;
}
template <class... Rest>
constexpr bool ignores_product(const chain<scale, Rest...>& e)
{
    return get<0>(e.parts).alpha == 0.0f;
}

} // namespace epilogue

/// The arguments as kernels take them; every launch calls this. As in BLAS, A and B are not read if
/// alpha is 0, so that NaN in them does not reach C: the product gets k = 0.
template <class Arguments>
constexpr Arguments normalize(Arguments g)
{
    if (epilogue::ignores_product(g.epilogue))
        g.k = 0;
    return g;
}

} // namespace tegula
