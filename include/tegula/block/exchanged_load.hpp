#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/tensor/convert.hpp>

namespace tegula {

namespace detail {

/// k_contiguous_load with the vectors of g = vector / piece neighbouring lanes transposed: of the g vectors that follow
/// each other in a row, lane i has piece i of each. Precondition: g divides the lanes along k.
constexpr encoding_value exchanged_load(const load_shape& s, index_t piece)
{
    encoding_value e = k_contiguous_load(s);
    const auto columns = e.hs[1];
    const index_t g = columns[3] / piece;
    e.hs[1] = encoding_value::lengths_type{columns[0], columns[1], columns[2] / g, g, g, piece};
    e.ps[1] = encoding_value::digits_type{rh_digit{0, 1}, rh_digit{1, 2}, rh_digit{2, 2}, rh_digit{2, 4}};
    e.ys = {rh_digit{1, 0}, rh_digit{2, 0}, rh_digit{2, 3}, rh_digit{2, 5}};
    return e;
}

} // namespace detail

/// Elements of T beside narrower ones of Narrow, of which a lane has a vector of 16 bytes of each row. Were all their
/// vectors of T its own, those of two lanes would lie more than 16 bytes apart, in parts of sectors. So a few neighbours
/// read what lies side by side, and exchange it.
template <class Target, class T, class Narrow, index_t Rows, index_t Columns, int Waves>
struct exchanged_vectors
{
    static constexpr index_t vector = 16 / static_cast<index_t>(sizeof(Narrow));
    static constexpr index_t piece = 16 / static_cast<index_t>(sizeof(T)); ///< what a lane reads at a time
    static_assert(piece < vector, "tegula: elements of T are wider than those of Narrow");

    /// A lane has a vector of each row.
    using whole =
        tile_distribution<operand_load_source<Target, Narrow, Rows, Columns, Waves, operand_order::k_contiguous>>;

private:
    static constexpr load_shape shape{Rows, Columns, static_cast<int>(sizeof(Narrow)), Waves, Target::wave_size};
    struct source
    {
        static constexpr encoding_value raw = detail::exchanged_load(shape, piece);
        static constexpr const encoding_value& value = raw;
    };

public:
    /// Whether lanes can exchange: as many stand side by side as a vector has pieces.
    static constexpr bool possible = Columns % vector == 0 && k_contiguous_load(shape).hs[1][2] % (vector / piece) == 0;
    /// As memory is read.
    using pieces = tile_distribution<source>;
};

} // namespace tegula
