#pragma once

#include <tegula/kernel/attention/backward/kernels.hpp>
#include <tegula/kernel/attention/backward/tile.hpp>
#include <tegula/kernel/attention/tiles.hpp>

namespace tegula {

namespace detail {

/// The sizes of an attention_gradient_tile.
struct attention_gradient_tile_size
{
    index_t rows;
    index_t columns;
    int waves;
    int stages;
    query_place place; ///< of the rows that a block keeps
    int column_waves = 1;
    int crowded = 0;
};

/// The most words of a slice that a lane holds at a time where ptxas would spill otherwise.
inline constexpr int crowded_words = 32;

/// The tiles are chosen by the greater of both head dims, and on NVIDIA past 64 by whether scores are plain: without lists,
/// boolean mask, bias, dropout and functor, each of which takes registers beside the gradients. Elsewhere they make no
/// difference: on AMD they ask for scalar registers (internal::reload_arguments), and nowhere does a band, which is a
/// comparison or two in tiles at its edge.
///
/// | target  | dim    | scores  | rows | columns | waves | stages | kept in       | because
/// | CDNA    | to 64  | any     | 128  | 32      | 4     | 2      | registers     | 32 rows a wave, those of a 32x32 instruction
/// |         | to 128 | any     | 128  | 32      | 4     | 1      | registers     | two stages fill the 64 KB of a compute unit
/// |         | to 256 | any     | 64   | 32      | 4     | 1      | registers     | more rows pass through more than 64 KB
/// | RDNA    | to 64  | any     | 64   | 32      | 4     | 1      | shared memory | dK and dV take a quarter of the registers
/// |         | to 128 | any     | 64   | 16      | 4     | 1      | shared memory | the same, half; kept rows take half of 64 KB
/// | NVIDIA  | to 128 | any     | 64   | 32      | 4     | 2      | shared memory | the same
/// |         | to 256 | any     | 64   | 32      | 2 x 4 | 1      | shared memory | 16 rows of a gradient are half of a warp's
/// |         |        |         |      |         |       |        |               | registers: two warps share the columns and compute
/// |         |        |         |      |         |       |        |               | the scores twice; 64 KB are kept, the ring has 32
///
/// There is no tile of 192 columns: one warp spills 7 to 12 registers of it without a mask, and half of the columns, 96, two
/// do not read without bank conflicts.
template <class Target>
consteval attention_gradient_tile_size attention_gradient_size_for(index_t dim, bool plain_scores)
{
    if (Target::vendor == vendor::amd && Target::wave_size == 64)
        return {dim <= 128 ? 128 : 64, 32, 4, dim <= 64 ? 2 : 1, query_place::registers};
    if (Target::vendor == vendor::amd)
        return {64, dim <= 64 ? 32 : 16, 4, 1, query_place::shared};
    attention_gradient_tile_size size{64, 32, 4, dim <= 128 ? 2 : 1, query_place::shared};
    if (dim > 128) {
        size.waves = 8;
        size.column_waves = 2;
    }
    if (dim > 64 && !plain_scores)
        size.crowded = crowded_words;
    return size;
}

/// The most columns there are kernels for. Past them two gradients, or one, do not fit the registers.
template <class Target>
consteval index_t most_gradient_columns()
{
    if (arch_of<Target>() == gpu_arch::gfx90a)
        return 64; // past them a scalar register is spilled
    if (arch_of<Target>() == gpu_arch::gfx950)
        return 128; // past them no layout of the rows that go by is free of bank conflicts
    return Target::vendor == vendor::nvidia || Target::wave_size == 64 ? 256 : 128;
}

template <class Target, class Element, index_t HeadDim, index_t ValueDim, bool PlainScores>
struct attention_gradient_tile_of
{
    static constexpr index_t dim = max(HeadDim, ValueDim);
    static_assert(
        dim <= most_gradient_columns<Target>(),
        "tegula: the backward pass of attention has kernels for head dims of up to 64 on gfx90a, 256 on gfx942 "
        "and NVIDIA, 128 on gfx950 and RDNA");
    static constexpr attention_gradient_tile_size size = attention_gradient_size_for<Target>(dim, PlainScores);
    static constexpr bool narrow = size.rows / size.waves < 32;
    using atom = std::conditional_t<narrow, short_atom<Target, Element>, attention_atom<Target, Element>>;
    using type = attention_gradient_tile<Target, atom, size.rows, size.columns, HeadDim, ValueDim, size.waves,
                                         size.stages, size.place, size.column_waves, size.crowded>;
    /// Whether dK and dV come by a kernel each, which costs a quarter more products: on gfx90a the kernel of both
    /// spills two scalar registers, gfx11 holds operands twice, and with 128 columns the kernel of both takes three
    /// registers more on sm_90a than there are, and on all of NVIDIA if scores are not plain.
    static constexpr bool split = arch_of<Target>() == gpu_arch::gfx90a ||
                                  (Target::vendor == vendor::nvidia && (dim > 128 || (dim > 64 && !PlainScores))) ||
                                  (arch_of<Target>() == gpu_arch::sm_90a && dim > 64) ||
                                  (Target::wave_size == 32 && replication(atom::a_encoding::value) > 1 && dim > 64);
};

/// Whether the scores of a kernel are those of Q and K alone, all of them or those in a band.
template <class Variant, class Score>
inline constexpr bool has_plain_scores =
    (Variant::mask == attention_mask::none || Variant::mask == attention_mask::band) &&
    Variant::bias == attention_bias::none && !Variant::dropout && std::is_same_v<Score, unchanged_score>;

template <class Target, class Element, index_t HeadDim, index_t ValueDim, class Variant, class Score>
using attention_gradient_tile_for_dims =
    attention_gradient_tile_of<Target, Element, attention_tile_columns(HeadDim), attention_tile_columns(ValueDim),
                               has_plain_scores<Variant, Score>>;

} // namespace detail

/// The tile that is shipped for a target, an element type and up to so many columns of Q and K, and of V, for kernels of the
/// variant and the scores.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using attention_gradient_tile_for =
    typename detail::attention_gradient_tile_for_dims<Target, Element, HeadDim, ValueDim, Variant, Score>::type;

/// The kernels of the backward pass with that tile.
///
///   Deterministic  the order of sums for a bias that repeats, of bias_gradient_sums
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          bool Deterministic = bias_gradient_sums::in_any_order>
using attention_backward_for = attention_backward_kernels<
    attention_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>, Variant, Gradient, Score,
    detail::attention_gradient_tile_for_dims<Target, Element, HeadDim, ValueDim, Variant, Score>::split, Deterministic>;

} // namespace tegula
