#pragma once

#include <tegula/core/math.hpp>
#include <tegula/layout/encoding.hpp>
#include <tegula/mma/operand_order.hpp>
#include <tegula/tensor/choose.hpp>

namespace tegula {

/// The properties that the distribution of a block-wide load depends on.
struct load_shape
{
    index_t rows; ///< rows of the tile
    index_t k;    ///< k of the tile
    int element_bytes;
    int waves;
    int wave_size;
};

/// The load of a tile that is contiguous along k. A lane takes one vector of 16 bytes along k. As many lanes stand
/// along k as a row has vectors, so that a wave reads whole rows. If there are more waves than rows for them, waves
/// share rows along k. Only if the tile has fewer vectors than lanes do some hold replicas.
constexpr encoding_value k_contiguous_load(const load_shape& s)
{
    const index_t vector = min(16 / s.element_bytes, s.k);
    const index_t lanes_k = power_of_two_divisor(s.k / vector, s.wave_size);
    const index_t lanes_row = min(s.wave_size / lanes_k, s.rows);
    const index_t lanes_idle = s.wave_size / (lanes_k * lanes_row);
    const index_t waves_row = min(s.waves, power_of_two_below(s.rows / lanes_row));
    const index_t vectors_left = s.k / (vector * lanes_k);
    const index_t waves_k = min(s.waves / waves_row, vectors_left & -vectors_left);
    encoding_value e;
    e.rs = {s.waves / (waves_row * waves_k), lanes_idle};
    e.hs = {encoding_value::lengths_type{s.rows / (lanes_row * waves_row), waves_row, lanes_row},
            encoding_value::lengths_type{s.k / (vector * lanes_k * waves_k), waves_k, lanes_k, vector}};
    e.ps = {encoding_value::digits_type{rh_digit{0, 0}, rh_digit{1, 1}, rh_digit{2, 1}},
            encoding_value::digits_type{rh_digit{0, 1}, rh_digit{1, 2}, rh_digit{2, 2}}};
    e.ys = {rh_digit{1, 0}, rh_digit{2, 0}, rh_digit{2, 3}};
    return e;
}

/// The load of a tile that is contiguous along its rows. A lane takes a patch: a few k by one vector along the rows. It
/// reads vectors along the rows and writes the patch along k, which transposes it on the way to shared memory. A patch
/// has at least 4 bytes along k if the tile is large enough. 16 lanes stand along k, the others along the rows; fewer
/// stand along k if the others would read less than a sector of 32 bytes together.
constexpr encoding_value row_contiguous_load(const load_shape& s)
{
    const index_t lane_elements = max(s.rows * s.k / (s.waves * s.wave_size), 1);
    const index_t vector = min(16 / s.element_bytes, max(lane_elements * s.element_bytes / 4, 1));
    const index_t run = min(max(power_of_two_below(lane_elements / vector), 1), 16 / s.element_bytes);
    const index_t lanes_of_sector = max(32 / (vector * s.element_bytes), 1);
    const index_t lanes_k = min(power_of_two_below(s.k / run), min(16, max(s.wave_size / lanes_of_sector, 1)));
    const index_t lanes_row = min(s.wave_size / lanes_k, power_of_two_below(s.rows / vector));
    const index_t lanes_idle = s.wave_size / (lanes_k * lanes_row);
    const index_t waves_row = min(s.waves, power_of_two_below(s.rows / (vector * lanes_row)));
    const index_t waves_k = min(s.waves / waves_row, power_of_two_below(s.k / (run * lanes_k)));
    encoding_value e;
    e.rs = {s.waves / (waves_row * waves_k), lanes_idle};
    e.hs = {encoding_value::lengths_type{s.rows / (vector * lanes_row * waves_row), waves_row, lanes_row, vector},
            encoding_value::lengths_type{s.k / (run * lanes_k * waves_k), waves_k, lanes_k, run}};
    e.ps = {encoding_value::digits_type{rh_digit{0, 0}, rh_digit{1, 1}, rh_digit{2, 1}},
            encoding_value::digits_type{rh_digit{0, 1}, rh_digit{1, 2}, rh_digit{2, 2}}};
    e.ys = {rh_digit{1, 0}, rh_digit{2, 0}, rh_digit{2, 3}, rh_digit{1, 3}};
    return e;
}

/// Source of the encoding in which Waves waves of the target load a [Rows, K] operand tile of that order.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order>
struct operand_load_source
{
    static constexpr load_shape shape{Rows, K, static_cast<int>(sizeof(Element)), Waves, Target::wave_size};
    static constexpr encoding_value raw =
        Order == operand_order::row_contiguous ? row_contiguous_load(shape) : k_contiguous_load(shape);
    static_assert(x_length(raw, 0) == Rows && x_length(raw, 1) == K,
                  "tegula: the operand tile does not divide among the waves; use powers of two for its rows and k");
    static constexpr const encoding_value& value = raw;
};

} // namespace tegula
