#pragma once

#include <tegula/kernel/attention/attention_part.hpp>
#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/kernel/attention/latent_cache.hpp>
#include <tegula/kernel/attention/protocol.hpp>
#include <tegula/kernel/attention/split/check.hpp>
#include <tegula/kernel/attention/split/choose.hpp>
#include <tegula/kernel/attention/split/combine.hpp>
#include <tegula/kernel/protocol.hpp>

namespace tegula {

/// The members of kernels whose blocks share keys, except for the work of a block.
///
///   Tile, O, Variant, Score  those of the kernel
///   Arguments                attention_split_arguments, or a type derived from it
template <class Tile, class O, class Variant, class Score,
          class Arguments = attention_split_arguments<attention_arguments<typename Tile::element, O, Score>>>
struct attention_split_protocol
{
    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using output_type = O;
    using variant = Variant;
    using attention = attention_arguments<element, O, Score>;
    using arguments = Arguments;
    using combine = combine_splits<target, attention_split_arguments<attention>, Tile::value_dim>;

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return work::work_items(args.attention) * args.splits * rows::tiles(args.attention);
    }

    /// How many shares choose_attention_splits splits the keys into. If lengths vary, by the longest sequence.
    static constexpr index_t choose_splits(const attention& args, const chip_info& chip = target::chip())
    {
        const index_t keys = visited_keys(args.band, Variant::mask, args.seq_k, Tile::queries);
        return choose_attention_splits({work::work_items(args) * rows::tiles(args), ceil_div(keys, Tile::keys),
                                        Tile::keys * bytes_of_key(args),
                                        Tile::queries * (args.value_dim + 2) * static_cast<index_t>(sizeof(float)),
                                        resident_blocks_of_few(chip, shared_bytes)},
                                       chip);
    }

    /// Errors: those of check_split.
    static status check(const arguments& args) { return check_split<attention_split_protocol>(args); }
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

protected:
    using rows = attention_tile_rows<Tile, Variant>;
    using work = attention_work<Variant::heads>;

    /// Launches the kernel of the shares, then that of their sum.
    template <class Kernel, class Launcher>
    static status launch_both(const Kernel& kernel, const arguments& args, Launcher& launch)
    {
        launch_config shares, sum;
        shares.grid.x = blocks(args);
        shares.name = "attention of shares";
        sum.grid.x = combine::blocks(args);
        sum.name = "attention's sum of shares";
        const status s = launch(shares, kernel, args);
        return s ? launch(sum, combine{}, static_cast<const typename combine::arguments&>(args)) : s;
    }
    /// The part of the block with this number.
    static TEGULA_INLINE auto part_of_block(const arguments& args, index_t number)
    {
        const index_t tiles = rows::tiles(args.attention);
        const index_t share = number / tiles; // share of a work item
        const index_t item = share / args.splits;
        const index_t split = share - item * args.splits;
        return attention_part<attention, work, share_of_keys, float>{
            args.attention,       rows::position(args.attention, item, number - share * tiles),
            {split, args.splits}, args.o(split),
            args.lse(split),      args.shift(split)};
    }

private:
    /// Bytes of a key in memory, with its values.
    static constexpr index_t bytes_of_key(const attention& args)
    {
        if constexpr (requires { requires Tile::makes_keys; })
            return scaled_latent_cache<element>::record_bytes;
        // Values that are columns of the keys are loaded with them.
        const index_t columns =
            args.head_dim + (Tile::key_values == key_value_place::same ? index_t{0} : args.value_dim);
        return columns * static_cast<index_t>(sizeof(element));
    }

    using protocol = attention_protocol<Tile, Variant, attention>;
};

} // namespace tegula
