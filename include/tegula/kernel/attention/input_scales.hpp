#pragma once

#include <tegula/arch/reload_arguments.hpp>
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
    TEGULA_INLINE void load_ahead(index_t, bool) {}
    TEGULA_INLINE void multiply(score_tensor&, index_t) const {}
    TEGULA_INLINE float of_all_scores() const { return 0; }
    TEGULA_INLINE float of_values(index_t) const { return 1; }
    TEGULA_INLINE void set_value_scale(index_t, accumulators&) {}
    template <class Weights>
    TEGULA_INLINE void clear(Weights&) const
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
        : args_(args), batch_(at.batch), kv_head_(at.head(0) / (args.heads / args.kv_heads)),
          rows_(make_distributed_tensor<float, typename row_tensor::distribution>(args.scale))
    {
        if (args.q_scale.data != nullptr)
            sweep<target>(rows_, [&](float& x, const auto& place) {
                const index_t query = min(at.query(place[0]), args.seq_q - 1);
                x *= number(args.q_scale, at.head(place[0]), query);
            });
    }
    /// Starts to load the scales of the tile of keys from `key` on, if it has any, while the tile before is worked on. On AMD a
    /// round would wait for them. Tiles come in the order of keys: most have the scales of the tile before. Precondition on AMD:
    /// that of round_arguments.
    TEGULA_INLINE void load_ahead([[maybe_unused]] index_t key, [[maybe_unused]] bool inside)
    {
        if constexpr (holds) {
            const auto at = static_cast<std::uint32_t>(key);
            if (inside && (at >= keys_.past || at >= values_.past)) {
                // Scalar registers do not hold what is used where scales change alone.
                const Arguments& args = internal::reload_arguments(args_);
                load(keys_, args.k_scale, key);
                load(values_, args.v_scale, key);
            }
        }
    }

    /// The factor of multiply(), if it is one number above 0 for all products; otherwise 0. Precondition: heads are apart.
    TEGULA_INLINE float of_all_scores() const
    {
        const float all = rows_[0] * number(args_.k_scale, kv_head_, 0);
        return args_.q_scale.block_rows == 0 && args_.k_scale.block_rows == 0 && all > 0 ? all : 0.0f;
    }
    /// Multiplies products with the tile of keys from `key` on, on AMD that of load_ahead(), by the scales of Q and K and that of
    /// the arguments.
    TEGULA_INLINE void multiply(score_tensor& scores, index_t key) const
    {
        const float of_keys = holds ? keys_.number : number(args_.k_scale, kv_head_, key);
        transform_with_reduced<1>(scores, rows_,
                                  [&](float x, float of_row) { return rounded_product(x, of_row * of_keys); });
    }

    /// The scale of the values from `key` on.
    TEGULA_INLINE float of_values(index_t key) const
    {
        if constexpr (holds)
            return __builtin_bit_cast(float, target::uniform(__builtin_bit_cast(int, values_.number)));
        else
            return number(args_.v_scale, kv_head_, key);
    }

    /// Rescales the output to the unit of the values from `key` on, before their product with the weights is added. A scale
    /// of 0 is no unit: clear() then clears the weights.
    TEGULA_INLINE void set_value_scale(index_t key, accumulators& output)
    {
        const float scale = of_values(key);
        // By a mask of whole words: for a branch LLVM would copy each number.
        kept_ = scale == 0 ? 0 : ~std::uint32_t{0};
        if (scale != 0 && scale != unit_) {
            rescale(output, unit_ / scale);
            unit_ = scale;
        }
    }
    template <class Weights>
    TEGULA_INLINE void clear(Weights& weights) const
    {
        auto words = __builtin_bit_cast(array<std::uint32_t, Weights::num_registers / 4>, weights.registers);
        static_for<words.size()>([&](auto w) { words[w] &= kept_; });
        weights.registers = __builtin_bit_cast(decltype(weights.registers), words);
    }
    /// Multiplies the output by the scale that is its unit.
    TEGULA_INLINE void finish(accumulators& output) const { rescale(output, unit_); }

private:
    /// Whether the scales of a tile of keys are held.
    static constexpr bool holds = target::vendor == vendor::amd;
    /// A scale of keys or of values.
    struct held_scale
    {
        float number = 1;
        std::uint32_t past = 0; ///< first key past those that have it
    };

    static TEGULA_INLINE index_t block_of(const attention_scale& s, index_t row)
    {
        return s.block_rows == 0 ? 0 : row / s.block_rows;
    }
    TEGULA_INLINE const float* place(const attention_scale& s, index_t head, index_t block) const
    {
        return s.data + batch_ * s.batch_stride + head * s.head_stride + block * s.block_stride;
    }
    TEGULA_INLINE float number(const attention_scale& s, index_t head, index_t row) const
    {
        return s.data == nullptr ? 1.0f : internal::read_scalar<target>(place(s, head, block_of(s, row)));
    }
    /// By a vector load: it is done before the loads of tiles that follow, and waits for no read of shared memory.
    TEGULA_INLINE void load(held_scale& held, const attention_scale& s, index_t key) const
    {
        const index_t block = block_of(s, key);
        held.past = s.data == nullptr || s.block_rows == 0
                        ? ~std::uint32_t{0}
                        : static_cast<std::uint32_t>(block + 1) * static_cast<std::uint32_t>(s.block_rows);
        if (s.data != nullptr)
            held.number = target::template load_buffer<float>({place(s, kv_head_, block), sizeof(float)}, 0);
    }
    static TEGULA_INLINE void rescale(accumulators& output, float by)
    {
        Tile::softmax::rescale(output, make_distributed_tensor<float, typename row_tensor::distribution>(by));
    }

    const Arguments& args_;
    index_t batch_, kv_head_;
    held_scale keys_, values_;
    row_tensor rows_; ///< scale of Q and of the arguments, by rows
    float unit_ = 1;  ///< unit of the output
    std::uint32_t kept_ = 0;
};

} // namespace tegula
