#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/core/math.hpp>
#include <tegula/layout/distribution.hpp>

namespace tegula {

/// Which dimension of a tile has neighbours in memory.
enum class contiguous { columns, rows };

namespace detail {

/// [rows, columns], columns contiguous. See coalesced.
constexpr encoding_value coalesced_encoding(index_t rows, index_t columns, int element_bytes, int waves, int wave_size)
{
    const index_t vector = power_of_two_divisor(columns, max(16 / element_bytes, 1));
    const index_t lanes_column = power_of_two_divisor(columns / vector, wave_size);
    const index_t lanes_row = power_of_two_divisor(rows, wave_size / lanes_column);
    const index_t lanes_idle = wave_size / (lanes_column * lanes_row);
    const index_t rows_left = rows / lanes_row;
    index_t waves_row = waves; // the most waves that share the remaining rows
    while (rows_left % waves_row != 0 || waves % waves_row != 0)
        --waves_row;
    encoding_value e;
    e.rs = {static_cast<index_t>(waves) / waves_row, lanes_idle};
    e.hs = {encoding_value::lengths_type{rows_left / waves_row, waves_row, lanes_row},
            encoding_value::lengths_type{columns / (vector * lanes_column), lanes_column, vector}};
    e.ps = {encoding_value::digits_type{rh_digit{0, 0}, rh_digit{1, 1}},
            encoding_value::digits_type{rh_digit{0, 1}, rh_digit{1, 2}, rh_digit{2, 1}}};
    e.ys = {rh_digit{1, 0}, rh_digit{2, 0}, rh_digit{2, 2}};
    return e;
}

/// [length], as passes x waves x lanes x vector.
constexpr encoding_value coalesced_vector_encoding(index_t length, int element_bytes, int waves, int wave_size)
{
    const index_t vector = power_of_two_divisor(length / (waves * wave_size), max(16 / element_bytes, 1));
    encoding_value e;
    e.hs = {encoding_value::lengths_type{length / (waves * wave_size * vector), waves, wave_size, vector}};
    e.ps = {encoding_value::digits_type{rh_digit{1, 1}}, encoding_value::digits_type{rh_digit{1, 2}}};
    e.ys = {rh_digit{1, 0}, rh_digit{1, 3}};
    return e;
}

template <class Target, class T, index_t Length, int Waves>
struct coalesced_vector_source
{
    static_assert(is_a_target<Target>::ok);
    static_assert(Length > 0 && Waves > 0 && Length % (Waves * Target::wave_size) == 0,
                  "tegula: the length of a coalesced vector is a multiple of the block's threads");
    static constexpr encoding_value raw =
        coalesced_vector_encoding(Length, static_cast<int>(sizeof(T)), Waves, Target::wave_size);
    static constexpr const encoding_value& value = raw;
};

template <class Target, class T, index_t Rows, index_t Columns, int Waves, contiguous Along>
struct coalesced_source
{
    static_assert(is_a_target<Target>::ok);
    static_assert(Rows > 0 && Columns > 0 && Waves > 0, "tegula: a coalesced tile has rows, columns and waves");
    static constexpr index_t swapped[] = {1, 0};
    static constexpr int bytes = static_cast<int>(sizeof(T));
    static constexpr encoding_value raw =
        Along == contiguous::columns
            ? coalesced_encoding(Rows, Columns, bytes, Waves, Target::wave_size)
            : transpose(coalesced_encoding(Columns, Rows, bytes, Waves, Target::wave_size), swapped);
    static constexpr const encoding_value& value = raw;
};

} // namespace detail

/// The distribution of a [Rows, Columns] tile of T over {wave, lane} that loads and stores memory in the widest
/// accesses, with neighbouring lanes next to each other. It is the default for a kernel that has no reason for another.
///
///   Along  the dimension whose neighbours are neighbours in memory
///
/// A lane takes vectors of up to 16 bytes. As many lanes as divide a row stand along it, the others and the waves along
/// the rows, so that a row belongs to one wave: a reduction along it needs no shared memory. Any sizes do; lanes and
/// waves that find no element of their own hold copies of others (replicas), and one of them writes.
template <class Target, class T, index_t Rows, index_t Columns, int Waves, contiguous Along = contiguous::columns>
using coalesced = tile_distribution<detail::coalesced_source<Target, T, Rows, Columns, Waves, Along>>;

/// coalesced for a tile of one dimension, whose length is a multiple of the block's threads.
template <class Target, class T, index_t Length, int Waves>
using coalesced_vector = tile_distribution<detail::coalesced_vector_source<Target, T, Length, Waves>>;

} // namespace tegula
