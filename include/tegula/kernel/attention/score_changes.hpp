#pragma once

#include <tegula/block/score_rows.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// The changes that a block makes to its scores: scale, the user's functor, bias and mask before the softmax, dropout
/// after it.
template <class Tile, class Arguments, class Variant>
class score_changes
{
public:
    using target = typename Tile::target;
    using distribution = typename Tile::chain::score_distribution;
    using score_tensor = typename Tile::chain::score_tensor;

    using work = attention_work<Variant::heads>;
    using row_tensor = typename Tile::softmax::rows;

    using functor = std::remove_const_t<decltype(Arguments::score)>;
    static constexpr bool has_functor = !std::is_same_v<functor, unchanged_score>;
    /// Whether more is done to scores than to scale and to hide them.
    static constexpr bool changes_scores = has_functor || Variant::bias != attention_bias::none;

    TEGULA_INLINE score_changes(const Arguments& args, const attention_sequence& sequence, const work& at)
        : score_changes(args, sequence, at, args.score)
    {}
    /// The changes with a functor that is not that of `args`: see round_arguments.
    TEGULA_INLINE score_changes(const Arguments& args, const attention_sequence& sequence, const work& at,
                                const functor& score)
        : args_(args), sequence_(sequence), at_(at), score_(score)
    {}

    /// The factor of the scores in the softmax: the scale, unless apply() has multiplied by it.
    TEGULA_INLINE float scale() const { return has_scales || scales_scores() ? 1.0f : args_.scale; }

    /// Turns the products with the tile of keys from `key` on into scores. Those of 8-bit inputs are scaled already.
    TEGULA_INLINE void apply(score_tensor& scores, index_t key) const
    {
        part();
        if (!has_scales && !scales_with_bias && scales_scores())
            transform(scores, [&](float x) { return rounded_product(x, args_.scale); });
        if constexpr (has_functor)
            change_by_functor(scores, key);
        if constexpr (Variant::bias == attention_bias::tensor)
            add_bias(scores, key);
        else if constexpr (Variant::bias == attention_bias::alibi)
            add_alibi(scores, key);
        part();
        index_t from = key;
        // The places of a key in matrices in memory are not held for the band.
        if constexpr (Variant::mask == attention_mask::boolean || Variant::bias == attention_bias::tensor)
            detail::make_scalars_opaque<target>(from);
        if (needs_mask(from))
            hide(scores, from);
        part();
        if constexpr (Variant::mask == attention_mask::boolean)
            hide_by_boolean(scores, key);
        part();
    }

    /// Sets the exponentials of dropped scores to 0 and scales the others.
    TEGULA_INLINE void drop(score_tensor& weights, index_t key) const
    {
        if constexpr (Variant::dropout) {
            part();
            // Keys of the generator's rounds, and what else depends on the arguments alone, are not held across the loop.
            attention_dropout dropout = args_.dropout;
            auto seed = static_cast<long_index_t>(dropout.seed);
            auto offset = static_cast<index_t>(dropout.offset), threshold = static_cast<index_t>(dropout.threshold);
            index_t first_head = static_cast<index_t>(at_.batch) * args_.heads;
            detail::make_scalars_opaque<target>(seed, offset, threshold, first_head);
            if constexpr (target::vendor == vendor::nvidia) {
                seed = static_cast<long_index_t>(detail::seed_of_this_round<target>(static_cast<std::uint64_t>(seed)));
                target::make_opaque(offset);
                target::make_opaque(threshold);
                target::make_opaque(first_head);
            }
            dropout = {static_cast<std::uint32_t>(threshold), static_cast<std::uint32_t>(offset),
                       static_cast<std::uint64_t>(seed)};
            sweep<target>(weights, [&](float& x, const auto& place) {
                const attention_dropout_mask mask{dropout, static_cast<std::uint32_t>(first_head + at_.head(place[0]))};
                x = mask.keeps(at_.query(place[0]), key + place[1]) ? x * mask.factor() : 0.0f;
            });
            part();
        }
    }

    /// The scores of the sinks, by rows.
    TEGULA_INLINE row_tensor sinks() const
    {
        auto all = make_distributed_tensor<float, typename row_tensor::distribution>(hidden);
        if (args_.sinks != nullptr)
            sweep<target>(all, [&](float& x, const auto& place) {
                const float* const sink = args_.sinks + at_.head(place[0]);
                x = internal::read_scalar<target>(sink);
            });
        return all;
    }
    static TEGULA_INLINE row_tensor no_sinks()
    {
        return make_distributed_tensor<float, typename row_tensor::distribution>(hidden);
    }

private:
    static constexpr bool has_scales = sizeof(typename Tile::element) == 1; ///< input_scales multiplies by them
    static constexpr float hidden = -__builtin_inff();
    /// Whether scale and bias are one multiply-add, as in the backward pass.
    static constexpr bool scales_with_bias = !has_scales && !has_functor && Variant::bias == attention_bias::tensor;

    /// Separates one change from the next if several read memory, on NVIDIA: ptxas would begin all of them at once, and
    /// spill.
    static TEGULA_INLINE void part()
    {
        if constexpr (target::vendor == vendor::nvidia && changes_scores && Variant::mask == attention_mask::boolean)
            target::wave_barrier();
    }

    /// The softmax takes positive scales.
    TEGULA_INLINE bool scales_scores() const { return changes_scores || args_.scale <= 0; }

    /// Whether the tile has a key that one of the queries does not see.
    TEGULA_INLINE bool needs_mask(index_t key) const
    {
        if (key + Tile::keys > sequence_.keys)
            return true;
        if constexpr (Variant::mask == attention_mask::none) {
            return false;
        } else {
            const index_t first = sequence_.about_diagonal(at_.query(Tile::queries - 1)).first;
            const index_t last = sequence_.about_diagonal(at_.query(0)).last;
            return (key < first || key + Tile::keys > last) && key + Tile::keys > sequence_.band.prefix;
        }
    }

    /// Keys that the query of a row of the tile sees, without those of the prefix.
    TEGULA_INLINE key_range seen_by(index_t row) const
    {
        if constexpr (Variant::mask != attention_mask::none)
            return sequence_.about_diagonal(at_.query(row));
        else
            return {0, sequence_.keys};
    }

    static constexpr bool in_memory = Tile::chain::in_memory; ///< the scores, on a CPU

    TEGULA_INLINE void hide(score_tensor& scores, index_t key) const
    {
        const index_t prefix = min(sequence_.band.prefix, sequence_.keys);
        constexpr auto which =
            Variant::mask == attention_mask::none ? hidden_keys::past_the_last : hidden_keys::outside;
        if constexpr (in_memory) {
            sweep<target>(scores, [&](float& x, const auto& place) {
                x = shows<which>(seen_by(place[0]), prefix, key + place[1]) ? x : hidden;
            });
        } else {
            hide_keys<target, which>(scores, key, [&](index_t row) { return seen_by(row); }, prefix);
        }
    }

    TEGULA_INLINE void change_by_functor(score_tensor& scores, index_t key) const
    {
        sweep<target>(scores, [&](float& x, const auto& in_tile) {
            const auto place =
                detail::place_for<functor>({at_.batch, at_.head(in_tile[0]), at_.query(in_tile[0]), key + in_tile[1]},
                                           sequence_.queries, sequence_.keys);
            x = detail::is_shown(score_, place) ? score_(x, place) : hidden;
        });
    }

    TEGULA_INLINE void add_alibi(score_tensor& scores, index_t key) const
    {
        const float* const slopes = args_.alibi.slopes + at_.batch * args_.alibi.batch_stride;
        const auto subtract = [](float& x, float slope, index_t distance) {
            x = multiply_add(-slope, static_cast<float>(distance < 0 ? -distance : distance), x);
        };
        if constexpr (in_memory) {
            sweep<target>(scores, [&](float& x, const auto& place) {
                subtract(x, slopes[at_.head(place[0])], at_.query(place[0]) + sequence_.shift - (key + place[1]));
            });
        } else {
            struct row
            {
                float slope;
                index_t distance; ///< that of the lane's first column
            };
            const index_t first = key + first_column<target, distribution>();
            sweep_rows<target>(
                scores,
                [&](const auto& place) {
                    row x{internal::read_scalar<target>(slopes + at_.head(place[0])),
                          at_.query(place[0]) + sequence_.shift - first};
                    target::make_opaque(x.distance);
                    return x;
                },
                [&](float& x, const row& of, auto column, auto) { subtract(x, of.slope, of.distance - column); });
        }
    }

    TEGULA_INLINE void add_bias(score_tensor& scores, index_t key) const
    {
        combine_with_matrix(scores, args_.bias, key, "bias", [&](float x, float bias) {
            return scales_with_bias ? multiply_add(x, args_.scale, bias) : x + bias;
        });
    }

    TEGULA_INLINE void hide_by_boolean(score_tensor& scores, index_t key) const
    {
        combine_with_matrix(scores, args_.boolean, key, "mask",
                            [](float x, auto seen) { return seen != 0 ? x : hidden; });
    }

    /// scores = f(scores, y) with the tile's part of a matrix [queries, keys] that lies in memory, element by element.
    TEGULA_CALLS_BACK
    template <class Matrix, class F>
    TEGULA_INLINE void combine_with_matrix(score_tensor& scores, const Matrix& x, index_t key,
                                           [[maybe_unused]] const char* name, const F& f) const
    {
        auto* const data = x.data + at_.batch * x.batch_stride;
        if constexpr (in_memory) {
            const auto view = at_.template matrix<target>(data, x.head_stride, x.query_stride, sequence_.queries,
                                                          sequence_.keys, x.key_stride, constant<1>{}, name);
            combine_with(scores, make_tile_window<distribution>(view, {at_.row, key}), f);
        } else { // places past the last query or key, which are hidden, read those before them
            const index_t first = key + first_column<target, distribution>();
            index_t last = sequence_.keys - 1 - first;
            detail::make_scalars_opaque<target>(last); // comparisons with it are not held from one matrix to the next
            auto last_row = static_cast<index_t>(work::rows(args_, sequence_.queries) - 1 - at_.row);
            detail::make_scalars_opaque<target>(last_row);
            long_index_t column_stride = x.key_stride;
            target::make_opaque(column_stride); // its multiples are not held across the loop
            sweep_rows<target>(
                scores,
                [&](const auto& place) {
                    const index_t row = min(place[0], last_row);
#if !TEGULA_DEVICE_PASS
                    if (target::labels_enabled()) { // the label names the first of the row's elements
                        const index_t element[] = {at_.row + row, first};
                        target::set_element(name, element, 2, data);
                    }
#endif
                    return data + at_.head(row) * x.head_stride + at_.query(row) * x.query_stride +
                           (first + min(last, 0)) * column_stride;
                },
                [&](float& score, auto& from, auto column, auto before) {
                    static_assert(column >= before, "tegula: the elements of a row come in the order of their columns");
                    if constexpr (column > before)
                        from += column <= last ? (column - before) * column_stride : 0;
                    score = f(score, internal::read_scalar<target>(from));
                });
        }
    }

    const Arguments& args_;
    const attention_sequence& sequence_;
    work at_;
    const functor& score_;
};

} // namespace tegula
