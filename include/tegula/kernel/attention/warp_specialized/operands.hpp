#pragma once

#include <tegula/kernel/attention/warp_specialized/tile.hpp>

namespace tegula {

/// The descriptors of what one consumer of a warp_specialized_attention_tile multiplies.
template <class Tile, bool Crowded>
struct consumer_operands
{
    using query_operand = typename Tile::query_operand;
    using key_operand = typename Tile::key_operand;
    using value_operand = typename Tile::value_operand;
    using chain = typename Tile::consumer::chain;

    /// Uniform registers do not hold so many descriptors or, if Crowded by numbers that change scores, any. ptxas then
    /// keeps those of Q, which no round changes, in vector registers and moves them in each round. If they are sums
    /// with an unknown 0, it adds these up instead. It does, too, where sums of slices leave no vector registers for them.
    static constexpr bool many = Crowded || chain::sum_slices > 1 || chain::score_slices + chain::output_slices > 20;
    /// Whether a loop over tiles of queries leaves registers enough for them.
    static constexpr bool few = !many && chain::score_slices + chain::output_slices <= 16;

    std::uint64_t first_queries, first_keys, first_values;

    /// memory  shared memory of the block; own  that of the consumer's queries
    TEGULA_INLINE consumer_operands(const std::byte* memory, const std::byte* own)
        : first_queries(query_operand::descriptor(element_at(own))),
          first_keys(key_operand::descriptor(element_at(memory + Tile::first_key_byte))),
          first_values(value_operand::descriptor(element_at(memory + Tile::first_value_byte)))
    {}
    /// The descriptors of Q for the round that has stage `stage` of the keys.
    TEGULA_INLINE std::uint64_t queries(int stage) const
    {
        return many ? query_operand::moved(first_queries, stage >> 8) : first_queries;
    }
    TEGULA_INLINE std::uint64_t keys(int stage) const
    {
        return key_operand::moved(first_keys, stage * (key_operand::bytes / 16));
    }
    TEGULA_INLINE std::uint64_t values(int stage) const
    {
        return value_operand::moved(first_values, stage * (value_operand::bytes / 16));
    }

private:
    static TEGULA_INLINE const typename Tile::element* element_at(const std::byte* place)
    {
        return reinterpret_cast<const typename Tile::element*>(place);
    }
};

} // namespace tegula
