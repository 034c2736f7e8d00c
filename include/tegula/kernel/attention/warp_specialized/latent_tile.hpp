#pragma once

#include <tegula/block/staged_chunk.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/kernel/attention/latent_cache.hpp>
#include <tegula/kernel/attention/warp_specialized/tile.hpp>

namespace tegula {

namespace detail {
/// Tensor copies bring parts of a tile from several pages.
struct copies_pages
{
    static constexpr index_t page_keys = tensor_copy_page_keys; ///< pages have a multiple of so many keys
};
struct makes_tiles_of_pages
{};
} // namespace detail

/// The tile of warp_specialized_latent_attention: 64 rows of queries, 64 keys of 576 columns, whose first 512 are the
/// values. Two consumers each have half of the columns of O. Shared memory holds the queries, two tiles of keys and the
/// weights of one tile.
///
///   T      the elements' type, of 16 bits
///   Cache  T, or float8_e4m3 for a scaled_latent_cache, of which the first warpgroup makes keys of T
///
/// Checked at compile time: the tiles fit the shared memory, output, scores and weights the registers of a consumer.
template <class Target, class T, class Cache = T>
struct warp_specialized_latent_tile
    : std::conditional_t<std::is_same_v<Cache, T>, detail::copies_pages, detail::makes_tiles_of_pages>
{
    static_assert(sizeof(T) == 2, "tegula: the latent form by wgmma has inputs of 16 bits; take an attention_tile");
    static_assert(std::is_same_v<Cache, T> || std::is_same_v<Cache, float8_e4m3>,
                  "tegula: the cache of the latent form by wgmma has elements of T, or float8_e4m3 with scales");

    using target = Target;
    using element = T;
    static constexpr index_t queries = 64, keys = 64;
    static constexpr index_t head_dim = latent_head_dim, value_dim = latent_value_dim;
    static constexpr int consumers = 2, stages = 2;
    static constexpr int block_threads = 128 * (consumers + 1);
    static constexpr bool makes_keys = !std::is_same_v<Cache, T>;

    static constexpr key_value_place key_values = key_value_place::same;
    using query_loader = loads_at_any_distance;
    using key_loader = loads_at_any_distance;
    using value_loader = loads_at_any_distance;

    using query_operand = wgmma_operand<T, queries, head_dim>;
    using key_operand = wgmma_operand<T, keys, head_dim>;
    /// A consumer's columns of the values, in the memory of the keys.
    using value_operand = wgmma_operand<T, value_dim / consumers, keys, operand_order::row_contiguous>;
    using weight_operand = wgmma_operand<T, queries, keys>;

    /// Columns of a tile of keys that come and go together. Products of weights and values read each of the first two,
    /// one consumer each. Scores are all that the last ones are for.
    template <int Part>
    struct key_part
    {
        static constexpr bool of_values = Part < consumers;
        static constexpr index_t first = Part * value_operand::mn;
        static constexpr index_t columns = of_values ? value_operand::mn : head_dim - value_dim;
        static constexpr index_t first_byte = first * keys * static_cast<index_t>(sizeof(T));
        using operand = wgmma_operand<T, keys, columns>;
        using loads = tensor_operand<operand, 1>;
    };
    static constexpr int key_parts = consumers + 1;

    struct control
    {
        stage_barriers<stages> parts[key_parts];
        arch::nvidia::mbarrier last_keys; ///< the last tile has come, with other sequences' keys behind its own

        /// Called by one lane of the block, before a barrier of it. One consumer's waves release each part of a stage.
        /// One lane fills it, or four waves do.
        TEGULA_INLINE void initialize()
        {
            static_for<key_parts>([&](auto p) { parts[p].initialize(4, makes_keys ? 4 : 1); });
            arch::nvidia::mbarrier_init(&last_keys, 1);
            arch::nvidia::fence_mbarrier_init();
        }
    };

    // In shared memory: queries, stages of keys, weights, numbers of rows that each consumer tells the other, the control.
    static constexpr index_t first_key_byte = query_operand::bytes;
    static constexpr index_t weights_at = first_key_byte + stages * key_operand::bytes;
    static constexpr index_t numbers_at = weights_at + weight_operand::bytes;
    static constexpr index_t number_bytes = 2 * 128 * static_cast<index_t>(sizeof(float)); ///< of a consumer: 2 a lane
    static constexpr index_t control_at = numbers_at + consumers * number_bytes;
    static constexpr index_t shared_bytes = control_at + static_cast<index_t>(sizeof(control));

    /// The part of one consumer, for functions on scores that take a tile.
    struct consumer
    {
        using target = warpgroup<Target>;
        using element = T;
        static constexpr index_t queries = 64;
        static constexpr index_t keys = 64;
        using chain = warpgroup_chain<Target, query_operand, key_operand, value_operand>;
        using softmax = online_softmax<target, typename chain::score_distribution, typename chain::output_mma>;
        /// The weights in shared memory.
        using staged_weights = staged_chunk<target, wgmma_atom<Target, T, T, float, static_cast<int>(keys)>, T, false>;
    };

    /// 32-bit registers of a lane for output, scores and weights.
    static constexpr int held = static_cast<int>(value_operand::mn + keys + keys / 2) / 2;
    static constexpr warpgroup_registers registers =
        makes_keys ? warpgroup_registers{88, 208} : warpgroup_registers{40, 232};

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        return detail::check_warp_specialized_tile<Target, shared_bytes, held, registers.consumer, 32>();
    }
};

} // namespace tegula
