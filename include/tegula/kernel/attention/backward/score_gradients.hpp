#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/block/softmax_rows.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/rearrange.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

namespace detail {

/// Traps if the kernel's first parameter is not `args`, by check_reload.
template <class Arguments>
TEGULA_INLINE void check_reloaded_gradient_arguments(const Arguments& args)
{
    internal::check_reload(args, [](const Arguments& a) { return a.workspace.normalizers; });
}

/// The arguments of a round of a loop over tiles of scores. On AMD block lists and changes of scores leave no scalar
/// registers for what depends on arguments alone: each round reloads these.
///
///   Always  whether they are reloaded without changes, too
template <class Target, class Variant, class Score, bool Always = false>
struct gradient_round
{
    static constexpr bool reloads = Target::vendor == vendor::amd && (Always || changes_scores<Variant, Score>());

    template <class Arguments>
    static TEGULA_INLINE const Arguments& arguments(const Arguments& args)
    {
        return reloads ? internal::reload_arguments(args) : args;
    }
    template <class Arguments>
    static TEGULA_INLINE void check(const Arguments& args)
    {
        if constexpr (reloads)
            check_reloaded_gradient_arguments(args);
    }
    /// The sequence, with the values of the arguments reloaded. Its lengths are kept: reloads would be vector loads.
    template <class Problem>
    static TEGULA_INLINE attention_sequence sequence(const Problem& problem, attention_sequence sequence)
    {
        if constexpr (reloads) {
            internal::make_scalars_opaque<Target>(sequence.queries, sequence.keys); // nor are comparisons held
            const attention_band& band = problem.forward.band;
            sequence.shift = sequence.shift_of(band.diagonal);
            if constexpr (Variant::mask != attention_mask::none) {
                sequence.band.left = band.left;
                sequence.band.right = band.right;
            }
        }
        return sequence;
    }
};

} // namespace detail

/// Computes the probabilities that weight V, and the gradient of Q K^T, from a tile of Q K^T and one of dO V^T.
///
///   Distribution  of both tiles; rows are keys and columns queries, or the other way round
///   KeysAreRows   whether rows are keys
///
/// The scores are z = scale * q . k and x = score(z) + bias. P = exp(x - lse) if the key is visible, else 0
/// (attention_backward_workspace has how it is computed), and K = P * keep, where keep is 1 without dropout. Then
/// dV += K^T dO, dP = dO V^T * keep, dx = P * (dP - delta) with delta = rowsum(dO * O), and dz = dx * score'(z). These are the
/// formulas of Dao, "FlashAttention-2", 2023, section 3.1.2.
template <class Target, class Distribution, class Variant, class Score, bool KeysAreRows>
struct attention_score_gradients
{
    static constexpr bool plain_scores = std::is_same_v<Score, unchanged_score>;
    using target = Target;
    using distribution = Distribution;
    using tile = distributed_tensor<float, Distribution>;
    static constexpr index_t key_dim = KeysAreRows ? 0 : 1;
    static constexpr index_t query_dim = 1 - key_dim;
    using query_distribution = reduced_distribution<distribution, key_dim>;
    using query_numbers = distributed_tensor<float, query_distribution>;

    /// The numbers of the queries from `query` on, out of those of a head or of a tile.
    template <address_space Space = address_space::global>
    static TEGULA_INLINE query_numbers load_numbers(const float* head, index_t padded_rows, index_t query,
                                                    const char* name)
    {
        const auto view =
            make_tensor_view<Target, Space>(head, make_packed_descriptor(make_tuple(padded_rows), constant<4>{}), name);
        query_numbers numbers;
        load<bounds::unchecked>(numbers, make_tile_window<query_distribution>(view, {query}));
        return numbers;
    }

    /// Vectors of four of a lane's numbers in shared memory, each of which is a read.
    static constexpr int number_vectors = query_distribution::num_registers / 4;
    /// Reads vector N of the numbers of a tile.
    template <int N>
    static TEGULA_INLINE void read_vector_of_numbers(query_numbers& numbers, const float* tile)
    {
        using plan = access_plan<query_distribution, 0, 4>;
        static_assert(plan::vector == 4 && plan::accesses == number_vectors);
        const auto x = query_distribution::origin(partition_index<Target, query_distribution>());
        const auto four = internal::read_vector<Target, address_space::shared, 4>(tile + x[0] + plan::step(N)[0], true);
        static_for<4>([&](auto j) { numbers[plan::register_of(N, j)] = four[j]; });
    }

    /// Whether is_far_exponent holds for a head's normalizer of one of the tile's queries, from `query` on. All lanes
    /// of a wave get the same result; each looks at other queries.
    template <address_space Space = address_space::global>
    static TEGULA_INLINE bool any_is_far(const float* head, index_t, index_t query)
    {
        constexpr index_t queries = distribution::x_length(query_dim);
        bool far = false;
        for (index_t first = 0; first < queries; first += Target::wave_size) {
            const index_t own = first + Target::lane_id();
            far |= is_far_exponent(internal::read_scalar<Target, Space>(head + query + own, own < queries));
        }
        return Target::any_lane(far);
    }

    /// s: in Q K^T, out K. dp: in dO V^T, out dz without the factor `scale`; neither read nor written if
    /// WithGradients is false. `at` is the tile's first query and key, `far` what any_is_far() says of its queries.
    /// take_dx(dx) is called with the gradient of a bias.
    TEGULA_CALLS_BACK
    template <bool WithGradients, class Arguments, class TakeDx>
    static TEGULA_INLINE void compute(tile& s, tile& dp, const query_numbers& normalizers, const query_numbers& deltas,
                                      bool far, const attention_backward_workspace& workspace, const Arguments& args,
                                      const attention_sequence& sequence, const attention_place& at,
                                      [[maybe_unused]] const TakeDx& take_dx)
    {
        const auto& forward = args.forward;
        const auto place = place_from(at);
        [[maybe_unused]] const auto asked = clamped_place(place, sequence);
        [[maybe_unused]] tile z;
        compute_probabilities(s, z, normalizers, far, workspace, args, sequence, at);

        [[maybe_unused]] tile keep;
        if constexpr (Variant::dropout) {
            attention_dropout dropout = forward.dropout;
            if constexpr (Target::vendor == vendor::nvidia)
                dropout.seed = internal::seed_of_this_round<Target>(dropout.seed);
            const attention_dropout_mask mask{dropout, static_cast<std::uint32_t>(at.batch) * forward.heads + at.head};
            const float factor = mask.factor();
            sweep<Target>(keep, [&](float& k, const multi_index<2>& i) {
                const attention_place p = place(i);
                k = mask.keeps(p.query, p.key) ? factor : 0.0f;
            });
            if constexpr (WithGradients)
                dp = elementwise([](float x, float k) { return rounded_product(x, k); }, dp, keep);
        }
        if constexpr (WithGradients)
            differentiate(s, dp, deltas);
        if constexpr (Variant::dropout)
            s = elementwise([](float p, float k) { return p * k; }, s, keep);

        if constexpr (WithGradients && Variant::bias == attention_bias::tensor)
            take_dx(dp);
        if constexpr (WithGradients && !plain_scores) {
            struct pair
            {
                float gradient, z;
            };
            auto pairs = elementwise([](float g, float x) { return pair{g, x}; }, dp, z);
            sweep<Target>(pairs, [&](pair& x, const multi_index<2>& i) {
                x.gradient *= forward.score.derivative(x.z, asked(i));
            });
            dp = elementwise([](const pair& x) { return x.gradient; }, pairs);
        }
    }

    /// Whether arithmetic is done two elements at a time by functions for that.
    static constexpr bool packs = Target::chip().has_packed_floats && distribution::num_registers % 2 == 0;
    /// Whether compute() can be done pair by pair, by the functions that follow.
    static constexpr bool goes_by_pairs = requires(array<float, 2> x) { Target::packed_multiply(x, x); } &&
                                          distribution::num_registers % 2 == 0 && !changes_scores<Variant, Score>();

    /// Pair N of s: in scores, of which to_exponent makes exponents, out P of visible keys if no normalizer is far.
    template <int N>
    static TEGULA_INLINE void make_probabilities(tile& s, const query_numbers& normalizers, float to_exponent)
    {
        transform_pair<N>(s, normalizers, [&](const array<float, 2>& x, const array<float, 2>& normalizer) {
            const auto y = Target::packed_multiply_add(x, {-to_exponent, -to_exponent}, normalizer);
            return array<float, 2>{Target::exp2(-y[0]), Target::exp2(-y[1])};
        });
    }
    /// s: in scores, out P of visible keys, whatever the normalizers.
    template <class Arguments>
    static TEGULA_INLINE void make_far_probabilities(tile& s, const attention_backward_workspace& workspace,
                                                     const Arguments& args, const attention_place& at)
    {
        transform_with_reduced<key_dim>(s, load_logarithms(workspace, args, at),
                                        [](float x, float lse) { return far_probability<Target>(x, lse); });
    }
    /// Changes the numbers that make_probabilities() takes to the exponents themselves. It then gives P of hidden keys and
    /// far exponents, too.
    template <class Arguments>
    static TEGULA_INLINE void settle_exponents(tile& s, query_numbers& normalizers, float& to_exponent, bool far,
                                               const attention_backward_workspace& workspace, const Arguments& args,
                                               const attention_sequence& sequence, const attention_place& at)
    {
        if (far) {
            const float scale = args.forward.scale;
            transform_with_reduced<key_dim>(s, load_logarithms(workspace, args, at), [&](float x, float lse) {
                return far_exponent(rounded_product(scale, x), lse);
            });
        } else {
            transform_with_reduced<key_dim>(
                s, normalizers, [&](float x, float normalizer) { return multiply_add(x, to_exponent, -normalizer); });
        }
        hide<true>(s, args, sequence, at, place_from(at));
        to_exponent = 1;
        for (float& normalizer : normalizers.registers)
            normalizer = 0;
    }
    /// Whether keys are hidden from queries of the tile.
    static TEGULA_INLINE bool hides_keys(const attention_sequence& sequence, const attention_place& at)
    {
        constexpr index_t keys = distribution::x_length(key_dim), queries = distribution::x_length(query_dim);
        if constexpr (Variant::mask == attention_mask::none)
            return at.key + keys > sequence.keys;
        else
            return !sequence.all_visible(at.query, at.query + queries, at.key, at.key + keys);
    }
    /// Pair N of dp: in dO V^T, out the gradient of the scores.
    template <int N>
    static TEGULA_INLINE void differentiate_pair(const tile& p, tile& dp, const query_numbers& deltas)
    {
        using registers = internal::reduced_registers<distribution, key_dim>;
        constexpr int first = registers::source_of(2 * N), second = registers::source_of(2 * N + 1);
        transform_pair<N>(dp, deltas, [&](const array<float, 2>& x, const array<float, 2>& delta) {
            return Target::packed_multiply({p[first], p[second]},
                                           Target::packed_multiply_add(delta, {-1.0f, -1.0f}, x));
        });
    }

    /// Pair N of dp: in dO V^T - delta, out the gradient of the scores.
    template <int N>
    static TEGULA_INLINE void multiply_pair(const tile& p, tile& dp)
    {
        using registers = internal::reduced_registers<distribution, key_dim>;
        constexpr int first = registers::source_of(2 * N), second = registers::source_of(2 * N + 1);
        const auto both = Target::packed_multiply({p[first], p[second]}, {dp[first], dp[second]});
        dp[first] = both[0];
        dp[second] = both[1];
    }
    /// The parts of compute(). s: in Q K^T, out P. z: the scores that the functor was given.
    template <class Arguments>
    static TEGULA_INLINE void compute_probabilities(tile& s, [[maybe_unused]] tile& z, const query_numbers& normalizers,
                                                    bool far, const attention_backward_workspace& workspace,
                                                    const Arguments& args, const attention_sequence& sequence,
                                                    const attention_place& at)
    {
        const auto& forward = args.forward;
        const auto place = place_from(at);
        [[maybe_unused]] const auto asked = clamped_place(place, sequence);
        const float scale = forward.scale;
        float to_exponent = scale * log2_of_e;
        const auto multiply_by_scale = [&] {
            transform(s, [&](float q_k) { return rounded_product(scale, q_k); });
            to_exponent = log2_of_e;
        };
        if constexpr (!plain_scores || Variant::bias != attention_bias::none) {
            if constexpr (scales_with_bias)
                to_exponent = log2_of_e;
            else
                multiply_by_scale();
            if constexpr (!plain_scores) {
                z = s;
                sweep<Target>(s, [&](float& x, const multi_index<2>& i) { x = forward.score(x, asked(i)); });
            }
            add_bias(s, args, at, place, sequence);
        }

        if (far) [[unlikely]] {
            if constexpr (plain_scores && Variant::bias == attention_bias::none)
                multiply_by_scale();
            make_far_probabilities(s, workspace, args, at);
        } else {
            if constexpr (packs) {
                static_for<distribution::num_registers / 2>(
                    [&](auto n) { make_probabilities<n>(s, normalizers, to_exponent); });
            } else {
                transform_with_reduced<key_dim>(s, normalizers, [&](float x, float normalizer) {
                    return Target::exp2(multiply_add(x, to_exponent, -normalizer));
                });
            }
        }
        hide(s, args, sequence, at, place);
    }
    /// dp: in the gradient of P, out that of the scores.
    static TEGULA_INLINE void differentiate(const tile& p, tile& dp, const query_numbers& deltas)
    {
        if constexpr (packs) {
            static_for<distribution::num_registers / 2>([&](auto n) { differentiate_pair<n>(p, dp, deltas); });
        } else {
            transform_with_reduced<key_dim>(dp, deltas, [](float x, float delta) { return x - delta; });
            dp = elementwise([](float p, float x) { return rounded_product(p, x); }, p, dp);
        }
    }

    /// Adds dx, the gradient of a tile of the bias, to the bias's, from query at.query and key at.key on. The sum of
    /// one element of a bias that repeats has no fixed order: see attention_bias_gradients.
    template <class Arguments>
    static TEGULA_INLINE void add_bias_gradient(const tile& dx, const Arguments& args,
                                                const attention_sequence& sequence, const attention_place& at)
    {
        const auto& d_bias = args.d_bias;
        // Waves that share the columns of a gradient have a copy of the scores each.
        if (d_bias.data == nullptr || !internal::writes_its_elements<attention_score_gradients>())
            return;
        index_t queries = sequence.queries, keys = sequence.keys;
        internal::make_scalars_opaque<Target>(queries, keys); // comparisons with these are not held from the mask on
        sweep<Target>(dx, [&](float x, const multi_index<2>& i) {
            const index_t query = at.query + i[query_dim], key = at.key + i[key_dim];
            if (query < queries && key < keys)
                Target::atomic_add(d_bias.data + at.batch * d_bias.batch_stride + at.head * d_bias.head_stride +
                                       query * d_bias.query_stride + key * d_bias.key_stride,
                                   x);
        });
    }

private:
    /// x = f(x, number of its query) for a pair of elements.
    TEGULA_CALLS_BACK
    template <int N, class F>
    static TEGULA_INLINE void transform_pair(tile& x, const query_numbers& numbers, const F& f)
    {
        using registers = internal::reduced_registers<distribution, key_dim>;
        constexpr int first = registers::source_of(2 * N), second = registers::source_of(2 * N + 1);
        const auto both =
            f(array<float, 2>{x[first], x[second]},
              array<float, 2>{numbers[registers::target_of(2 * N)], numbers[registers::target_of(2 * N + 1)]});
        x[first] = both[0];
        x[second] = both[1];
    }

    /// The place of an element of the tile.
    static TEGULA_INLINE auto place_from(const attention_place& at)
    {
        return [at](const multi_index<2>& x) {
            return attention_place{at.batch, at.head, at.query + x[query_dim], at.key + x[key_dim]};
        };
    }
    template <class Place>
    static TEGULA_INLINE auto clamped_place(const Place& place, const attention_sequence& sequence)
    {
        return [place, queries = sequence.queries, keys = sequence.keys](const multi_index<2>& x) {
            return internal::place_for<Score>(place(x), queries, keys);
        };
    }

    /// Whether scale and bias are one multiply-add, as in the forward pass.
    static constexpr bool scales_with_bias = plain_scores && Variant::bias == attention_bias::tensor;

    /// Adds the bias to the scores; past the last query or key it is 0.
    template <class Arguments, class Place>
    static TEGULA_INLINE void add_bias(tile& s, const Arguments& args, const attention_place& at, const Place& place,
                                       const attention_sequence& sequence)
    {
        if constexpr (Variant::bias == attention_bias::tensor) {
            auto bias = args.forward.bias;
            Target::make_opaque(bias.query_stride); // multiples of strides are not held across the loop
            Target::make_opaque(bias.key_stride);
            index_t key_count = sequence.keys, query_count = sequence.queries;
            internal::make_scalars_opaque<Target>(key_count, query_count); // nor comparisons with these
            const auto window = [&](index_t rows, index_t columns, long_index_t row_stride, long_index_t column_stride,
                                    index_t row, index_t column) {
                const auto view = make_tensor_view<Target, address_space::global>(
                    bias.data + at.batch * bias.batch_stride + at.head * bias.head_stride,
                    make_strided_descriptor(make_tuple(rows, columns), make_tuple(row_stride, column_stride)), "bias");
                return make_tile_window<distribution>(view, {row, column});
            };
            const auto values = load(
                KeysAreRows ? window(key_count, query_count, bias.key_stride, bias.query_stride, at.key, at.query)
                            : window(query_count, key_count, bias.query_stride, bias.key_stride, at.query, at.key));
            s = elementwise(
                [&](float x, float b) { return scales_with_bias ? multiply_add(x, args.forward.scale, b) : x + b; }, s,
                values);
        } else if constexpr (Variant::bias == attention_bias::alibi) {
            const auto& alibi = args.forward.alibi;
            const float slope = alibi.slopes[at.batch * alibi.batch_stride + static_cast<std::uint32_t>(at.head)];
            sweep<Target>(s, [&](float& x, const multi_index<2>& i) {
                const attention_place p = place(i);
                const index_t distance = p.query + sequence.shift - p.key;
                x = multiply_add(-slope, static_cast<float>(distance < 0 ? -distance : distance), x);
            });
        }
    }

    static TEGULA_INLINE query_numbers load_logarithms(const attention_backward_workspace& workspace, const auto& args,
                                                       const attention_place& at)
    {
        const float* const head = workspace.logarithms + workspace.offset(at.batch, args.forward.heads, at.head);
        return load_numbers(head, workspace.padded_rows, at.query, "logarithms");
    }
    /// Makes the probabilities of hidden keys 0, or their exponents -inf.
    template <bool Exponents = false, class Arguments, class Place>
    static TEGULA_INLINE void hide(tile& p, const Arguments& args, const attention_sequence& sequence,
                                   const attention_place& at, const Place& place)
    {
        constexpr float hidden = Exponents ? -__builtin_inff() : 0.0f;
        if constexpr (!plain_scores)
            sweep<Target>(p, [&](float& x, const multi_index<2>& i) {
                x = internal::is_shown(args.forward.score,
                                       internal::place_for<Score>(place(i), sequence.queries, sequence.keys))
                        ? x
                        : hidden;
            });
        if constexpr (Variant::mask == attention_mask::boolean)
            sweep<Target>(p, [&](float& x, const multi_index<2>& i) {
                const attention_place here = place(i);
                const auto& mask = args.forward.boolean;
                // A head's number is not negative: as an unsigned number it takes no register for the sign.
                const unsigned char* const byte = mask.data + at.batch * mask.batch_stride +
                                                  static_cast<std::uint32_t>(at.head) * mask.head_stride +
                                                  here.query * mask.query_stride + here.key * mask.key_stride;
                const bool inside = here.query < sequence.queries && here.key < sequence.keys;
                // Not read_scalar: with it clang 22 spills up to 63 scalar registers on CDNA.
                const auto shown = internal::read_vector<Target, address_space::global, 1>(byte, inside)[0];
                x = inside && shown != 0 ? x : hidden;
            });
        // Queries past the last have numbers that hide all keys.
        if constexpr (Variant::mask == attention_mask::none) {
            if (hides_keys(sequence, at))
                sweep<Target>(p, [&](float& x, const multi_index<2>& i) {
                    x = at.key + i[key_dim] < sequence.keys ? x : hidden;
                });
        } else if (hides_keys(sequence, at)) {
            index_t key = at.key, query = at.query;
            if constexpr (packs) {
                Target::make_opaque(key);
                Target::make_opaque(query);
            }
            attention_sequence shown = sequence;
            // Comparisons are not held from one use to the next.
            internal::make_scalars_opaque<Target>(shown.keys, shown.shift);
            sweep<Target>(p, [&](float& x, const multi_index<2>& i) {
                x = shown.visible(query + i[query_dim], key + i[key_dim]) ? x : hidden;
            });
            if constexpr (packs)
                Target::keep_branch();
        }
    }
};

} // namespace tegula
