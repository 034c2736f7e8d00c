#pragma once

// The few words the encoding specifications are written in.

#include <tegula/layout/encoding.hpp>

namespace specification {

using tegula::encoding_from;
using tegula::long_index_t;
using tegula::long_indices;
using tegula::sequence;
using tegula::tile_distribution_encoding;
using tegula::tuple;

template <class... Is>
constexpr long_indices list(Is... is)
{
    if constexpr (sizeof...(Is) == 0)
        return {};
    else
        return long_indices(is...);
}

template <class E>
constexpr long_indices x_lengths = tegula::x_lengths(E::value);
template <class E>
constexpr long_indices p_lengths = tegula::p_lengths(E::value);
template <class E>
constexpr long_indices y_lengths = tegula::y_lengths(E::value);
template <class E>
constexpr long_index_t replication = tegula::replication(E::value);
template <class E>
constexpr long_index_t registers = tegula::registers_per_lane(E::value);
template <class E>
constexpr tegula::digit_table table = tegula::make_digit_table(E::value);

/// The element that partition index p holds in register position y.
template <class E>
constexpr long_indices element(const long_indices& p, const long_indices& y)
{
    return tegula::calculate_index(table<E>, p, y);
}

/// Whether (p, y) is the given replica of element x.
template <class E>
constexpr bool holds(const long_indices& p, const long_indices& y, const long_indices& x, long_index_t replica = 0)
{
    const tegula::owner o = tegula::find_owner(table<E>, x, replica);
    return o.p == p && o.y == y && element<E>(p, y) == x;
}

template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

} // namespace specification
