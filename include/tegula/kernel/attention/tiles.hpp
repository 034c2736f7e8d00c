#pragma once

#include <tegula/kernel/attention/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

namespace detail {

/// The sizes of an attention_tile.
struct attention_tile_size
{
    index_t queries;
    index_t keys;
    int waves;
    query_place place;
    key_value_place key_values = key_value_place::apart;
    int column_waves = 1;
};

/// Columns of the latent form of multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", 2024): keys of 512 latent
/// numbers and 64 that carry the position, values of the same 512.
inline constexpr index_t latent_head_dim = 576, latent_value_dim = 512;

/// Tiles of the latent form; all its heads share keys, so that queries are few rows with packed heads, or the heads'.
///
/// | target        | queries | keys | waves | because
/// | CDNA, 64 KB   | 64      | 32   | 4     | 16 rows of O a wave are 128 registers, those of Q 72; a tile of K alone fits
/// |               |         |      |       | shared memory, so that K and V alternate in it
/// | gfx950        | 64      | 32   | 4     | the same, with room for both
/// | sm_80         | 64      | 32   | 8     | 16 rows of O are more than a warp's registers: two warps have half of the
/// |               |         |      |       | columns each and compute the scores twice, half as many products again
/// | sm_90a        | 32      | 32   | 8     | the same with four warps a row: with two ptxas spills 7 to 15 registers there
template <class Target>
consteval attention_tile_size latent_tile_size_for()
{
    if (arch_of<Target>() == gpu_arch::sm_90a)
        return {32, 32, 8, query_place::shared, key_value_place::apart, 4};
    if (Target::vendor == vendor::nvidia)
        return {64, 32, 8, query_place::shared, key_value_place::apart, 2};
    const bool alternate = Target::chip().shared_bytes < 128 * 1024;
    return {64, 32, 4, query_place::registers, alternate ? key_value_place::alternate : key_value_place::apart};
}

/// | target  | head dim | queries | keys | waves | queries lie in | because
/// | CDNA    | to 128   | 128     | 64   | 4     | registers      | 32 queries a wave, the rows of a 32x32 instruction
/// |         | to 256   | 128     | 32   | 4     | registers      | keys and values share 64 KB
/// | RDNA,   | to 128   | 128     | 64   | 8     | registers      | 16 queries a wave: 32 spill; on gfx11, which holds
/// | gfx1250 |          |         |      |       |                | operands twice, in shared memory past 64
/// |         | to 256   | 64      | 32   | 4     | shared memory  | the output takes half of the registers, and shared
/// |         |          |         |      |       |                | memory has 64 KB; on gfx11 16 keys, or they spill
/// | NVIDIA  | to 64    | 128     | 64   | 4     | registers      | 32 queries a warp halve what it reads of keys
/// |         | to 128   | 128     | 64   | 8     | registers      | 16 queries a warp: with 32 ptxas spills
/// |         | to 256   | 64      | 32   | 8     | shared memory  | 16 rows of O are half of a warp's registers, and
/// |         |          |         |      |       |                | ptxas spills: two warps share their columns and
/// |         |          |         |      |       |                | both compute the scores, half as many products again
/// |         | 256, V   | 128     | 32   | 8     | shared memory  |
/// |         | to 128   |         |      |       |                |
template <class Target>
consteval attention_tile_size attention_tile_size_for(index_t head_dim, index_t value_dim)
{
    if (head_dim == latent_head_dim)
        return latent_tile_size_for<Target>();
    const index_t dim = head_dim > value_dim ? head_dim : value_dim;
    if (Target::vendor == vendor::amd && Target::wave_size == 64)
        return {128, dim <= 128 ? 64 : 32, 4, query_place::registers};
    if (Target::vendor == vendor::amd) {
        constexpr gpu_arch arch = arch_of<Target>();
        const bool holds_operands_once = arch >= gpu_arch::gfx1200;
        if (dim > 128)
            return {64, holds_operands_once ? 32 : 16, 4, query_place::shared};
        return {128, 64, 8, dim <= 64 || holds_operands_once ? query_place::registers : query_place::shared};
    }
    if (dim <= 64)
        return {128, 64, 4, query_place::registers};
    if (dim <= 128)
        return {128, 64, 8, query_place::registers};
    if (value_dim > 128)
        return {64, 32, 8, query_place::shared, key_value_place::apart, 2};
    return {128, 32, 8, query_place::shared};
}

/// The same for few queries, as in decoding, where the keys' way from memory takes the time: 64 rows in 4 waves, or as
/// above if waves share columns. They multiply for nothing where rows are missing; that costs less than the keys.
template <class Target>
consteval attention_tile_size decoding_tile_size_for(index_t head_dim, index_t value_dim)
{
    const attention_tile_size full = attention_tile_size_for<Target>(head_dim, value_dim);
    if (head_dim == latent_head_dim)
        return full;
    return full.column_waves > 1 ? full : attention_tile_size{64, full.keys, 4, full.place};
}

template <class Target, class Element>
using attention_atom =
    std::conditional_t<has_shape<Target, Element, Element, 32, 32>,
                       mma_atom<Target, Element, Element, float, 32, 32, largest_k<Target, Element, Element, 32, 32>>,
                       default_atom<Target, Element>>;

/// The columns of a tile for `dim` of them: powers of two, in which shared memory has no bank conflicts, or the latent
/// form's.
consteval index_t attention_tile_columns(index_t dim)
{
    if (dim > latent_value_dim)
        return latent_head_dim;
    index_t columns = 32;
    while (columns < dim)
        columns *= 2;
    return columns;
}

template <class Target, class Element, index_t HeadDim, index_t ValueDim>
struct attention_tile_of
{
    static constexpr attention_tile_size size = attention_tile_size_for<Target>(HeadDim, ValueDim);
    using atom =
        std::conditional_t<HeadDim == latent_head_dim, default_atom<Target, Element>, attention_atom<Target, Element>>;
    using type = attention_tile<Target, atom, size.queries, size.keys, HeadDim, ValueDim, size.waves, size.place,
                                size.key_values, size.column_waves>;
};

template <class Target, class Element>
struct latent_tile_of
{
    static constexpr attention_tile_size size = latent_tile_size_for<Target>();
    static constexpr key_value_place place = Target::vendor == vendor::nvidia ? key_value_place::same : size.key_values;
    using type = attention_tile<Target, default_atom<Target, Element>, size.queries, size.keys, latent_head_dim,
                                latent_value_dim, size.waves, size.place, place, size.column_waves>;
};

template <class Target, class Element, index_t HeadDim, index_t ValueDim>
struct decoding_tile_of
{
    static constexpr attention_tile_size size = decoding_tile_size_for<Target>(HeadDim, ValueDim);
    using type = attention_tile<Target, default_atom<Target, Element>, size.queries, size.keys, HeadDim, ValueDim,
                                size.waves, size.place, size.key_values, size.column_waves>;
};

} // namespace detail

/// The tile that is shipped for a target, an element type and up to so many columns of Q and K, and of V: its own
/// columns are the power of two above, from 32 to 256, or past 512 and 256 those of the latent form, 576 and 512.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim>
using attention_tile_for = typename detail::attention_tile_of<Target, Element, detail::attention_tile_columns(HeadDim),
                                                              detail::attention_tile_columns(ValueDim)>::type;

/// The tile that is shipped for the latent form if V is the first columns of K: on NVIDIA these are copied once for both.
/// attention_tile_for<Target, Element, 576, 512> is for V anywhere.
template <class Target, class Element>
using latent_attention_tile_for = typename detail::latent_tile_of<Target, Element>::type;

/// The tile that is shipped for few queries: decoding, with heads packed or the keys split.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim>
using decoding_tile_for = typename detail::decoding_tile_of<Target, Element, detail::attention_tile_columns(HeadDim),
                                                            detail::attention_tile_columns(ValueDim)>::type;

} // namespace tegula
