#pragma once

#include <tegula/kernel/attention/attention_block.hpp>
#include <tegula/kernel/attention/split/protocol.hpp>

namespace tegula {

/// The forward pass of attention for few queries and many keys, as in decoding. `splits` blocks share the keys of a
/// tile of queries and leave their results in the workspace for combine_splits (Dao, "Flash-Decoding for long-context
/// inference", 2023). If a sequence has fewer tiles of keys, some blocks find none. A launch starts both kernels.
///
/// Precondition: that of attention_kernel.
///
///   Tile, Variant, Score  those of attention_kernel
///   O                     element type of the output, which combine_splits writes
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score>
struct attention_split_kernel : attention_split_protocol<Tile, O, Variant, Score>
{
    using base = attention_split_protocol<Tile, O, Variant, Score>;
    using typename base::arguments;
    using typename base::target;

    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return base::launch_both(*this, args, launch);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        attention_block<Tile, Variant, typename base::attention>::compute(args, part_of);
    }

private:
    static TEGULA_INLINE auto part_of(const arguments& args)
    {
        index_t number = target::block_id()[0];
        if constexpr (Tile::recomputes_part)
            target::make_opaque(number);
        return base::part_of_block(args, number);
    }
};

} // namespace tegula
