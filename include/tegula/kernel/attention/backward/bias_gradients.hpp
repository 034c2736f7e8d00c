#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/block/tile_ring_loop.hpp>
#include <tegula/kernel/attention/backward/bias_sums.hpp>
#include <tegula/kernel/attention/backward/listed_tiles.hpp>
#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/backward/tile.hpp>

namespace tegula {

/// The gradient of a bias that repeats over sequences, heads, queries or keys, equal from run to run. There is a block
/// for each tile of the bias's own elements. It visits all scores to which these were added, and recomputes their
/// gradients like attention_query_gradients. That repeats the two products of each tile of scores.
///
///   Tile  an attention_gradient_tile
template <class Tile, class Variant, class O, class Gradient, class Score = unchanged_score>
struct attention_bias_gradients
{
    static_assert(Variant::bias == attention_bias::tensor,
                  "tegula: only a bias that is a tensor has a gradient; leave Deterministic out");
    using target = typename Tile::target;
    using element = typename Tile::element;
    using arguments = attention_gradient_arguments<element, O, Gradient, Score>;
    using distribution = typename Tile::score_distribution;
    using gradients = attention_score_gradients<target, distribution, Variant, Score, false>;
    using sums = distributed_tensor<float, distribution>;
    using k_tiles = typename Tile::template head_tiles<void>;
    using v_tiles = typename Tile::template value_tiles<void>;

    static constexpr bool by_lists = Variant::mask == attention_mask::lists;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes =
        max(Tile::template shared_bytes<void, void>, bias_sum_bytes<target, distribution>);

    /// Blocks to launch: one for each tile of the bias's own elements.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const own_tiles own(args.problem);
        return own.batches * own.heads * own.query_tiles * own.key_tiles;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        detail::check_reloaded_gradient_arguments(args);
        const own_tiles own(args.problem);
        index_t number = target::block_id()[0];
        const auto next = [&](index_t count) {
            const index_t i = number % count;
            number /= count;
            return i;
        };
        walk at;
        at.key = next(own.key_tiles) * Tile::columns;
        at.query = next(own.query_tiles) * Tile::rows;
        at.head = next(own.heads);
        at.batch = number;
        at.find_blocks(args.problem.forward);

        auto sum = make_distributed_tensor<float, distribution>(0.0f); // [queries, keys]
        const auto& forward = args.problem.forward;
        bool more = forward.batch > 0 && forward.heads > 0 && forward.seq_q > 0 && forward.seq_k > 0;
        TEGULA_ROLLED
        while (more) {
            add_tile(sum, args, at);
            more = advance(at, internal::reload_arguments(args).problem);
        }
        add_bias_sums<target>(sum, internal::reload_arguments(args).problem, at);
    }

private:
    /// A tile of scores, its head of K and the blocks of lists in which it lies. Tiles come in order, so that each round
    /// finds these without a division.
    struct walk : attention_place
    {
        index_t kv_head, query_block = 0, key_block = 0;

        template <class Forward>
        TEGULA_INLINE void find_blocks(const Forward& forward)
        {
            kv_head = this->head / (forward.heads / forward.kv_heads);
            if constexpr (by_lists) {
                query_block = this->query / forward.lists.query_length;
                key_block = this->key / forward.lists.key_length;
            }
        }
        /// Precondition: a tile's place is the one before it in its dimension, or 0.
        template <class Forward>
        TEGULA_INLINE void follow(const Forward& forward)
        {
            const auto next = [](index_t& block, index_t i, index_t length) {
                block = i == 0 ? 0 : block + (i >= (block + 1) * length);
            };
            kv_head = this->head == 0 ? 0
                                      : kv_head + (static_cast<long_index_t>(this->head) * forward.kv_heads >=
                                                   static_cast<long_index_t>(kv_head + 1) * forward.heads);
            if constexpr (by_lists) {
                next(query_block, this->query, forward.lists.query_length);
                next(key_block, this->key, forward.lists.key_length);
            }
        }
    };

    /// The numbers of tiles of the bias's own elements: a dimension that repeats has one.
    struct own_tiles
    {
        long_index_t batches;
        index_t heads, query_tiles, key_tiles;

        template <class Problem>
        explicit constexpr TEGULA_HOST_DEVICE own_tiles(const Problem& problem)
            : batches(problem.d_bias.batch_stride == 0 ? 1 : problem.forward.batch),
              heads(problem.d_bias.head_stride == 0 ? 1 : problem.forward.heads),
              query_tiles(problem.d_bias.query_stride == 0 ? 1 : ceil_div(problem.forward.seq_q, Tile::rows)),
              key_tiles(problem.d_bias.key_stride == 0 ? 1 : ceil_div(problem.forward.seq_k, Tile::columns))
        {}
    };

    /// Goes to the next tile of scores that the tile of the bias was added to; after the last to the first, and returns
    /// false. One loop visits all: the limits of four would be held in registers across the products, and spill.
    template <class Problem>
    static TEGULA_INLINE bool advance(walk& at, const Problem& problem)
    {
        const auto& forward = problem.forward;
        const auto& d_bias = problem.d_bias;
        const auto step = [](index_t& i, index_t by, long_index_t all, long_index_t stride) {
            if (stride != 0)
                return false;
            i += by;
            if (i < all)
                return true;
            i = 0;
            return false;
        };
        const bool more = step(at.key, Tile::columns, forward.seq_k, d_bias.key_stride) ||
                          step(at.query, Tile::rows, forward.seq_q, d_bias.query_stride) ||
                          step(at.head, 1, forward.heads, d_bias.head_stride) ||
                          step(at.batch, 1, forward.batch, d_bias.batch_stride);
        at.follow(forward);
        return more;
    }

    /// Adds the gradients of the tile of scores from query at.query and key at.key on.
    static TEGULA_INLINE void add_tile(sums& sum, const arguments& kept, walk at)
    {
        const arguments& args = internal::reload_arguments(kept);
        // Values that depend on them are not held across the loops.
        internal::make_scalars_opaque<target>(at.batch, at.head, at.query, at.key, at.kv_head);
        const auto& problem = args.problem;
        const auto& forward = problem.forward;
        const auto sequence = detail::sequence_of<Variant>(forward, at.batch);
        if (at.query >= sequence.queries || at.key >= sequence.keys)
            return;
        const key_range seen = sequence.keys_of(at.query, min(at.query + Tile::rows, sequence.queries));
        if (at.key >= seen.last || at.key + Tile::columns <= seen.first)
            return;
        if constexpr (by_lists)
            if (!detail::lists_block(forward.lists, at.batch, at.head, at.query_block, at.key_block))
                return;
        const auto q = detail::head_of(forward.q, sequence.query_batch, at.head, sequence.first_query);
        const auto d_o = detail::head_of(problem.d_o, sequence.query_batch, at.head, sequence.first_query);
        const auto k = detail::head_of(forward.k, sequence.key_batch, at.kv_head, sequence.first_key);
        const auto v = detail::head_of(forward.v, sequence.key_batch, at.kv_head, sequence.first_key);

        std::byte* const memory = target::shared_memory();
        target::shared_barrier(); // no wave reads the tile before any more
        typename Tile::kept_head queries(q.row(at.query), sequence.queries - at.query, q.row_stride, forward.head_dim,
                                         memory, "Q");
        typename Tile::kept_value d_outputs(d_o.row(at.query), sequence.queries - at.query, d_o.row_stride,
                                            forward.value_dim, memory + Tile::kept_head::bytes, "dO");
        Tile::keep(queries, d_outputs);
        const long_index_t numbers = args.workspace.offset(at.batch, forward.heads, at.head);
        const auto normalizers = gradients::load_numbers(args.workspace.normalizers + numbers,
                                                         args.workspace.padded_rows, at.query, "normalizers");
        const auto deltas =
            gradients::load_numbers(args.workspace.deltas + numbers, args.workspace.padded_rows, at.query, "deltas");
        const bool far =
            gradients::any_is_far(args.workspace.normalizers + numbers, args.workspace.padded_rows, at.query);

        std::byte* const ring = memory + Tile::ring_offset;
        k_tiles keys(k.row_stride, forward.head_dim, ring, "K");
        v_tiles values(v.row_stride, forward.value_dim, ring + k_tiles::bytes, "V");
        const auto load = [&](int slot, index_t) {
            keys.load(slot, k.row(at.key), sequence.keys - at.key);
            values.load(slot, v.row(at.key), sequence.keys - at.key);
        };
        const auto finish = [&](int slot) {
            keys.store(slot);
            values.store(slot);
        };
        const auto work = [&](int slot, index_t) {
            auto p = Tile::multiply_along(queries, keys, slot);
            auto ds = Tile::multiply_along(d_outputs, values, slot);
            gradients::template compute<true>(
                p, ds, normalizers, deltas, far, args.workspace, problem, sequence, at,
                [&](const auto& dx) { static_for<distribution::num_registers>([&](auto r) { sum[r] += dx[r]; }); });
        };
        run_tile_ring<target, 1, max(k_tiles::loads_by, v_tiles::loads_by)>(1, load, finish, work);
    }
};

} // namespace tegula
