#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/block/stage_pipeline.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/kernel/attention/protocol.hpp>
#include <tegula/kernel/attention/tensor_copy_maps.hpp>
#include <tegula/kernel/attention/tensor_copy_tile.hpp>
#include <tegula/kernel/attention/work.hpp>

namespace tegula {

/// The arguments of attention by tensor copies, and the part of the lane that copies. Parameters as of
/// warp_specialized_attention; Tile has a tensor_copy_attention_tile's members and a `control` with mbarriers `queries`
/// of each consumer and rings of stages `keys` and `values`.
template <class Tile, class O, class Variant, class Score>
struct tensor_copy_attention
{
    static_assert(Tile::check());
    static_assert(Variant::cache == attention_cache::contiguous && Variant::heads == attention_heads::apart &&
                      Variant::mask != attention_mask::lists,
                  "tegula: attention by tensor copies has neither pages, packed heads nor block lists; take an "
                  "attention_kernel");
    static_assert(
        detail::keeps_to_registers<Tile, changes_of<Variant, Score>()>(),
        "tegula: a tile of so many keys spills registers beside this mask, bias, functor or dropout; name the "
        "variant and the score to warp_specialized_attention_tile_for or tcgen05_attention_tile_for, too, or "
        "take an attention_kernel where these have none");

    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using output_type = O;
    using variant = Variant;
    using problem_type = attention_arguments<element, O, Score>;
    using query_loads = tensor_operand<typename Tile::query_operand, 1>;
    using key_loads = tensor_operand<typename Tile::key_operand, 1>;
    using value_loads = tensor_operand<typename Tile::value_operand, 1>;

    struct arguments
    {
        problem_type problem = {};
        tensor_map q = {}, k = {}, v = {}; ///< [batch, heads, rows, columns]; filled in by prepare()
    };

    static constexpr const char* name = "warp-specialised attention";
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    static constexpr TEGULA_HOST_DEVICE index_t tiles(const problem_type& args)
    {
        return static_cast<index_t>(ceil_div(long_index_t{args.seq_q}, long_index_t{Tile::queries}));
    }
    /// Blocks to launch. Those of the same keys follow each other.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return work::work_items(args.problem) * tiles(args.problem);
    }

    /// Errors: those of can_implement, suits_tile and make_maps. A problem without queries is taken, and nothing is
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
    /// Encodes the maps. Errors: those of make_maps and of the device.
    template <class Launcher>
    static status prepare(arguments& args, Launcher& device)
    {
        return make_maps(args, [&](tensor_map& map, const tensor_map_parameters& parameters) {
            return device.encode(map, parameters);
        });
    }

    /// Makes the tensor maps in `args`: make(map, parameters) of each. Addresses may be the host's or the GPU's.
    /// Precondition: can_implement and suits_tile of args.problem are ok.
    ///
    /// Errors: those of make; unsupported if tensor copies cannot address an operand, there is no key, or lengths vary: what
    /// lies behind the end of a sequence would be multiplied by its weight of 0, whatever it is. Such problems are for an
    /// attention_kernel.
    template <class Make>
    static status make_maps(arguments& args, const Make& make)
    {
        const problem_type& a = args.problem;
        if (blocks(args) == 0)
            return {};
        const attention_lengths& l = a.lengths;
        if (l.query_offsets != nullptr || l.key_offsets != nullptr || l.key_lengths != nullptr)
            return {status_code::unsupported, "lengths of sequences vary; tensor copies know one length, take an "
                                              "attention_kernel"};
        if (a.seq_k == 0)
            return {status_code::unsupported, "there is no key; tensor copies have nothing to copy, take an "
                                              "attention_kernel"};
        status s =
            detail::make_attention_map<query_loads>("Q", a.q, a.batch, a.heads, a.seq_q, a.head_dim, args.q, make);
        if (s)
            s = detail::make_attention_map<key_loads>("K", a.k, a.batch, a.kv_heads, a.seq_k, a.head_dim, args.k, make);
        if (s)
            s = detail::make_attention_map<value_loads>("V", a.v, a.batch, a.kv_heads, a.seq_k, a.value_dim, args.v,
                                                        make);
        return s;
    }

protected:
    using protocol = attention_protocol<Tile, Variant, problem_type>;
    using control = typename Tile::control;
    using work = attention_work<attention_heads::apart>;
    using tiles_of_keys = key_tiles<Tile, Variant>;
    using ring_position = stage_position<Tile::stages>;

    /// The work of the block. A role may find it again: values from before the roles part cost registers in all.
    struct part
    {
        work at;
        attention_sequence sequence;
        tiles_of_keys tile;

        TEGULA_INLINE explicit part(const problem_type& args)
            : at(place(args)), sequence(attention_sequence::of_one_length(args, at.batch)),
              tile(args, sequence, at, all_keys{})
        {}

    private:
        static TEGULA_INLINE work place(const problem_type& args)
        {
            const index_t number = target::block_id()[0], all = tiles(args), item = number / all;
            // If there is a band, the last rows, which see the most keys, come first.
            const index_t row =
                Variant::mask == attention_mask::none ? number - item * all : all - 1 - (number - item * all);
            return work::at(args, item, row * Tile::queries);
        }
    };

    static TEGULA_INLINE control& control_of_block()
    {
        return *reinterpret_cast<control*>(target::shared_memory() + Tile::control_at);
    }
    static TEGULA_INLINE void prefetch_maps(const arguments& args)
    {
        for (const tensor_map* map : {&args.q, &args.k, &args.v})
            arch::nvidia::prefetch_tensor_map(*map);
    }

    /// One lane: loads the queries, and keys and values of tile after tile; nothing if there are no keys.
    static TEGULA_INLINE void produce(const arguments& args, control& shared, const work& at, tiles_of_keys tile)
    {
        using enum arch::nvidia::l2_hint;
        if (!tile.inside())
            return; // nobody would wait for the queries
        std::byte* const memory = target::shared_memory();
        const array<int, 2> of_q{at.own_head, at.batch};
        const array<int, 2> of_k{at.own_head / (args.problem.heads / args.problem.kv_heads), at.batch};
        static_for<Tile::consumers>([&](auto c) {
            constexpr index_t bytes = Tile::query_operand::bytes;
            arch::nvidia::mbarrier_arrive_expect(&shared.queries[c], bytes);
            query_loads::template load<evict_first>(memory + c * bytes, args.q, at.row + Tile::consumer_queries * c, 0,
                                                    of_q, &shared.queries[c], 0, 0);
        });
        TEGULA_ROLLED
        for (ring_position stage; tile.inside(); tile.advance(), stage.advance()) {
            constexpr index_t key_bytes = Tile::key_operand::bytes, value_bytes = Tile::value_operand::bytes;
            key_loads::template load<normal>(memory + Tile::first_key_byte + stage.stage * key_bytes, args.k,
                                             tile.key(), 0, of_k, shared.keys.claim(stage, key_bytes), 0, 0);
            value_loads::template load<normal>(memory + Tile::first_value_byte + stage.stage * value_bytes, args.v, 0,
                                               tile.key(), of_k, shared.values.claim(stage, value_bytes), 0, 0);
        }
    }
};

} // namespace tegula
