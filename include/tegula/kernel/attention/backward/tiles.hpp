#pragma once

#include <tegula/kernel/attention/backward/change_cost.hpp>
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
    query_place place; ///< place of the rows that a block keeps
    int column_waves = 1;
    int crowded = 0;
};

/// The most words of a slice that a lane holds at a time if ptxas would spill otherwise.
inline constexpr int crowded_words = 32;

/// The tiles are chosen by the greater of both head dims, on NVIDIA and gfx942 by the changes of scores, too. On the other
/// AMD targets these make no difference: they take scalar registers (internal::reload_arguments).
///
/// | target  | dim    | cost    | rows | columns | waves | stages | kept in       | because
/// | CDNA    | to 64  | any     | 128  | 32      | 4     | 2      | registers     | 32 rows a wave, those of a 32x32 instruction
/// | gfx942  | to 64  | none    | 128  | 32      | 4     | 1      | registers     | the next tile waits in registers, which
/// |         |        |         |      |         |       |        |               | changes of scores need
/// | CDNA    | to 128 | any     | 128  | 32      | 4     | 1      | registers     | two stages fill the 64 KB of a compute unit
/// |         | to 256 | any     | 64   | 32      | 4     | 1      | registers     | more rows pass through more than 64 KB
/// | gfx950  | to 256 | any     | 128  | 32      | 4     | 2      | registers     | it has 160 KB and direct loads; operands of
/// |         |        |         |      |         |       |        |               | 16x16x32 are not read without bank
/// |         |        |         |      |         |       |        |               | conflicts, of 32x32x16 are
/// | RDNA    | to 64  | any     | 64   | 32      | 4     | 1      | shared memory | dK and dV take a quarter of the registers
/// |         | to 128 | any     | 64   | 16      | 4     | 1      | shared memory | the same, half; kept rows take half of 64 KB
/// |         | to 256 | any     | 32   | 16      | 2 x 2 | 1      | shared memory | the same; one wave for the columns spills 10
/// |         |        |         |      |         |       |        |               | to 24 on gfx1201
/// | gfx1250 | any    | any     | 64   | 32      | 4     | 1      | shared memory | 32 columns are one instruction's k, and there
/// |         |        |         |      |         |       |        |               | are four times as many registers
/// | NVIDIA  | to 64  | to low  | 64   | 32      | 4     | 2      | shared memory | the same
/// |         | to 64  | higher  | 64   | 32      | 4     | 1      | shared memory | with two stages ptxas spills to 3 registers
/// |         | to 128 | to low  | 64   | 32      | 4     | 2      | shared memory | the same
/// |         | to 128 | higher  | 64   | 32      | 2 x 4 | 1      | shared memory | with 64 registers of a gradient ptxas spills
/// |         |        |         |      |         |       |        |               | to 4: two warps share the columns and compute
/// |         |        |         |      |         |       |        |               | the scores twice; with two stages lists, a
/// |         |        |         |      |         |       |        |               | bias, dropout and a functor spill one register
/// |         | to 256 | to low  | 64   | 32      | 2 x 4 | 1      | shared memory | 16 rows of a gradient are half of a warp's
/// |         |        |         |      |         |       |        |               | registers; 64 KB are kept, the ring has 32
/// |         | to 256 | high    | 32   | 32      | 4 x 2 | 1      | shared memory | as to 128; more than 8 warps have fewer
/// |         |        |         |      |         |       |        |               | registers each, so that half the rows are kept
/// |         | to 256 | highest | 16   | 32      | 8 x 1 | 1      | shared memory | both past 128: with 4 warps sm_90a spills to 3
///
/// There is no tile of 192 columns. One warp spills 7 to 12 registers of it even without a mask. Two warps do not read
/// half of the columns each, 96, without bank conflicts.
template <class Target>
consteval attention_gradient_tile_size attention_gradient_size_for(index_t dim, index_t lesser_dim, change_cost cost)
{
    if (Target::vendor == vendor::amd && Target::wave_size == 64) {
        const index_t rows = dim <= 128 || arch_of<Target>() == gpu_arch::gfx950 ? 128 : 64;
        const bool waits = arch_of<Target>() == gpu_arch::gfx942 && cost == change_cost::none;
        const int stages = (dim <= 64 && !waits) || arch_of<Target>() == gpu_arch::gfx950 ? 2 : 1;
        return {rows, 32, 4, stages, query_place::registers};
    }
    if (Target::vendor == vendor::amd && dim > 128 && arch_of<Target>() != gpu_arch::gfx1250)
        return {32, 16, 4, 1, query_place::shared, 2};
    if (Target::vendor == vendor::amd)
        return {64, dim <= 64 || arch_of<Target>() == gpu_arch::gfx1250 ? 32 : 16, 4, 1, query_place::shared};
    using size = attention_gradient_tile_size;
    constexpr query_place kept = query_place::shared;
    if (cost >= change_cost::high) {
        if (dim <= 64)
            return size{64, 32, 4, 1, kept};
        if (dim <= 128)
            return size{64, 32, 8, 1, kept, 2};
        if (cost == change_cost::high || lesser_dim <= 128)
            return size{32, 32, 8, 1, kept, 4};
        return size{16, 32, 8, 1, kept, 8};
    }
    const int crowded = dim > 64 && cost == change_cost::low ? crowded_words : 0;
    return dim <= 128 ? size{64, 32, 4, 2, kept, 1, crowded} : size{64, 32, 8, 1, kept, 2, crowded};
}

template <class Target, class Element, index_t HeadDim, index_t ValueDim, change_cost Cost>
struct attention_gradient_tile_of
{
    static constexpr index_t dim = max(HeadDim, ValueDim);
    static_assert(dim <= 256, "tegula: the backward pass of attention has kernels for head dims of up to 256");
    static constexpr attention_gradient_tile_size size =
        attention_gradient_size_for<Target>(dim, min(HeadDim, ValueDim), Cost);
    static constexpr bool narrow = size.rows * size.column_waves / size.waves < 32;
    using atom = std::conditional_t<narrow, short_atom<Target, Element>, attention_atom<Target, Element>>;
    using type = attention_gradient_tile<Target, atom, size.rows, size.columns, HeadDim, ValueDim, size.waves,
                                         size.stages, size.place, size.column_waves, size.crowded>;
    /// Whether dK and dV have a kernel each, which costs a quarter more products. On gfx90a the kernel of both spills
    /// two scalar registers. On gfx950 and gfx1250 both take 256 registers past 128 columns. gfx11 holds operands
    /// twice. On NVIDIA the kernel of both takes two to three registers too many past 64 columns, and up to 64 columns
    /// if many changes are made to scores.
    static constexpr gpu_arch gpu = arch_of<Target>();
    static constexpr bool split = gpu == gpu_arch::gfx90a ||
                                  ((gpu == gpu_arch::gfx950 || gpu == gpu_arch::gfx1250) && dim > 128) ||
                                  (Target::vendor == vendor::nvidia && (dim > 64 || Cost >= change_cost::high)) ||
                                  (Target::wave_size == 32 && replication(atom::a_encoding::value) > 1 && dim > 64);
};

template <class Target, class Element, index_t HeadDim, index_t ValueDim, class Variant, class Score>
using attention_gradient_tile_for_dims =
    attention_gradient_tile_of<Target, Element, attention_key_columns(HeadDim, ValueDim, sizeof(Element)),
                               attention_value_columns(HeadDim, ValueDim, sizeof(Element)),
                               cost_of_changes<Variant, Score>()>;

} // namespace detail

/// The tile that is shipped for a target, an element type and up to so many columns of Q and K, and of V, for kernels of the
/// variant and the scores.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using attention_gradient_tile_for =
    typename detail::attention_gradient_tile_for_dims<Target, Element, HeadDim, ValueDim, Variant, Score>::type;

/// The kernels of the backward pass with that tile.
///
///   Deterministic  the order of sums for a bias that repeats, one of bias_gradient_sums
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          bool Deterministic = bias_gradient_sums::in_any_order>
using attention_backward_for = attention_backward_kernels<
    attention_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>, Variant, Gradient, Score,
    detail::attention_gradient_tile_for_dims<Target, Element, HeadDim, ValueDim, Variant, Score>::split, Deterministic>;

namespace detail {

/// The tile of blocks that add to dQ: on CDNA, rows are kept in registers, K^T too.
///
/// | target | dim    | cost   | rows | columns | waves | because
/// | gfx942 | to 64  | none   | 256  | 32      | 8     | two waves a SIMD; a block adds to dQ half as often as with 128 rows
/// |        |        | higher | 128  | 32      | 4     | with 256 registers clang 22 spills 27 to 60
/// | others | to 64  | any    | 128  | 32      | 4     | the same: 5 on gfx950, 14 on gfx90a
/// | CDNA   | to 128 | any    | 128  | 32      | 4     | one wave a SIMD has 512 registers, of which 413 are taken
template <class Target, class Element, index_t HeadDim, index_t ValueDim, change_cost Cost>
struct attention_fused_gradient_tile_of
{
    static_assert(Target::vendor == vendor::amd && Target::wave_size == 64,
                  "tegula: attention_fused_backward_for has kernels for gfx90a, gfx942 and gfx950; on sm_90a take "
                  "warp_specialized_fused_backward_for, elsewhere attention_backward_for");
    static_assert(max(HeadDim, ValueDim) <= 128,
                  "tegula: the backward pass in five products has up to 128 columns; take attention_backward_for");
    static constexpr index_t least = 64; // each of four waves has 16 columns of dQ
    static constexpr int waves =
        max(HeadDim, ValueDim) <= 64 && Cost == change_cost::none && arch_of<Target>() == gpu_arch::gfx942 ? 8 : 4;
    /// On gfx950 two, which take direct loads; a scalar register more is spilled with costly changes past 64 columns.
    static constexpr int stages =
        arch_of<Target>() == gpu_arch::gfx950 && (max(HeadDim, ValueDim) <= 64 || Cost <= change_cost::low) ? 2 : 1;
    using type = attention_gradient_tile<Target, attention_atom<Target, Element>, 32 * waves, 32, max(HeadDim, least),
                                         max(ValueDim, least), waves, stages, query_place::registers, 1, 0, true>;
};

} // namespace detail

/// The tile of attention_fused_backward_for.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using attention_fused_gradient_tile_for = typename detail::attention_fused_gradient_tile_of<
    Target, Element, detail::attention_key_columns(HeadDim, ValueDim, sizeof(Element)),
    detail::attention_value_columns(HeadDim, ValueDim, sizeof(Element)),
    detail::cost_of_changes<Variant, Score>()>::type;

/// These kernels with the tile that is shipped, for up to 128 columns of Q and K, and of V.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score>
using attention_fused_backward_for = attention_fused_backward_kernels<
    attention_fused_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>, Variant, Gradient, Score>;

} // namespace tegula
