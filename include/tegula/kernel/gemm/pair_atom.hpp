#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

namespace detail {

template <class Target, class A, class B>
struct select_pair_atom
{
    using as_written = default_atom<Target, A, B>;
    using type = std::conditional_t<mma_tile<Target, as_written, 64, 64, 1, 1>::transposed, default_atom<Target, B, A>,
                                    as_written>;
};

} // namespace detail

/// The atom of a gemm_tile whose A and B are of different types, such as the two fp8 types: default_atom, its types
/// exchanged if the tile feeds B as the instruction's A.
template <class Target, class A, class B>
using pair_atom = typename detail::select_pair_atom<Target, A, B>::type;

} // namespace tegula
