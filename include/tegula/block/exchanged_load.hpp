#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/tensor/convert.hpp>

namespace tegula {

namespace detail {

/// Whether `e` is a k_contiguous_load whose lanes can exchange pieces of their vectors: a vector has several pieces,
/// and the lanes along a row divide by their number.
constexpr bool can_exchange(const encoding_value& e, index_t piece)
{
    if (e.num_x() != 2 || e.num_p() != 2 || e.num_y() != 3 || e.hs[1].size() != 4)
        return false;
    const auto& columns = e.hs[1];
    const auto& lanes = e.ps[1];
    const bool same =
        lanes.size() == 3 && lanes[2] == rh_digit{2, 2} && e.ys[1] == rh_digit{2, 0} && e.ys[2] == rh_digit{2, 3};
    return same && columns[3] > piece && columns[3] % piece == 0 && columns[2] % (columns[3] / piece) == 0;
}

/// The encoding with the vectors of g = vector / piece neighbouring lanes transposed: of the g vectors that follow each
/// other in a row, lane i has piece i of each. Precondition: can_exchange.
constexpr encoding_value exchange_pieces(encoding_value e, index_t piece)
{
    const auto columns = e.hs[1];
    const index_t g = columns[3] / piece;
    e.hs[1] = encoding_value::lengths_type{columns[0], columns[1], columns[2] / g, g, g, piece};
    e.ps[1] = encoding_value::digits_type{e.ps[1][0], e.ps[1][1], rh_digit{2, 2}, rh_digit{2, 4}};
    e.ys = {e.ys[0], rh_digit{2, 0}, rh_digit{2, 3}, rh_digit{2, 5}};
    return e;
}

template <class Distribution, index_t Piece>
struct exchanged_source
{
    static constexpr encoding_value raw = exchange_pieces(Distribution::value, Piece);
    static constexpr const encoding_value& value = raw;
};

template <class Target, class T, class Distribution>
auto find_memory_distribution()
{
    constexpr index_t piece = 16 / static_cast<index_t>(sizeof(T));
    if constexpr (!can_exchange(Distribution::value, piece)) {
        return Distribution{};
    } else {
        using exchanged = tile_distribution<exchanged_source<Distribution, piece>>;
        if constexpr (converts_in_waves<Target, T, exchanged, Distribution>)
            return exchanged{};
        else
            return Distribution{};
    }
}

} // namespace detail

/// The distribution in which a matrix of T in memory is accessed next to one of narrower elements, of which
/// Distribution gives a lane a 16-byte vector of each row. If each lane accessed its own elements of T, the vectors of
/// two lanes would lie more than 16 bytes apart, in parts of sectors. So a few neighbouring lanes access what lies side
/// by side and convert it, without shared memory. If they cannot, this is Distribution.
template <class Target, class T, class Distribution>
using memory_distribution = decltype(detail::find_memory_distribution<Target, T, Distribution>());

} // namespace tegula
