#pragma once

#include <tegula/kernel/attention/choose.hpp>
#include <tegula/kernel/attention/split/protocol.hpp>
#include <tegula/kernel/attention/tensor_copy_maps.hpp>
#include <tegula/kernel/attention/tensor_copy_pages.hpp>
#include <tegula/kernel/attention/warp_specialized/latent_consumer.hpp>
#include <tegula/kernel/attention/warp_specialized/latent_maker.hpp>

namespace tegula {

/// attention_split_arguments with the map that warp_specialized_latent_attention copies keys by.
template <class Attention>
struct latent_attention_arguments : attention_split_arguments<Attention>
{
    constexpr latent_attention_arguments() = default;
    constexpr latent_attention_arguments(const Attention& args, index_t shares = 1,
                                         const attention_split_workspace& memory = {})
        : attention_split_arguments<Attention>{args, shares, memory}
    {}

    tensor_map k = {}; ///< [batch or pages, kv_heads, rows, head_dim]; filled in by prepare()
};

/// attention_split_arguments for a scaled_latent_cache, which takes the place of attention.k and attention.v: those are
/// null.
template <class Attention, class T>
struct scaled_latent_attention_arguments : attention_split_arguments<Attention>
{
    constexpr scaled_latent_attention_arguments() = default;
    constexpr scaled_latent_attention_arguments(const Attention& args, index_t shares = 1,
                                                const attention_split_workspace& memory = {},
                                                const scaled_latent_cache<T>& keys = {})
        : attention_split_arguments<Attention>{args, shares, memory}, cache(keys)
    {}

    scaled_latent_cache<T> cache = {};
};

/// The problem of such arguments.
template <class Variant, class Attention, class T>
constexpr attention_problem problem_of(const scaled_latent_attention_arguments<Attention, T>& a)
{
    attention_problem p = problem_of<Variant>(a.attention);
    p.scaled_cache = true;
    return p;
}

namespace detail {
template <class Tile, class Attention>
using latent_arguments_for =
    std::conditional_t<Tile::makes_keys, scaled_latent_attention_arguments<Attention, typename Tile::element>,
                       latent_attention_arguments<Attention>>;
template <class Tile, class O, class Variant>
using latent_protocol =
    attention_split_protocol<Tile, O, Variant, unchanged_score,
                             latent_arguments_for<Tile, attention_arguments<typename Tile::element, O>>>;
} // namespace detail

/// The latent form of attention on sm_90a, for decoding: heads packed into rows, keys split, in a paged cache or not. The
/// values are the first columns of the keys. A launch starts a kernel for the shares and combine_splits.
///
/// One wave of a block copies keys to shared memory by tensor copies. Two consumers multiply by wgmma. Each computes the
/// scores and weights of every other tile of keys, and tells the other the weights and the references of the rows by
/// shared memory. Each multiplies the weights of all tiles by half of the columns of the values. So no product is
/// computed twice.
///
/// A tile with a cache of e4m3 takes keys from arguments.cache, with any strides. Then all waves of the first warpgroup
/// make the elements of the keys.
///
///   Tile     a warp_specialized_latent_tile
///   O        element type of the output, which combine_splits writes
///   Variant  an attention_variant that hides keys by a band at most; pages have a multiple of 16 keys, of a cache of e4m3
///            of Tile::keys
///
/// Any lengths of sequences. The strides of K are above 0, as tensor copies need.
template <class Tile, class O = typename Tile::element,
          class Variant = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                            attention_cache::contiguous, attention_heads::packed>>
struct warp_specialized_latent_attention : detail::latent_protocol<Tile, O, Variant>
{
    static_assert(Tile::check());
    static_assert(
        (Variant::mask == attention_mask::none || Variant::mask == attention_mask::band) &&
            Variant::bias == attention_bias::none && !Variant::dropout,
        "tegula: the latent form by wgmma hides keys by a band at most; take an attention_split_kernel with a "
        "latent_attention_tile_for");
    static_assert(Variant::cache != attention_cache::paged_by_key,
                  "tegula: the latent form by wgmma copies whole tiles of keys from a page; take "
                  "attention_cache::paged, or an attention_split_kernel with a latent_attention_tile_for");

    using base = detail::latent_protocol<Tile, O, Variant>;
    using typename base::arguments;
    using typename base::attention;
    using typename base::element;
    using typename base::target;

    /// Errors: those of check_split, and those of make_map or of check_latent_cache.
    static status check(const arguments& args)
    {
        if constexpr (Tile::makes_keys) {
            if (args.attention.k.data != nullptr || args.attention.v.data != nullptr)
                return attention_checks::invalid("K and V of the attention are given; the keys are in the cache alone: "
                                                 "leave both null");
            arguments others = args; // Q stands for K and V
            others.attention.k = others.attention.v = {args.attention.q.data, 0, 0, 0};
            const status s = base::check(others);
            return s ? check_latent_cache<Variant>(args.attention, args.cache, Tile::keys) : s;
        } else {
            if (const status s = base::check(args); !s)
                return s;
            arguments unused = args;
            return make_map(unused, [](tensor_map&, const tensor_map_parameters&) { return status(); });
        }
    }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        base::memory(args, memory);
        if constexpr (Tile::makes_keys)
            add_latent_cache<Variant>(memory, args.attention, args.cache);
    }
    /// Encodes the map. Errors: those of make_map and of the device.
    template <class Launcher>
    static status prepare(arguments& args, Launcher& device)
        requires(!Tile::makes_keys)
    {
        return make_map(args, [&](tensor_map& map, const tensor_map_parameters& parameters) {
            return device.encode(map, parameters);
        });
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return base::launch_both(*this, args, launch);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = *reinterpret_cast<control*>(target::shared_memory() + Tile::control_at);
        const int group = warpgroup<target>::number();
        if (target::thread_id() == 0) {
            if constexpr (!Tile::makes_keys)
                if (args.attention.seq_k > 0) // else there is no map
                    arch::nvidia::prefetch_tensor_map(args.k);
            shared.initialize();
        }
        target::block_barrier();
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            if constexpr (Tile::makes_keys) {
                const part all(args);
                if (!all.is_empty())
                    latent_key_maker<Tile, Variant, part, arguments>(args, shared, all).run();
            } else if (target::wave_id() == 0) {
                produce(args, shared);
            }
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            const part all(args);
            if (!all.is_empty())
                latent_consumer<Tile, Variant, part, arguments>(args, shared, all, group - 1).run();
        }
    }

private:
    using control = typename Tile::control;
    using tiles_of_keys = key_tiles<Tile, Variant>;
    using ring_position = stage_position<Tile::stages>;
    using key_loads = typename Tile::template key_part<0>::loads;
    static constexpr index_t key_bytes = Tile::key_operand::bytes;

    /// A block's rows and share of the keys. Each role computes it: values from before the roles part cost registers in
    /// all.
    struct part
    {
        decltype(base::part_of_block(std::declval<const arguments&>(), 0)) block;
        attention_sequence sequence;
        tiles_of_keys tile;

        TEGULA_INLINE explicit part(const arguments& args, index_t number = target::block_id()[0])
            : block(base::part_of_block(args, number)),
              sequence(attention_sequence::at(args.attention, block.at.batch)),
              tile(args.attention, sequence, block.at, block.share)
        {}
        /// Whether the sequence ends before the block's rows: the grid is the longest sequence's.
        TEGULA_INLINE bool is_empty() const { return block.at.row >= base::work::rows(block.args, sequence.queries); }
        /// Tiles of keys.
        TEGULA_INLINE index_t steps() const { return ceil_div(max(tile.extent(), 0), Tile::keys); }
        /// Whether the tile at `key` has keys behind the sequence's.
        TEGULA_INLINE bool passes_end(index_t key) const { return sequence.keys - key < Tile::keys; }
    };

    /// Makes the map of the keys, by make(map, parameters).
    ///
    /// Errors: those of make; unsupported if tensor copies cannot address K, or if offsets come without the number of all
    /// rows.
    template <class Make>
    static status make_map(arguments& args, const Make& make)
    {
        const attention& a = args.attention;
        if (base::blocks(args) == 0 || a.seq_k == 0)
            return {};
        attention_lengths of_keys = a.lengths;
        of_keys.query_offsets = nullptr; // queries have no map
        const auto of = internal::attention_map_rows::of<Variant>(a);
        if (const status s = of.check(of_keys, true); !s)
            return s;
        return internal::make_attention_map<key_loads>("K", a.k, of.batch_k, a.kv_heads, of.k, a.head_dim, args.k, make,
                                                       copied_keys(a));
    }

    /// Keys that one copy brings: keys_of_piece() of a tile of 2^n keys, without a loop.
    static TEGULA_INLINE index_t copied_keys([[maybe_unused]] const attention& a)
    {
        if constexpr (Variant::in_pages)
            return min(a.pages.page_length & -a.pages.page_length, Tile::keys);
        else
            return Tile::keys;
    }

    /// Run by one wave: copies tile after tile of the keys. It puts zeros over keys behind the sequence's: weights of 0
    /// would not hide infinite values.
    static TEGULA_INLINE void produce(const arguments& args, control& shared)
    {
        const part all(args);
        if (all.is_empty())
            return;
        if (arch::nvidia::elect_one())
            copy(args, shared, all);
        target::wave_barrier();
        clear_keys_behind(shared, all);
    }

    static TEGULA_INLINE void copy(const arguments& args, control& shared, const part& all)
    {
        using namespace arch::nvidia;
        const attention& a = args.attention;
        const index_t head = all.block.at.head(0) / (a.heads / a.kv_heads);
        std::byte* stage_memory = target::shared_memory() + Tile::first_key_byte;
        auto next_keys = [&] {
            if constexpr (Variant::in_pages)
                return tile_of_pages<Tile::keys>(a.pages, all.block.at.batch, all.sequence.keys, all.tile.key(),
                                                 copied_keys(a));
            else
                return tile_of_rows<1>{all.sequence.first_key + all.tile.key(),
                                       static_cast<int>(all.sequence.key_batch)};
        }();
        ring_position stage;
        TEGULA_ROLLED
        for (tiles_of_keys tile = all.tile; tile.inside(); tile.advance(), stage.advance()) {
            const bool made = all.passes_end(tile.key());
            if (made)
                mbarrier_arrive_expect(&shared.last_keys, key_bytes);
            const auto load = [&](auto& keys, auto p) {
                using columns = typename Tile::template key_part<p>;
                mbarrier* full = &shared.last_keys;
                if (made)
                    shared.parts[p].claim_made(stage);
                else
                    full = shared.parts[p].claim(stage, columns::operand::bytes);
                keys.template load<typename columns::loads>(
                    stage_memory + stage.stage * key_bytes + columns::first_byte, args.k, head, full, columns::first);
            };
            const auto load_again = [&](auto p) {
                auto keys = next_keys;
                load(keys, p);
            };
            load_again(constant<Tile::consumers>{}); // the part that is read no more after the scores
            load_again(constant<0>{});
            load(next_keys, constant<1>{});
            next_keys.advance(Tile::keys);
        }
    }

    static TEGULA_INLINE void clear_keys_behind(control& shared, const part& all)
    {
        const index_t last = all.steps() - 1;
        if (last < 0)
            return;
        const index_t key = all.tile.key() + last * Tile::keys;
        if (!all.passes_end(key))
            return;
        arch::nvidia::mbarrier_wait(&shared.last_keys, 0);
        const int stage = static_cast<int>(last % Tile::stages);
        std::byte* const keys = target::shared_memory() + Tile::first_key_byte + stage * key_bytes;
        tensor_operand<typename Tile::key_operand, 1>::template clear_lines<target>(keys, all.sequence.keys - key);
        static_for<Tile::key_parts>([&](auto p) { shared.parts[p].template publish_made<target>({stage, 0}); });
    }
};

} // namespace tegula
