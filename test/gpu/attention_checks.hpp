#pragma once

/// Attention on a device, forward by every kind of kernel and backward, against its formula.

#include <tegula/attention.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>

#include "test/gpu/attention_formula.hpp"
#include "test/gpu/device_data.hpp"

namespace tegula::test {

struct attention_sizes
{
    index_t batch, heads, kv_heads, seq_q, seq_k, head_dim, value_dim;
};

/// Tensors without gaps on a device.
template <gpu_target Target, class Device, class T, class O, class Score = unchanged_score>
class attention_on
{
public:
    arrays_on<Target, Device> arrays;
    attention_arguments<T, O, Score> args;

    /// tile_keys: a divisor of the keys that share a scale.
    attention_on(Device& device, const attention_sizes& s, std::uint64_t seed, index_t tile_keys = 128) : arrays(device)
    {
        const index_t scaled_keys = round_up(128, tile_keys);
        args.batch = s.batch, args.heads = s.heads, args.kv_heads = s.kv_heads;
        args.seq_q = s.seq_q, args.seq_k = s.seq_k, args.head_dim = s.head_dim, args.value_dim = s.value_dim;
        args.scale = 2 / std::sqrt(static_cast<float>(s.head_dim)); // probabilities of unequal size
        args.band.right = 0;
        args.q = random<T>(s.heads, s.seq_q, s.head_dim, 7 * seed + 301);
        args.k = random<T>(s.kv_heads, s.seq_k, s.head_dim, 7 * seed + 302);
        args.v = random<T>(s.kv_heads, s.seq_k, s.value_dim, 7 * seed + 303);
        args.o = room<O>(s.heads, s.seq_q, s.value_dim);
        const auto lse = room<float>(s.heads, s.seq_q, 1);
        args.lse = {lse.data, lse.batch_stride, lse.head_stride};
        if constexpr (sizeof(T) == 1) {
            args.q_scale = scales(s.heads, s.seq_q, 16, 7 * seed + 305);
            args.k_scale = scales(s.kv_heads, s.seq_k, scaled_keys, 7 * seed + 306);
            args.v_scale = scales(s.kv_heads, s.seq_k, scaled_keys, 7 * seed + 307);
        }
    }
    /// Places the sequences behind each other. Sequence b is b queries and three times b keys shorter than the longest.
    void join_sequences()
    {
        std::vector<index_t> queries{0}, keys{0};
        for (index_t b = 0; b < args.batch; ++b) {
            queries.push_back(queries.back() + args.seq_q - b);
            keys.push_back(keys.back() + args.seq_k - 3 * b);
        }
        args.lengths.query_offsets = arrays.put(queries);
        args.lengths.key_offsets = arrays.put(keys);
        args.lengths.query_rows = queries.back();
        args.lengths.key_rows = keys.back();
        const auto join = [&](auto& x) { x.head_stride *= args.batch; }; // [heads, rows of all sequences]
        join(args.q);
        join(args.k);
        join(args.v);
        join(args.o);
        join(args.lse);
    }
    /// The keys as a cache of 8 bits, which become what it holds.
    scaled_latent_cache<T> scale_keys(std::uint64_t seed)
    {
        using cache = scaled_latent_cache<T>;
        const auto keys = static_cast<std::size_t>(args.batch * args.kv_heads * args.seq_k);
        std::vector<float8_e4m3> values(keys * latent_value_dim);
        std::vector<float> scales(keys * cache::scales_of_key);
        std::vector<T> rope(keys * cache::rope_columns), all;
        fill_uniform(std::span(values), seed);
        fill_uniform(std::span(scales), seed + 1, 0.5, 2);
        fill_uniform(std::span(rope), seed + 2);
        for (std::size_t key = 0; key < keys; ++key) {
            for (std::size_t i = 0; i < latent_value_dim; ++i)
                all.push_back(convert<T>(static_cast<float>(values[key * latent_value_dim + i]) *
                                         scales[key * cache::scales_of_key + i / cache::scaled_columns]));
            for (std::size_t i = 0; i < cache::rope_columns; ++i)
                all.push_back(rope[key * cache::rope_columns + i]);
        }
        args.k = args.v = tensor<const T>(arrays.put(all), args.kv_heads, args.seq_k, latent_head_dim);
        return {tensor<const float8_e4m3>(arrays.put(values), args.kv_heads, args.seq_k, latent_value_dim),
                tensor<const float>(arrays.put(scales), args.kv_heads, args.seq_k, cache::scales_of_key),
                tensor<const T>(arrays.put(rope), args.kv_heads, args.seq_k, cache::rope_columns)};
    }
    template <class U>
    attention_tensor<const U> random(index_t heads, index_t rows, index_t columns, std::uint64_t seed)
    {
        return tensor<const U>(arrays.template uniform<U>(args.batch * heads * rows * columns, seed), heads, rows,
                               columns);
    }
    template <class U>
    attention_tensor<U> room(index_t heads, index_t rows, index_t columns)
    {
        return tensor<U>(arrays.template room<U>(args.batch * heads * rows * columns), heads, rows, columns);
    }

private:
    /// One for so many rows, of [1/2, 2).
    attention_scale scales(index_t heads, index_t rows, index_t block_rows, std::uint64_t seed)
    {
        const index_t blocks = ceil_div(rows, block_rows);
        const float* const values = arrays.template uniform<float>(args.batch * heads * blocks, seed, 0.5, 2);
        return {values, long_index_t{heads} * blocks, blocks, 1, block_rows};
    }
    template <class U>
    attention_tensor<U> tensor(U* data, index_t heads, index_t rows, index_t columns) const
    {
        const long_index_t joined = args.lengths.query_offsets != nullptr ? args.batch : 1;
        return {data, long_index_t{heads} * rows * columns, joined * rows * columns, columns};
    }
};

/// A forward kernel, whichever it is, for one problem: O and lse of all queries.
template <class Kernel, class Device>
std::string check_attention(Device& device, const attention_sizes& sizes, std::uint64_t seed)
{
    using T = typename Kernel::element;
    using O = typename Kernel::output_type;
    using variant = typename Kernel::variant;
    attention_on<typename Kernel::target, Device, T, O> on(device, sizes, seed, Kernel::tile::keys);
    if constexpr (requires { requires Kernel::tile::key_values == key_value_place::same; })
        on.args.v = on.args.k;
    status s = on.arrays.error;
    if constexpr (requires { typename Kernel::combine; }) {
        typename Kernel::arguments split{on.args, 3, {}};
        if constexpr (requires { split.cache; }) {
            split.cache = on.scale_keys(7 * seed + 308);
            split.attention.k = split.attention.v = {};
            s = on.arrays.error;
        }
        split.workspace.size = split.workspace_size();
        split.workspace.data = on.arrays.template room<float>(split.workspace.size);
        s = s ? launch(device, Kernel{}, split) : s;
    } else {
        s = s ? launch(device, Kernel{}, {on.args}) : s;
    }
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    return check_formula<typename Kernel::target>(
        device, "O and lse", attention_output<T, O, variant>{{on.args, unit_of_sums<typename Kernel::target, T>}});
}

/// Starts the forward kernel before gradients. A device with a library of kernels has it there, compiled once.
template <class Forward, class Device>
status start_forward(Device& device, const typename Forward::arguments& args)
{
    if constexpr (requires { device.start(std::string(), &args, sizeof args); }) {
        using variant = typename Forward::variant;
        const std::string name = std::string(Forward::target::chip().name) + " " +
                                 number_traits<typename Forward::element>::name() + " attention " +
                                 std::to_string(Forward::tile::head_dim);
        const char* const form = variant::mask == attention_mask::none      ? ""
                                 : variant::mask == attention_mask::boolean ? " masked"
                                 : variant::dropout                         ? " dropout"
                                 : variant::bias == attention_bias::tensor  ? " scores"
                                                                            : " causal";
        return device.start(name + form, &args, sizeof args);
    } else {
        return launch(device, Forward{}, args);
    }
}

/// All kernels of a backward pass for one problem, behind the forward kernel of these tiles' types. fill(on) adds what the
/// variant reads besides Q, K and V, and returns the error of its functor.
template <class Forward, class Kernels, class Device, class Fill>
std::string check_attention_gradients(Device& device, const attention_sizes& sizes, std::uint64_t seed,
                                      const Fill& fill)
{
    using T = typename Kernels::element;
    using target = typename Kernels::target;
    using variant = typename Kernels::variant;
    using score = decltype(typename Kernels::problem{}.forward.score);
    attention_on<target, Device, T, T, score> on(device, sizes, seed);
    const double score_error = fill(on);
    typename Kernels::problem problem;
    problem.forward = on.args;
    problem.d_o = on.template random<T>(sizes.heads, sizes.seq_q, sizes.value_dim, 7 * seed + 304);
    problem.dq = on.template room<T>(sizes.heads, sizes.seq_q, sizes.head_dim);
    problem.dk = on.template room<T>(sizes.kv_heads, sizes.seq_k, sizes.head_dim);
    problem.dv = on.template room<T>(sizes.kv_heads, sizes.seq_k, sizes.value_dim);
    float* const workspace = on.arrays.template room<float>(Kernels::workspace_floats(on.args));
    status s = on.arrays.error;
    s = s ? start_forward<Forward>(device, on.args) : s;
    s = s ? launch(device, Kernels{}, {problem, {workspace}}) : s;
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    const attention_scores<T, T, variant, score> scores{on.args, unit_of_sums<target, T>, score_error};
    const auto& d_o = problem.d_o;
    return first_wrong(
        [&] { return check_formula<target>(device, "O and lse", attention_output<T, T, variant, score>{scores}); },
        [&] {
            return check_formula<target>(device, "dQ",
                                         attention_gradient<T, gradient::dq, variant, score>{scores, d_o, problem.dq});
        },
        [&] {
            return check_formula<target>(device, "dK",
                                         attention_gradient<T, gradient::dk, variant, score>{scores, d_o, problem.dk});
        },
        [&] {
            return check_formula<target>(device, "dV",
                                         attention_gradient<T, gradient::dv, variant, score>{scores, d_o, problem.dv});
        });
}

/// Few queries and keys, ragged at the edges of tiles, heads that share keys; where the device is fast many.
template <class Tile>
std::vector<attention_sizes> attention_cases(bool fast)
{
    const index_t d = Tile::head_dim, v = Tile::value_dim;
    constexpr index_t vector = 16 / static_cast<index_t>(sizeof(typename Tile::element));
    // At least as many keys as queries, so that a causal query sees one.
    const index_t keys = max(2 * Tile::keys, Tile::queries) + 5;
    const bool all_columns = [] { // whether all keys have as many columns
        if constexpr (requires { Tile::makes_keys; })
            return Tile::makes_keys;
        return false;
    }();
    std::vector<attention_sizes> cases = {{1, 4, 2, 3, 70, d, v},
                                          {2, 1, 1, Tile::queries + 1, keys, all_columns ? d : d - vector, v}};
    if (fast) {
        cases.push_back({2, 6, 3, 2 * Tile::queries, max(8 * Tile::keys, 2 * Tile::queries), d, v - vector});
        cases.push_back({1, 8, 2, 1000, 1031, d, v});
    }
    return cases;
}

/// check(sizes) of each; what is wrong with the first that fails.
template <class Check>
std::string check_each(const std::vector<attention_sizes>& cases, const Check& check)
{
    for (const attention_sizes& s : cases)
        if (std::string wrong = check(s); !wrong.empty())
            return std::to_string(s.batch) + " x " + std::to_string(s.heads) + " of " + std::to_string(s.kv_heads) +
                   " heads, " + std::to_string(s.seq_q) + " queries of " + std::to_string(s.head_dim) + ", " +
                   std::to_string(s.seq_k) + " keys, values of " + std::to_string(s.value_dim) + ": " + wrong;
    return {};
}

} // namespace tegula::test
