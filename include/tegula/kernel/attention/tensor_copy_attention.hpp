#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/block/stage_pipeline.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/kernel/attention/protocol.hpp>
#include <tegula/kernel/attention/tensor_copy_maps.hpp>
#include <tegula/kernel/attention/tensor_copy_pages.hpp>
#include <tegula/kernel/attention/tensor_copy_tile.hpp>
#include <tegula/kernel/attention/work.hpp>

namespace tegula {

/// The arguments of attention by tensor copies, and the part of the wave that copies. Parameters are those of
/// warp_specialized_attention. Tile has a tensor_copy_attention_tile's members and a `control` with mbarriers `queries`
/// of each consumer and `last_values`, and rings of stages `keys`, `values` and, if it makes values, `copied`.
template <class Tile, class O, class Variant, class Score, attention_sequences Sequences>
struct tensor_copy_attention
{
    static_assert(Tile::check());
    static_assert(Variant::cache != attention_cache::paged_by_key && Variant::heads == attention_heads::apart &&
                      Variant::mask != attention_mask::lists,
                  "tegula: attention by tensor copies has neither pages by key, packed heads nor block lists; take an "
                  "attention_kernel, or attention_cache::paged for pages of a multiple of 16 keys");
    static_assert(!Variant::in_pages || Sequences == attention_sequences::of_any_length,
                  "tegula: keys of a sequence end within a page; name attention_sequences::of_any_length beside "
                  "attention_cache::paged");
    static_assert(
        !Variant::in_pages || Tile::cluster_blocks == 1,
        "tegula: blocks of a cluster share copies of whole tiles, not of pages; take a tile without a cluster");
    static_assert(
        detail::keeps_to_registers<Tile, changes_of<Variant, Score>()>(),
        "tegula: a tile of so many keys spills registers beside this mask, bias, functor or dropout; name the "
        "variant and the score to warp_specialized_attention_tile_for or tcgen05_attention_tile_for, "
        "too, or "
        "take an attention_kernel where these have none");

    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using output_type = O;
    using variant = Variant;
    using problem_type = attention_arguments<element, O, Score>;
    using query_loads = tensor_operand<typename Tile::query_operand, 1>;
    using key_loads = tensor_operand<typename Tile::key_operand, Tile::cluster_blocks>;
    using value_loads = tensor_operand<typename Tile::copied_values, Tile::cluster_blocks>;
    static constexpr bool any_length = Sequences == attention_sequences::of_any_length;

    struct arguments
    {
        problem_type problem = {};
        tensor_map q = {}, k = {}, v = {}; ///< [batch or pages, heads, rows, columns]; filled in by prepare()
        index_t resident = 0;   ///< blocks that go through all tiles of queries, chosen by prepare(); 0: a block a tile
        index_t piece_keys = 0; ///< of a paged cache, keys that a copy brings (keys_of_piece); filled in by prepare()
    };

    static constexpr const char* name = "warp-specialised attention";
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    /// Tiles of queries of a head, those without a query that fill the last cluster among them.
    static constexpr TEGULA_HOST_DEVICE index_t tiles(const problem_type& args)
    {
        const long_index_t all = ceil_div(long_index_t{args.seq_q}, long_index_t{Tile::queries});
        return static_cast<index_t>(round_up(all, long_index_t{Tile::cluster_blocks}));
    }
    /// Tiles of queries of all heads. Those with the same keys are adjacent.
    static constexpr TEGULA_HOST_DEVICE long_index_t all_tiles(const problem_type& args)
    {
        return work::work_items(args) * tiles(args);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args) { return all_tiles(args.problem); }

    /// Errors: those of can_implement, suits_tile and make_maps. A problem without queries is accepted, and nothing is
    /// launched.
    static status check(const arguments& args)
    {
        if (const status s = protocol::check(args.problem); !s)
            return s;
        arguments unused = args;
        return make_maps(unused, [](tensor_map&, const tensor_map_parameters&) { return status(); });
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        protocol::memory(args.problem, memory);
    }
    /// Errors: those of check_numbers_in_memory.
    static status check_indices(const arguments& args)
        requires any_length
    {
        return protocol::check_indices(args.problem);
    }
    template <class Visit>
    static void index_arrays(arguments& args, const Visit& visit)
        requires any_length
    {
        protocol::index_arrays(args.problem, visit);
    }
    /// Encodes the maps. Errors: those of make_maps and of the device.
    template <class Launcher>
    static status prepare(arguments& args, Launcher& device)
    {
        return make_maps(args, [&](tensor_map& map, const tensor_map_parameters& parameters) {
            return device.encode(map, parameters);
        });
    }

    /// Makes the tensor maps in `args`, each by make(map, parameters). Addresses may be the host's or the GPU's.
    /// Precondition: can_implement and suits_tile of args.problem are ok.
    ///
    /// Errors: those of make; unsupported if tensor copies cannot address an operand, there is no key or page, or lengths
    /// are given to a kernel of one length. Such problems are for an attention_kernel. Offsets without the number of all
    /// rows are unsupported, too.
    template <class Make>
    static status make_maps(arguments& args, const Make& make)
    {
        const problem_type& a = args.problem;
        if (blocks(args) == 0)
            return {};
        if (a.seq_k == 0)
            return {status_code::unsupported, "there is no key; tensor copies have nothing to copy, take an "
                                              "attention_kernel"};
        if (Variant::in_pages && a.pages.pages == 0)
            return {status_code::unsupported, "the cache has no page; tensor copies have nothing to copy, take an "
                                              "attention_kernel"};
        const detail::attention_map_rows rows = detail::attention_map_rows::of<Variant>(a);
        index_t key_rows = key_loads::lines, value_rows = value_loads::lines;
        if constexpr (Variant::in_pages)
            args.piece_keys = key_rows = value_rows = keys_of_piece(a.pages.page_length, Tile::keys);
        status s = rows.check(a.lengths, any_length);
        if (s)
            s = detail::make_attention_map<query_loads>("Q", a.q, rows.batch_q, a.heads, rows.q, a.head_dim, args.q,
                                                        make);
        if (s)
            s = detail::make_attention_map<key_loads>("K", a.k, rows.batch_k, a.kv_heads, rows.k, a.head_dim, args.k,
                                                      make, key_rows);
        if (s)
            s = detail::make_attention_map<value_loads>("V", a.v, rows.batch_k, a.kv_heads, rows.k, a.value_dim, args.v,
                                                        make, value_rows);
        return s;
    }

protected:
    using protocol = attention_protocol<Tile, Variant, problem_type>;
    using control = typename Tile::control;
    using work = attention_work<attention_heads::apart>;
    using tiles_of_keys = key_tiles<Tile, Variant>;
    using ring_position = stage_position<Tile::stages>;

    /// The work of a tile of queries. A role may compute it again: values from before the roles part cost registers in all.
    struct part
    {
        work at;
        attention_sequence sequence;
        tiles_of_keys tile;

        TEGULA_INLINE explicit part(const problem_type& args, index_t number = target::block_id()[0])
            : at(place(args, number)), sequence(attention_sequence::of<Sequences>(args, at.batch)),
              tile(args, sequence, at, all_keys{})
        {}
        /// Whether the sequence ends before the block's rows: the grid is the longest sequence's.
        TEGULA_INLINE bool is_empty() const { return any_length && at.row >= sequence.queries; }
        /// Keys of the tile at `key` that are the sequence's, if other sequences' follow; 0: all are.
        TEGULA_INLINE index_t keys_before_others(index_t key) const
        {
            return any_length && sequence.keys - key < Tile::keys ? sequence.keys - key : 0;
        }

    private:
        static TEGULA_INLINE work place(const problem_type& args, index_t number)
        {
            const index_t all = tiles(args), item = number / all;
            // If there is a band, the last rows, which see the most keys, come first.
            const index_t row =
                Variant::mask == attention_mask::none ? number - item * all : all - 1 - (number - item * all);
            return work::at(args, item, row * Tile::queries);
        }
    };

    /// The block's part for one of its roles. Over pages it is computed again: held from before the roles part it would take
    /// registers that a consumer of 8 bits does not have.
    static TEGULA_INLINE part again(const arguments& args, const part& all)
    {
        if constexpr (Variant::in_pages && Tile::makes_values)
            return part(args.problem);
        else
            return all;
    }
    static TEGULA_INLINE control& control_of_block()
    {
        return *reinterpret_cast<control*>(target::shared_memory() + Tile::control_at);
    }
    static TEGULA_INLINE void prefetch_maps(const arguments& args)
    {
        for (const tensor_map* map : {&args.q, &args.k, &args.v})
            arch::nvidia::prefetch_tensor_map(*map);
    }

    /// Run by one wave: loads the queries, and keys and values of tile after tile; nothing if there are no keys. It
    /// puts zeros over values of other sequences, or of none, in the last tile, unless values are made: weights of 0 would
    /// not hide infinite ones.
    static TEGULA_INLINE void produce(const arguments& args, control& shared, const part& all)
    {
        if (arch::nvidia::elect_one()) {
            ring_position stage;
            copy(args, shared, all, stage, [](auto) {});
        }
        target::wave_barrier();
        if constexpr (any_length && !Tile::makes_values)
            clear_values_of_others(shared, all);
    }

    /// Run by one lane: loads of a tile of queries, from `stage` on. claim(c): waits until consumer c has read the queries
    /// before.
    template <class Claim>
    static TEGULA_INLINE void copy(const arguments& args, control& shared, const part& all, ring_position& stage,
                                   const Claim& claim)
    {
        using enum arch::nvidia::l2_hint;
        tiles_of_keys tile = all.tile;
        if (!tile.inside())
            return; // no role would wait for the queries
        std::byte* const memory = target::shared_memory();
        const attention_sequence& s = all.sequence;
        const array<int, 2> of_q{all.at.own_head, static_cast<int>(s.query_batch)};
        const index_t key_head = all.at.own_head / (args.problem.heads / args.problem.kv_heads);
        // Blocks of a cluster copy a share of each tile of keys and values to all of them.
        const int share = Tile::cluster_blocks > 1 ? arch::nvidia::cluster_rank() : 0;
        static_for<Tile::consumers>([&](auto c) {
            constexpr index_t bytes = Tile::query_operand::bytes;
            claim(c);
            arch::nvidia::mbarrier_arrive_expect(&shared.queries[c], bytes);
            query_loads::template load<evict_first>(memory + c * bytes, args.q,
                                                    s.first_query + all.at.row + Tile::consumer_queries * c, 0, of_q,
                                                    &shared.queries[c], 0, 0);
        });
        TEGULA_ROLLED
        for (; tile.inside(); tile.advance(), stage.advance()) {
            const auto source = [&] { // before the wait for room
                if constexpr (Variant::in_pages)
                    return tile_of_pages<Tile::keys>(args.problem.pages, all.at.batch, s.keys, tile.key(),
                                                     args.piece_keys);
                else
                    return tile_of_rows<Tile::cluster_blocks>{s.first_key + tile.key(), static_cast<int>(s.key_batch),
                                                              share};
            };
            auto of_keys = source();
            of_keys.template load<key_loads>(memory + Tile::first_key_byte + stage.stage * key_bytes, args.k, key_head,
                                             shared.keys.claim(stage, key_bytes));
            auto of_values = source();
            auto* full = &shared.last_values;
            if constexpr (Tile::makes_values) {
                full = shared.copied.claim(stage, value_bytes);
            } else if (all.keys_before_others(tile.key()) > 0) {
                shared.values.claim_made(stage);
                arch::nvidia::mbarrier_arrive_expect(full, value_bytes);
            } else {
                full = shared.values.claim(stage, value_bytes);
            }
            of_values.template load<value_loads>(memory + Tile::first_copied_byte + stage.stage * value_bytes, args.v,
                                                 key_head, full);
        }
    }

private:
    static constexpr index_t key_bytes = Tile::key_operand::bytes, value_bytes = Tile::copied_values::bytes;

    static TEGULA_INLINE void clear_values_of_others(control& shared, const part& all)
    {
        const index_t last = ceil_div(all.tile.extent(), Tile::keys) - 1; // tile
        if (last < 0)
            return;
        const index_t own = all.keys_before_others(all.tile.key() + last * Tile::keys);
        if (own == 0)
            return;
        arch::nvidia::mbarrier_wait(&shared.last_values, 0);
        value_loads::template clear_lines<target>(
            target::shared_memory() + Tile::first_value_byte + last % Tile::stages * value_bytes, own);
        shared.values.template publish_made<target>({static_cast<int>(last % Tile::stages), 0});
    }
};

} // namespace tegula
