#pragma once

#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// x = f(x, y) with y read through the window, element by element.
TEGULA_CALLS_BACK
template <class T, class Distribution, class Window, class F>
TEGULA_INLINE void combine_with(distributed_tensor<T, Distribution>& x, const Window& window, const F& f)
{
    const auto y = load(window);
    static_for<Distribution::num_registers>([&](auto r) { x[r] = f(x[r], y[r]); });
}

/// What a block does to its scores: scale, the user's functor, bias and mask before the softmax, dropout behind it.
template <class Tile, class Arguments, class Variant>
class score_changes
{
public:
    using target = typename Tile::target;
    using distribution = typename Tile::chain::score_distribution;
    using score_tensor = typename Tile::chain::score_tensor;

    using work = attention_work<Variant::heads>;
    using row_tensor = typename Tile::softmax::rows;

    TEGULA_INLINE score_changes(const Arguments& args, const attention_sequence& sequence, const work& at)
        : args_(args), sequence_(sequence), at_(at)
    {}

    /// What the exponential multiplies scores by, to base 2: the scale, unless apply() has done it.
    TEGULA_INLINE float scale() const { return has_scales || scales_scores() ? log2_of_e : args_.scale * log2_of_e; }

    /// The products of queries and the tile of keys from `key` on, of inputs of 8 bits scaled, become scores.
    TEGULA_INLINE void apply(score_tensor& scores, index_t key) const
    {
        if (!has_scales && scales_scores())
            transform(scores, [&](float x) { return x * args_.scale; });
        if constexpr (has_functor)
            change_by_functor(scores, key);
        if constexpr (Variant::bias == attention_bias::tensor)
            add_bias(scores, key);
        else if constexpr (Variant::bias == attention_bias::alibi)
            add_alibi(scores, key);
        if (needs_mask(key))
            hide(scores, key);
        if constexpr (Variant::mask == attention_mask::boolean)
            hide_by_boolean(scores, key);
    }

    /// The exponentials of scores that are dropped become 0.
    TEGULA_INLINE void drop(score_tensor& weights, index_t key) const
    {
        if constexpr (Variant::dropout) {
            sweep<target>(weights, [&](float& x, const auto& place) {
                const attention_dropout_mask mask{
                    args_.dropout, static_cast<std::uint32_t>(at_.batch * args_.heads + at_.head(place[0]))};
                x = mask.keeps(at_.query(place[0]), key + place[1]) ? x * mask.factor() : 0.0f;
            });
        }
    }

    /// The scores that rows have besides those of keys, to base 2.
    TEGULA_INLINE row_tensor sinks() const
    {
        auto all = make_distributed_tensor<float, typename row_tensor::distribution>(hidden);
        if (args_.sinks != nullptr)
            sweep<target>(all, [&](float& x, const auto& place) { x = args_.sinks[at_.head(place[0])] * log2_of_e; });
        return all;
    }
    static TEGULA_INLINE row_tensor no_sinks()
    {
        return make_distributed_tensor<float, typename row_tensor::distribution>(hidden);
    }

private:
    static constexpr bool has_functor =
        !std::is_same_v<std::remove_const_t<decltype(Arguments::score)>, unchanged_score>;
    static constexpr bool has_scales = sizeof(typename Tile::element) == 1; ///< which input_scales multiplies by
    static constexpr bool changes_scores = has_functor || Variant::bias != attention_bias::none;
    static constexpr float log2_of_e = 1.44269504088896340736f;
    static constexpr float hidden = -__builtin_inff();

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

    /// Keys that the query of a row of the tile sees, counted from key `first`; those of the prefix not counted.
    TEGULA_INLINE key_range seen_by(index_t row, index_t first) const
    {
        key_range range{0, sequence_.keys};
        if constexpr (Variant::mask != attention_mask::none)
            range = sequence_.about_diagonal(at_.query(row));
        return {range.first - first, range.last - first};
    }
    static TEGULA_INLINE bool shows(const key_range& range, index_t prefix, index_t column)
    {
        bool seen = column < range.last;
        if constexpr (Variant::mask != attention_mask::none)
            seen = ((column >= range.first) & seen) | (column < prefix);
        return seen;
    }

    TEGULA_INLINE void hide(score_tensor& scores, index_t key) const
    {
        const index_t prefix = min(sequence_.band.prefix, sequence_.keys);
        if constexpr (requires { Tile::score_mma::in_memory; }) {
            sweep<target>(scores, [&](float& x, const auto& place) {
                x = shows(seen_by(place[0], key), prefix - key, place[1]) ? x : hidden;
            });
        } else { // each row's limits once, then two or three comparisons of a column
            using registers = detail::reduced_registers<distribution, 1>;
            distributed_tensor<key_range, typename row_tensor::distribution> shown; // from the lane's first key on
            const index_t first = key + distribution::origin(partition_index<target, distribution>())[1];
            sweep<target>(shown, [&](key_range& range, const auto& place) { range = seen_by(place[0], first); });
            static_for<distribution::num_elements>([&](auto n) {
                constexpr int from = registers::source_of(n), row = registers::target_of(n);
                constexpr index_t column = distribution::step(n)[1];
                scores[from] = shows(shown[row], prefix - first, column) ? scores[from] : hidden;
            });
        }
    }

    TEGULA_INLINE void change_by_functor(score_tensor& scores, index_t key) const
    {
        sweep<target>(scores, [&](float& x, const auto& in_tile) {
            const attention_place place{at_.batch, at_.head(in_tile[0]), at_.query(in_tile[0]), key + in_tile[1]};
            x = args_.score.visible(place) ? args_.score(x, place) : hidden;
        });
    }

    TEGULA_INLINE void add_alibi(score_tensor& scores, index_t key) const
    {
        const float* const slopes = args_.alibi.slopes + at_.batch * args_.alibi.batch_stride;
        sweep<target>(scores, [&](float& x, const auto& place) {
            const float slope = slopes[at_.head(place[0])];
            const index_t distance = at_.query(place[0]) + sequence_.shift - (key + place[1]);
            x -= slope * static_cast<float>(distance < 0 ? -distance : distance);
        });
    }

    TEGULA_INLINE void add_bias(score_tensor& scores, index_t key) const
    {
        combine_with(scores, window_of(args_.bias, key, "bias"), [](float x, float bias) { return x + bias; });
    }

    TEGULA_INLINE void hide_by_boolean(score_tensor& scores, index_t key) const
    {
        combine_with(scores, window_of(args_.boolean, key, "mask"),
                     [](float x, auto seen) { return seen != 0 ? x : hidden; });
    }

    /// The tile's part of a matrix [queries, keys] that lies in memory.
    template <class Matrix>
    TEGULA_INLINE auto window_of(const Matrix& x, index_t key, const char* name) const
    {
        const auto view =
            at_.template matrix<target>(x.data + at_.batch * x.batch_stride, x.head_stride, x.query_stride,
                                        sequence_.queries, sequence_.keys, x.key_stride, constant<1>{}, name);
        return make_tile_window<distribution>(view, {at_.row, key});
    }

    const Arguments& args_;
    const attention_sequence& sequence_;
    work at_;
};

} // namespace tegula
