#pragma once

#include <tegula/block/score_rows.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// One sequence of the batch: its lengths, where its rows start, and which keys its band shows.
struct attention_sequence
{
    index_t queries = 0;
    index_t keys = 0;
    index_t first_query = 0; ///< row of Q, O and lse, from the start of their batch entry
    index_t first_key = 0;   ///< row of K and V
    /// Batch entry of the tensors: if offsets are given all sequences lie in entry 0.
    long_index_t query_batch = 0;
    long_index_t key_batch = 0;

    attention_band band = {};
    index_t shift = 0; ///< the diagonal key of query i is i + shift

    template <class Arguments>
    static constexpr TEGULA_INLINE attention_sequence at(const Arguments& args, index_t batch)
    {
        const attention_lengths& lengths = args.lengths;
        attention_sequence s{args.seq_q, args.seq_k, 0, 0, batch, batch, args.band, 0};
        if (lengths.query_offsets != nullptr) {
            s.first_query = lengths.query_offsets[batch];
            s.queries = lengths.query_offsets[batch + 1] - s.first_query;
            s.query_batch = 0;
        }
        if (lengths.key_offsets != nullptr) {
            s.first_key = lengths.key_offsets[batch];
            s.keys = lengths.key_offsets[batch + 1] - s.first_key;
            s.key_batch = 0;
        }
        if (lengths.key_lengths != nullptr)
            s.keys = lengths.key_lengths[batch];
        s.place_band(args, batch);
        return s;
    }
    /// The sequence if all sequences have the tensors' lengths; it reads no lengths.
    template <class Arguments>
    static constexpr TEGULA_INLINE attention_sequence of_one_length(const Arguments& args, index_t batch)
    {
        attention_sequence s{args.seq_q, args.seq_k, 0, 0, batch, batch, args.band, 0};
        s.place_band(args, batch);
        return s;
    }

    /// The sequence for a kernel of these lengths.
    template <attention_sequences Sequences, class Arguments>
    static constexpr TEGULA_INLINE attention_sequence of(const Arguments& args, index_t batch)
    {
        if constexpr (Sequences == attention_sequences::of_any_length)
            return at(args, batch);
        else
            return of_one_length(args, batch);
    }

    /// The value of `shift` for bands about that diagonal.
    constexpr TEGULA_INLINE index_t shift_of(attention_diagonal diagonal) const
    {
        return diagonal == attention_diagonal::bottom_right ? keys - queries : 0;
    }

    /// The band's keys of a query, without the prefix. May be empty or lie outside [0, keys).
    constexpr TEGULA_INLINE key_range about_diagonal(index_t query) const
    {
        const long_index_t diagonal = static_cast<long_index_t>(query) + shift;
        const long_index_t first = band.left < 0 ? 0 : diagonal - band.left;
        const long_index_t last = band.right < 0 ? keys : diagonal + band.right + 1;
        return {static_cast<index_t>(max(first, long_index_t{0})),
                static_cast<index_t>(min(max(last, long_index_t{0}), static_cast<long_index_t>(keys)))};
    }

    /// Whether the band shows the key to the query.
    constexpr TEGULA_INLINE bool visible(index_t query, index_t key) const
    {
        const key_range r = about_diagonal(query);
        return key < keys && ((key >= r.first && key < r.last) || key < band.prefix);
    }

    /// Whether the band shows all keys [first_key, last_key) to all queries [first_query, last_query).
    constexpr TEGULA_INLINE bool all_visible(index_t first_query, index_t last_query, index_t first_key,
                                             index_t last_key) const
    {
        const key_range low = about_diagonal(first_query), high = about_diagonal(last_query - 1);
        return last_key <= keys && (last_key <= band.prefix || (first_key >= high.first && last_key <= low.last));
    }

    /// The least range with all queries to which the band shows one of the keys [first, last); empty if last <= first.
    constexpr TEGULA_INLINE key_range queries_of(index_t first, index_t last) const
    {
        if (last <= first)
            return {};
        if (first < band.prefix)
            return {0, queries};
        const long_index_t low = band.right < 0 ? 0 : static_cast<long_index_t>(first) - shift - band.right;
        const long_index_t high = band.left < 0 ? queries : static_cast<long_index_t>(last) - shift + band.left;
        const index_t begin = static_cast<index_t>(min(max(low, long_index_t{0}), static_cast<long_index_t>(queries)));
        return {begin, static_cast<index_t>(min(max(high, long_index_t{begin}), static_cast<long_index_t>(queries)))};
    }

    /// The least range with all keys that the band shows to the queries [first, last): the keys that a block has to
    /// read. With a window and a prefix, keys between them are read needlessly.
    constexpr TEGULA_INLINE key_range keys_of(index_t first, index_t last) const
    {
        const index_t prefix = min(max(band.prefix, 0), keys);
        const index_t low = about_diagonal(first).first, high = about_diagonal(last - 1).last;
        if (prefix > 0)
            return {0, max(prefix, high)};
        return {min(low, high), high};
    }

private:
    template <class Arguments>
    constexpr TEGULA_INLINE void place_band(const Arguments& args, index_t batch)
    {
        if (args.band.prefix_lengths != nullptr)
            band.prefix = args.band.prefix_lengths[batch];
        shift = shift_of(args.band.diagonal);
    }
};

} // namespace tegula
