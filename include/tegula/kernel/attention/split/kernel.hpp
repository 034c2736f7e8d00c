#pragma once

#include <tegula/kernel/attention/attention_block.hpp>
#include <tegula/kernel/attention/protocol.hpp>
#include <tegula/kernel/attention/split/check.hpp>
#include <tegula/kernel/attention/split/choose.hpp>
#include <tegula/kernel/attention/split/combine.hpp>
#include <tegula/kernel/protocol.hpp>

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
struct attention_split_kernel
{
    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using output_type = O;
    using variant = Variant;
    using attention = attention_arguments<element, O, Score>;
    using arguments = attention_split_arguments<attention>;
    using block = attention_block<Tile, Variant, attention>;
    using combine = combine_splits<target, arguments, Tile::value_dim>;

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return block::work::work_items(args.attention) * args.splits * block::tiles(args.attention);
    }

    /// How many shares choose_attention_splits splits the keys into. If lengths vary, by the longest sequence.
    static constexpr index_t choose_splits(const attention& args, const chip_info& chip = target::chip())
    {
        const index_t keys = visited_keys(args.band, Variant::mask, args.seq_k, Tile::queries);
        return choose_attention_splits(
            {block::work::work_items(args) * block::tiles(args), ceil_div(keys, Tile::keys),
             Tile::keys * (args.head_dim + args.value_dim) * static_cast<index_t>(sizeof(element)),
             Tile::queries * (args.value_dim + 2) * static_cast<index_t>(sizeof(float)),
             resident_blocks_of_few(chip, shared_bytes)},
            chip);
    }

    /// Errors: those of check_split.
    static status check(const arguments& args) { return check_split<attention_split_kernel>(args); }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        protocol::memory(args.attention, memory);
        memory.write(args.workspace.data, static_cast<std::size_t>(args.workspace_size()) * sizeof(float), "workspace");
    }
    /// Errors: those of check_numbers_in_memory.
    static status check_indices(const arguments& args) { return protocol::check_indices(args.attention); }
    template <class Visit>
    static void index_arrays(arguments& args, const Visit& visit)
    {
        protocol::index_arrays(args.attention, visit);
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        launch_config shares, sum;
        shares.grid.x = blocks(args);
        shares.name = "attention of shares";
        sum.grid.x = combine::blocks(args);
        sum.name = "attention's sum of shares";
        const status s = launch(shares, *this, args);
        return s ? launch(sum, combine{}, args) : s;
    }

    TEGULA_INLINE void operator()(const arguments& args) const { block::compute(args, part_of); }

private:
    using protocol = attention_protocol<Tile, Variant, attention>;

    static TEGULA_INLINE auto part_of(const arguments& args)
    {
        index_t number = target::block_id()[0];
        if constexpr (Tile::recomputes_part)
            target::make_opaque(number);
        const index_t tiles = block::tiles(args.attention);
        const index_t share = number / tiles; // share of a work item
        const index_t item = share / args.splits;
        const index_t split = share - item * args.splits;
        return attention_part<attention, typename block::work, share_of_keys, float>{
            args.attention,       block::position(args.attention, item, number - share * tiles),
            {split, args.splits}, args.o(split),
            args.lse(split),      args.shift(split)};
    }
};

} // namespace tegula
