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
};

/// The tiles are chosen by the greater of both head dims:
///
/// | target  | dim    | rows | columns | waves | stages | kept in       | because
/// | CDNA    | to 64  | 128  | 32      | 4     | 2      | registers     | 32 rows a wave, those of a 32x32 instruction
/// |         | to 128 | 128  | 32      | 4     | 1      | registers     | two stages fill the 64 KB of a compute unit
/// |         | to 256 | 64   | 32      | 4     | 1      | registers     | more rows pass through more than 64 KB
/// | RDNA    | to 64  | 64   | 32      | 4     | 1      | shared memory | dK and dV take a quarter of the registers
/// |         | to 128 | 64   | 16      | 4     | 1      | shared memory | the same, half; kept rows take half of 64 KB
/// | NVIDIA  | to 128 | 64   | 32      | 4     | 2      | shared memory | the same
/// |         | to 192 | 64   | 32      | 4     | 1      | shared memory | what is kept and the ring fit 99 KB
template <class Target>
consteval attention_gradient_tile_size attention_gradient_size_for(index_t dim)
{
    if (Target::vendor == vendor::amd && Target::wave_size == 64)
        return {dim <= 128 ? 128 : 64, 32, 4, dim <= 64 ? 2 : 1, query_place::registers};
    if (Target::vendor == vendor::amd)
        return {64, dim <= 64 ? 32 : 16, 4, 1, query_place::shared};
    return {64, 32, 4, dim <= 128 ? 2 : 1, query_place::shared};
}

/// The most columns there are kernels for. Past them two gradients, or one, do not fit the registers.
template <class Target>
consteval index_t most_gradient_columns()
{
    if (arch_of<Target>() == gpu_arch::gfx90a)
        return 64; // past them a scalar register is spilled
    if (arch_of<Target>() == gpu_arch::gfx950)
        return 128; // past them no layout of the rows that go by is free of bank conflicts
    if (arch_of<Target>() == gpu_arch::sm_90a)
        return 128;
    if (Target::vendor == vendor::nvidia)
        return 192;
    return Target::wave_size == 64 ? 256 : 128;
}

template <class Target>
consteval index_t attention_gradient_columns(index_t dim)
{
    return Target::vendor == vendor::nvidia && dim > 128 && dim <= 192 ? 192 : attention_tile_columns(dim);
}

template <class Target, class Element, index_t HeadDim, index_t ValueDim>
struct attention_gradient_tile_of
{
    static constexpr index_t dim = max(HeadDim, ValueDim);
    static_assert(dim <= most_gradient_columns<Target>() && ValueDim <= (Target::vendor == vendor::nvidia ? 128 : 256),
                  "tegula: the backward pass of attention has kernels for head dims of up to 64 on gfx90a, 256 on "
                  "gfx942, 128 on gfx950, 192 "
                  "with values of up to 128 on sm_80 and sm_89, 128 on RDNA and sm_90a");
    static constexpr attention_gradient_tile_size size = attention_gradient_size_for<Target>(dim);
    static constexpr bool narrow = size.rows / size.waves < 32;
    using atom = std::conditional_t<narrow, short_atom<Target, Element>, attention_atom<Target, Element>>;
    using type = attention_gradient_tile<Target, atom, size.rows, size.columns, HeadDim, ValueDim, size.waves,
                                         size.stages, size.place>;
    /// Whether dK and dV come by a kernel each, which costs a quarter more products: on gfx90a the kernel of both
    /// spills two scalar registers, gfx11 holds operands twice, and with 128 columns the kernel of both takes three
    /// registers more on sm_90a than there are.
    static constexpr bool split = arch_of<Target>() == gpu_arch::gfx90a ||
                                  (Target::vendor == vendor::nvidia && dim > 128) ||
                                  (arch_of<Target>() == gpu_arch::sm_90a && dim > 64) ||
                                  (Target::wave_size == 32 && replication(atom::a_encoding::value) > 1 && dim > 64);
};
template <class Target, class Element, index_t HeadDim, index_t ValueDim>
using attention_gradient_tile_for_dims =
    attention_gradient_tile_of<Target, Element, attention_gradient_columns<Target>(HeadDim),
                               attention_gradient_columns<Target>(ValueDim)>;

} // namespace detail

/// The tile that is shipped for a target, an element type and up to so many columns of Q and K, and of V.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim>
using attention_gradient_tile_for =
    typename detail::attention_gradient_tile_for_dims<Target, Element, HeadDim, ValueDim>::type;

/// The kernels of the backward pass with that tile.
///
///   Deterministic  the order of sums for a bias that repeats, of bias_gradient_sums
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          bool Deterministic = bias_gradient_sums::in_any_order>
using attention_backward_for = attention_backward_kernels<
    attention_gradient_tile_for<Target, Element, HeadDim, ValueDim>, Variant, Gradient, Score,
    detail::attention_gradient_tile_for_dims<Target, Element, HeadDim, ValueDim>::split, Deterministic>;

} // namespace tegula
