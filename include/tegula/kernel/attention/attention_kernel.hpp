#pragma once

#include <tegula/kernel/attention/attention_block.hpp>
#include <tegula/kernel/attention/protocol.hpp>

namespace tegula {

namespace detail {

/// Whether the registers of two waves fit a SIMD of CDNA: O has at most 64 of 512, and scores are not changed.
template <class Tile, class Score>
inline constexpr bool fits_twice =
    Tile::target::vendor == vendor::amd && Tile::target::wave_size == 64 &&
    Tile::output_mma::c_distribution::num_registers <= 64 && std::is_same_v<Score, unchanged_score>;

} // namespace detail

/// The forward pass of attention, a block for each tile of queries; see attention_arguments. Rows of Q, K,
/// V and O start at multiples of 16 bytes, and head_dim and value_dim are multiples of 16 bytes too.
///
///   Tile     an attention_tile
///   O        element type of the output
///   Variant  an attention_variant
///   Score    a functor like unchanged_score
///
/// operator() is the body of one block; grid size, block size and shared memory are below. Precondition on AMD: its arguments
/// are the first parameter of the __global__ function (round_arguments); the kernel traps if they are not.
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score>
struct attention_kernel : attention_protocol<Tile, Variant, attention_arguments<typename Tile::element, O, Score>>
{
    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using output_type = O;
    using variant = Variant;
    using arguments = attention_arguments<element, O, Score>;
    using block = attention_block<Tile, Variant, arguments>;

    static constexpr const char* name = "attention";
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;
    /// For TEGULA_LAUNCH_BOUNDS.
    static constexpr int blocks_together = detail::fits_twice<Tile, Score> && Tile::waves < 8 ? 8 / Tile::waves : 1;

    /// Blocks to launch. Those with the same keys are adjacent.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return block::work::work_items(args) * block::tiles(args);
    }

    TEGULA_INLINE void operator()(const arguments& args) const { block::compute(args, part_of); }

private:
    static TEGULA_INLINE auto part_of(const arguments& args)
    {
        const index_t number = target::block_id()[0];
        const index_t tiles = block::tiles(args);
        const index_t item = number / tiles;
        return attention_part<arguments, typename block::work, all_keys, O>{
            args, block::position(args, item, number - item * tiles), {}, args.o, args.lse};
    }
};

} // namespace tegula
