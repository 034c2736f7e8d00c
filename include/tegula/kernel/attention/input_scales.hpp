#pragma once

#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

/// What inputs of 16 bits are multiplied by: nothing. See the other for what the functions do.
template <class Tile, class Arguments, class Work, bool Scaled = sizeof(typename Tile::element) == 1>
struct input_scales
{
    using score_tensor = typename Tile::chain::score_tensor;
    using accumulators = typename Tile::softmax::accumulators;

    TEGULA_INLINE input_scales(const Arguments&, const Work&) {}
    TEGULA_INLINE void begin_round(const Arguments&, const Work&) {}
    TEGULA_INLINE void multiply(score_tensor&, index_t) const {}
    TEGULA_INLINE void enter(index_t, score_tensor&, accumulators&) {}
    TEGULA_INLINE void leave(accumulators&) const {}
};

/// The scales of inputs of 8 bits: of Q by rows, of K and V by tiles of keys, for which blocks of a scale are multiples
/// of a tile's keys. The output is kept in units of the scale of V that came last.
template <class Tile, class Arguments, class Work>
class input_scales<Tile, Arguments, Work, true>
{
public:
    using target = typename Tile::target;
    using score_tensor = typename Tile::chain::score_tensor;
    using accumulators = typename Tile::softmax::accumulators;
    using row_tensor = typename Tile::softmax::rows;

    TEGULA_INLINE input_scales(const Arguments& args, const Work& at)
        : kv_head_(at.head(0) / (args.heads / args.kv_heads)), keys_(args.k_scale, at.batch, kv_head_),
          values_(args.v_scale, at.batch, kv_head_),
          rows_(make_distributed_tensor<float, typename row_tensor::distribution>(args.scale))
    {
        if (args.q_scale.data != nullptr)
            sweep<target>(rows_, [&](float& x, const auto& place) {
                const index_t query = min(at.query(place[0]), args.seq_q - 1);
                x *= of_head(args.q_scale, at.batch, at.head(place[0])).at(query);
            });
    }

    TEGULA_INLINE void begin_round(const Arguments& args, const Work& at)
    {
        keys_ = {args.k_scale, at.batch, kv_head_};
        values_ = {args.v_scale, at.batch, kv_head_};
    }

    /// Scores of the tile of keys from `key` on: products by the scales of Q and K and that of the arguments.
    TEGULA_INLINE void multiply(score_tensor& scores, index_t key) const
    {
        const float of_keys = keys_.at(key);
        transform_with_reduced<1>(scores, rows_, [&](float x, float of_row) { return x * (of_row * of_keys); });
    }

    /// Before the product of weights and the values from `key` on is added: the output gets their unit. A scale of 0
    /// makes no unit: it takes the weights away.
    TEGULA_INLINE void enter(index_t key, score_tensor& weights, accumulators& output)
    {
        const float scale = values_.at(key);
        if (scale == 0) {
            transform(weights, [](float) { return 0.0f; });
        } else if (scale != unit_) {
            rescale(output, unit_ / scale);
            unit_ = scale;
        }
    }
    /// Ends the units.
    TEGULA_INLINE void leave(accumulators& output) const { rescale(output, unit_); }

private:
    /// The scales of a head.
    struct of_head
    {
        const float* data;
        long_index_t block_stride;
        index_t block_rows;

        TEGULA_INLINE of_head(const attention_scale& s, index_t batch, index_t head)
            : data(s.data == nullptr ? nullptr : s.data + batch * s.batch_stride + head * s.head_stride),
              block_stride(s.block_stride), block_rows(s.block_rows)
        {}
        TEGULA_INLINE float at(index_t row) const
        {
            if (data == nullptr)
                return 1.0f;
            const float* const from = data + (block_rows == 0 ? 0 : row / block_rows * block_stride);
            return internal::read_vector<target, address_space::global, 1>(from, true)[0];
        }
    };
    static TEGULA_INLINE void rescale(accumulators& output, float by)
    {
        Tile::softmax::rescale(output, make_distributed_tensor<float, typename row_tensor::distribution>(by));
    }

    index_t kv_head_;
    of_head keys_, values_;
    row_tensor rows_; ///< scale of Q and of the arguments, by rows
    float unit_ = 1;  ///< of the output
};

} // namespace tegula
