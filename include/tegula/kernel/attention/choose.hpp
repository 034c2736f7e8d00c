#pragma once

#include <tegula/kernel/attention/latent_cache.hpp>
#include <tegula/kernel/attention/split/choose.hpp>
#include <tegula/kernel/attention/tile_table.hpp>

namespace tegula {

/// The properties of an attention on which the choice of its kernel depends.
struct attention_problem
{
    int element_bytes = 2; ///< bytes of an element of Q, K and V
    long_index_t batch = 1;
    index_t heads = 0, kv_heads = 0;
    index_t seq_q = 0, seq_k = 0; ///< those of the longest sequence
    index_t head_dim = 0, value_dim = 0;
    attention_changes changes = {};
    attention_cache cache = attention_cache::contiguous;
    index_t page_length = 0;     ///< if the cache is paged
    attention_band band = {};    ///< read by every mask but `none`
    bool lengths_vary = false;   ///< offsets or lengths of sequences are given
    bool rows_can_pack = true;   ///< Q's strides of rows and heads are not negative
    bool tensor_copies = true;   ///< strides are above 0, and the numbers of rows or pages too, as tensor copies need
    bool values_in_keys = false; ///< V is the first columns of K
    bool scaled_cache = false;   ///< keys and values are a scaled_latent_cache
    index_t scale_rows = 0;      ///< of 8 bits: a number of keys of which blocks with scales of their own are multiples
};

/// The problem of arguments for kernels of the variant.
template <class Variant, class T, class O, class Score>
constexpr attention_problem problem_of(const attention_arguments<T, O, Score>& a)
{
    attention_problem p;
    if constexpr (!std::is_void_v<T>)
        p.element_bytes = static_cast<int>(sizeof(T));
    p.batch = a.batch;
    p.heads = a.heads;
    p.kv_heads = a.kv_heads;
    p.seq_q = a.seq_q;
    p.seq_k = a.seq_k;
    p.head_dim = a.head_dim;
    p.value_dim = a.value_dim;
    p.changes = changes_of<Variant, Score>();
    p.cache = Variant::cache;
    p.page_length = a.pages.page_length;
    p.band = a.band;
    p.lengths_vary =
        a.lengths.query_offsets != nullptr || a.lengths.key_offsets != nullptr || a.lengths.key_lengths != nullptr;
    p.rows_can_pack = a.q.row_stride >= 0 && a.q.head_stride >= 0;
    const auto rise = [](const auto& x, long_index_t entries, index_t heads, index_t rows) {
        return (entries <= 1 || x.batch_stride > 0) && (heads <= 1 || x.head_stride > 0) &&
               (rows <= 1 || x.row_stride > 0);
    };
    const long_index_t entries = Variant::in_pages ? a.pages.pages : a.batch;
    const index_t rows = Variant::in_pages ? a.pages.page_length : a.seq_k;
    if (p.element_bytes == 1)
        for (const attention_scale* s : {&a.k_scale, &a.v_scale})
            p.scale_rows = s->data != nullptr ? gcd(p.scale_rows, s->block_rows) : p.scale_rows;
    const attention_lengths& l = a.lengths;
    p.tensor_copies = rise(a.q, a.batch, a.heads, a.seq_q) && rise(a.k, entries, a.kv_heads, rows) &&
                      rise(a.v, entries, a.kv_heads, rows) && entries > 0 &&
                      (l.query_offsets == nullptr || l.query_rows > 0) && (l.key_offsets == nullptr || l.key_rows > 0);
    p.values_in_keys = values_are_keys(a);
    return p;
}

/// The kernels that a caller has compiled.
struct attention_forms
{
    bool multistage = true;
    bool warp_specialized = true;
    bool any_length = true; ///< warp-specialised kernels of attention_sequences::of_any_length
    bool paged = true;      ///< warp-specialised kernels of any length and of attention_cache::paged
    bool few_queries = true;
    bool latent = true;
    bool warp_specialized_latent = true;
    bool scaled_latent = true; ///< warp_specialized_latent of a scaled_latent_cache
};

/// The result of choose_attention.
struct attention_choice
{
    attention_form form = attention_form::multistage;
    attention_tile_size tile = {}; ///< 0 queries: nothing suits
    index_t splits = 1;            ///< shares of the keys, of few_queries and warp_specialized_latent

    constexpr explicit operator bool() const { return tile.queries > 0; }
};

/// The kernel for a problem, out of those that the caller has:
///
///   few_queries       if the queries of the heads that share keys are at most 64, and packing heads or splitting keys helps;
///                     not with block lists
///   warp_specialized_latent
///                     past 256 columns on sm_90a, if V is the first columns of K and nothing but a band changes scores.
///                     Strides must be above 0, for tensor copies; pages have a multiple of 16 keys. No other kernel
///                     takes a scaled_latent_cache, which may have any strides, and pages of a multiple of 64 keys
///   latent            past 256 columns, which no other tile has room for
///   warp_specialized  on sm_90a, sm_100a and sm_103a: more than twice the rate of mma.sync there. If lengths vary, a kernel of
///                     attention_sequences::of_any_length; if the cache is paged, one of attention_cache::paged, for pages
///                     of a multiple of 16 keys. Tensor copies need strides above 0, and no lists. Inputs have 16 bits, on
///                     sm_90a also 8: the tile is one of which blocks with scales of their own are multiples
///   multistage        otherwise
///
/// Tiles are those of tile_table.hpp.
constexpr attention_choice choose_attention(const attention_problem& p, const chip_info& chip,
                                            const attention_forms& have = {})
{
    const auto tile_of = [&](attention_form form) {
        return find_attention_tile(chip, form, p.element_bytes, p.head_dim, p.value_dim, p.changes, p.scale_rows);
    };
    const bool is_latent = max(p.head_dim, p.value_dim) > 256;
    const index_t group = p.kv_heads > 0 ? p.heads / p.kv_heads : 1;

    // Shares of the keys for tiles that have queries of all heads of a group.
    const auto splits_of = [&](const attention_tile_size& tile) {
        const index_t keys = visited_keys(p.band, p.changes.mask, p.seq_k, tile.queries);
        const long_index_t tiles = p.batch * p.kv_heads * ceil_div(long_index_t{p.seq_q} * group, tile.queries);
        const bool same = tile.key_values == key_value_place::same;
        const index_t pair = tile.keys * (p.head_dim + (same ? 0 : p.value_dim)) * p.element_bytes;
        const index_t read = p.scaled_cache ? tile.keys * scaled_latent_cache<half>::record_bytes : pair;
        const index_t pairs = same || tile.key_values == key_value_place::two_stages ? 2 : 1;
        return choose_attention_splits(
            {tiles, ceil_div(keys, tile.keys), read, tile.queries * (p.value_dim + 2) * index_t{sizeof(float)},
             resident_blocks_of_few(chip, pairs * pair + tile.queries * p.head_dim * p.element_bytes)},
            chip);
    };

    if (const attention_tile_size tile = tile_of(attention_form::warp_specialized_latent);
        is_latent && tile.queries > 0 && p.rows_can_pack &&
        (p.scaled_cache ? have.scaled_latent && p.head_dim == latent_head_dim
                        : have.warp_specialized_latent && p.values_in_keys && p.tensor_copies) &&
        (p.cache == attention_cache::contiguous ||
         (p.cache == attention_cache::paged &&
          p.page_length % (p.scaled_cache ? tile.keys : tensor_copy_page_keys) == 0)))
        return {attention_form::warp_specialized_latent, tile, splits_of(tile)};
    if (p.scaled_cache)
        return {};
    if (const attention_tile_size few = tile_of(attention_form::few_queries);
        have.few_queries && few.queries > 0 && p.changes.mask != attention_mask::lists && p.rows_can_pack &&
        long_index_t{p.seq_q} * group <= 64) {
        const index_t splits = splits_of(few);
        if (splits > 1 || group > 1)
            return {attention_form::few_queries, few, splits};
    }
    if (is_latent)
        return have.latent ? attention_choice{attention_form::latent, tile_of(attention_form::latent)}
                           : attention_choice{};
    if (const attention_tile_size tile = tile_of(attention_form::warp_specialized);
        have.warp_specialized && tile.queries > 0 && p.tensor_copies && p.seq_k > 0 &&
        (p.cache == attention_cache::contiguous
             ? have.any_length || !p.lengths_vary
             : have.paged && p.cache == attention_cache::paged && p.page_length % tensor_copy_page_keys == 0))
        return {attention_form::warp_specialized, tile};
    return have.multistage ? attention_choice{attention_form::multistage, tile_of(attention_form::multistage)}
                           : attention_choice{};
}

} // namespace tegula
