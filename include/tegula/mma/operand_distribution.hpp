#pragma once

#include <tegula/layout/distribution.hpp>
#include <tegula/mma/table/operand_encoding.hpp>

namespace tegula {

namespace detail {
template <class Atom, operand Which>
struct encoding_of_operand
{
    using type = typename Atom::a_encoding;
};
template <class Atom>
struct encoding_of_operand<Atom, operand::b>
{
    using type = typename Atom::b_encoding;
};
template <class Atom>
struct encoding_of_operand<Atom, operand::c>
{
    using type = typename Atom::c_encoding;
};
} // namespace detail

/// The distribution of one operand of an atom, A [m, k], B [k, n] or C [m, n], as its matrix instruction takes it. A
/// conversion can name it: convert<target, operand_distribution<Atom, operand::a>>(tile).
template <class Atom, operand Which>
using operand_distribution = tile_distribution<typename detail::encoding_of_operand<Atom, Which>::type>;

} // namespace tegula
