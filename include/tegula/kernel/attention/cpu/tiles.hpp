#pragma once

#include <tegula/kernel/attention/cpu/tile.hpp>
#include <tegula/kernel/attention/tiles.hpp>

namespace tegula::detail {

template <class Target>
struct native_target
{
    using type = Target;
};
template <class Target>
struct native_target<arch::strict<Target>>
{
    using type = Target;
};
/// The instruction by which a CPU target computes attention.
template <class Target>
using cpu_attention_instruction =
    std::conditional_t<std::is_same_v<typename native_target<Target>::type, arch::x86_avx2>, x86::avx2::fma_f32,
                       x86::avx512::fma_f32>;

/// 168 queries pay for the packing of 64 keys and their values, which costs as much as the products of 16 queries.
/// Scores and output stay in the second-level cache. For attention_tile_for<arch::x86_avx512, half, 128> and the like.
template <class Target, class Element, index_t HeadDim, index_t ValueDim, attention_changes Changes>
    requires(Target::vendor == vendor::x86)
struct attention_tile_of<Target, Element, HeadDim, ValueDim, Changes>
{
    using type = cpu_attention_tile<Target, Element, cpu_attention_instruction<Target>, 168, 64, HeadDim, ValueDim>;
};

/// For few queries, a tile of fewer rows to pack.
template <class Target, class Element, index_t HeadDim, index_t ValueDim, attention_changes Changes>
    requires(Target::vendor == vendor::x86)
struct decoding_tile_of<Target, Element, HeadDim, ValueDim, Changes>
{
    using type = cpu_attention_tile<Target, Element, cpu_attention_instruction<Target>, 84, 64, HeadDim, ValueDim>;
};

} // namespace tegula::detail

/// Parts of this header that other folders use.
namespace tegula::internal {
using tegula::detail::cpu_attention_instruction;
} // namespace tegula::internal
