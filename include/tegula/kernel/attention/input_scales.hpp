#pragma once

#include <tegula/core/rounding.hpp>
#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

/// No scales, for inputs of 16 bits. The specialisation for 8 bits documents the functions.
template <class Tile, class Arguments, class Work, bool Scaled = sizeof(typename Tile::element) == 1>
struct input_scales
{
    using score_tensor = typename Tile::chain::score_tensor;
    using accumulators = typename Tile::softmax::accumulators;

    TEGULA_INLINE input_scales(const Arguments&, const Work&) {}
    TEGULA_INLINE void begin_round(const Arguments&) {}
    TEGULA_INLINE void multiply(score_tensor&, index_t) const {}
    TEGULA_INLINE float of_all_scores() const { return 0; }
    TEGULA_INLINE float of_values(index_t) const { return 1; }
    template <class Weights>
    TEGULA_INLINE void set_value_scale(index_t, Weights&, accumulators&)
    {}
    TEGULA_INLINE void finish(accumulators&) const {}
};

/// The scales of 8-bit inputs: Q's by rows, K's and V's by tiles of keys. The blocks of the latter are therefore
/// multiples of a tile's keys. The output is kept in units of the last scale of V.
template <class Tile, class Arguments, class Work>
class input_scales<Tile, Arguments, Work, true>
{
public:
    using target = typename Tile::target;
    using score_tensor = typename Tile::chain::score_tensor;
    using accumulators = typename Tile::softmax::accumulators;
    using row_tensor = typename Tile::softmax::rows;

    TEGULA_INLINE input_scales(const Arguments& args, const Work& at)
        : args_(&args), batch_(at.batch), kv_head_(at.head(0) / (args.heads / args.kv_heads)),
          rows_(make_distributed_tensor<float, typename row_tensor::distribution>(args.scale))
    {
        if (args.q_scale.data != nullptr)
            sweep<target>(rows_, [&](float& x, const auto& place) {
                const index_t query = min(at.query(place[0]), args.seq_q - 1);
                x *= number(args.q_scale, at.head(place[0]), query);
            });
    }
    /// The arguments as this round reads them (round_arguments).
    TEGULA_INLINE void begin_round(const Arguments& args) { args_ = &args; }

    /// The factor of multiply(), if it is one number above 0 for all products; otherwise 0. Precondition: heads are apart.
    TEGULA_INLINE float of_all_scores() const
    {
        const float all = rows_[0] * number(args_->k_scale, kv_head_, 0);
        return args_->q_scale.block_rows == 0 && args_->k_scale.block_rows == 0 && all > 0 ? all : 0.0f;
    }
    /// Multiplies products with the tile of keys from `key` on by the scales of Q and K and that of the arguments.
    TEGULA_INLINE void multiply(score_tensor& scores, index_t key) const
    {
        const float of_keys = number(args_->k_scale, kv_head_, key);
        transform_with_reduced<1>(scores, rows_,
                                  [&](float x, float of_row) { return rounded_product(x, of_row * of_keys); });
    }

    /// The scale of the values from `key` on.
    TEGULA_INLINE float of_values(index_t key) const { return number(args_->v_scale, kv_head_, key); }

    /// Rescales the output to the unit of the values from `key` on, before their product with the weights is added. A scale
    /// of 0 is no unit: it clears the weights.
    template <class Weights>
    TEGULA_INLINE void set_value_scale(index_t key, Weights& weights, accumulators& output)
    {
        const float scale = of_values(key);
        // By a mask of whole words: for a branch LLVM would copy each number.
        const std::uint32_t kept = scale == 0 ? 0 : ~std::uint32_t{0};
        auto words = __builtin_bit_cast(array<std::uint32_t, Weights::num_registers / 4>, weights.registers);
        static_for<words.size()>([&](auto w) { words[w] &= kept; });
        weights.registers = __builtin_bit_cast(decltype(weights.registers), words);
        if (scale != 0 && scale != unit_) {
            rescale(output, unit_ / scale);
            unit_ = scale;
        }
    }
    /// Multiplies the output by the scale that is its unit.
    TEGULA_INLINE void finish(accumulators& output) const { rescale(output, unit_); }

private:
    TEGULA_INLINE float number(const attention_scale& s, index_t head, index_t row) const
    {
        if (s.data == nullptr)
            return 1.0f;
        const index_t block = s.block_rows == 0 ? 0 : row / s.block_rows;
        const float* const from = s.data + batch_ * s.batch_stride + head * s.head_stride + block * s.block_stride;
        // To wait for a vector load is to wait for the loads of tiles of keys and values, too.
        if constexpr (requires { target::load_constant(from); })
            return target::load_constant(from);
        else
            return internal::read_scalar<target>(from);
    }
    static TEGULA_INLINE void rescale(accumulators& output, float by)
    {
        Tile::softmax::rescale(output, make_distributed_tensor<float, typename row_tensor::distribution>(by));
    }

    const Arguments* args_;
    index_t batch_, kv_head_;
    row_tensor rows_; ///< scale of Q and of the arguments, by rows
    float unit_ = 1;  ///< unit of the output
};

} // namespace tegula
