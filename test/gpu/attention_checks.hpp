#pragma once

/// Attention on a device, forward by every kind of kernel and backward, against its formula.

#include <tegula/attention.hpp>
#include <tegula/host/launch_attention.hpp>
#include <tegula/host/launch_attention_backward.hpp>
#include <tegula/host/launch_warp_specialized_attention.hpp>

#include "test/gpu/formula.hpp"

namespace tegula::test {

/// Scores and probabilities of arguments in double, with what a kernel may be off them. Masks: none, and a band with
/// right = 0 and bottom-right diagonal, that is causal.
///
/// Bounds are of first order, times 1.5: a score is off by gamma_n of its terms' magnitudes (gemm_error_bound), a
/// probability by as much in relation to it, by the rounding of exp2 and its argument, and by the rounding to T before it
/// is multiplied.
template <class T, class O>
struct attention_scores
{
    attention_arguments<T, O> a;
    bool causal;
    double unit = float_truncation_unit; ///< of sums of products

    struct place
    {
        long_index_t batch;
        index_t head, row, column;
    };
    struct number
    {
        double value, error;
    };

    static TEGULA_HOST_DEVICE double wide(T x) { return static_cast<double>(convert<float>(x)); }
    template <class U>
    static TEGULA_HOST_DEVICE const U* row(const attention_tensor<U>& x, long_index_t batch, index_t head, index_t i)
    {
        return x.data + batch * x.batch_stride + head * x.head_stride + i * x.row_stride;
    }
    /// What number i of a tensor [batch, heads, rows, columns] stands for.
    static TEGULA_HOST_DEVICE place place_of(long_index_t i, index_t heads, index_t rows, index_t columns)
    {
        const long_index_t r = i / columns, h = r / rows;
        return {h / heads, static_cast<index_t>(h % heads), static_cast<index_t>(r % rows),
                static_cast<index_t>(i % columns)};
    }
    TEGULA_HOST_DEVICE index_t kv_head(index_t head) const { return head / (a.heads / a.kv_heads); }
    TEGULA_HOST_DEVICE bool sees(index_t query, index_t key) const
    {
        return !causal || key <= query + a.seq_k - a.seq_q;
    }
    TEGULA_HOST_DEVICE double sum_error(index_t terms) const { return (terms + 4) * unit; }
    /// What inputs of 8 bits are multiplied by.
    static TEGULA_HOST_DEVICE double scale_of(const attention_scale& s, long_index_t batch, index_t head, index_t i)
    {
        if (s.data == nullptr)
            return 1;
        const index_t block = s.block_rows == 0 ? 0 : i / s.block_rows;
        return static_cast<double>(s.data[batch * s.batch_stride + head * s.head_stride + block * s.block_stride]);
    }

    TEGULA_HOST_DEVICE number score(long_index_t batch, index_t head, index_t query, index_t key) const
    {
        const T* const x = row(a.q, batch, head, query);
        const T* const y = row(a.k, batch, kv_head(head), key);
        double sum = 0, magnitude = 0;
        for (index_t c = 0; c < a.head_dim; ++c) {
            const double product = wide(x[c]) * wide(y[c]);
            sum += product;
            magnitude += std::fabs(product);
        }
        const double scale = static_cast<double>(a.scale) * scale_of(a.q_scale, batch, head, query) *
                             scale_of(a.k_scale, batch, kv_head(head), key);
        return {scale * sum, std::fabs(scale) * magnitude * sum_error(a.head_dim)};
    }
};

/// O, and behind its elements lse: all keys of a query, twice.
template <class T, class O>
struct attention_output : attention_scores<T, O>
{
    using base = attention_scores<T, O>;
    using base::a;

    /// Half of T's least number where the largest probability is at least 2^6 (online_softmax.hpp), of 8 bits.
    static constexpr double least_probability = sizeof(T) == 1 ? 0x1p-16 : 0;

    TEGULA_HOST_DEVICE long_index_t rows() const { return a.batch * a.heads * a.seq_q; }
    TEGULA_HOST_DEVICE long_index_t outputs() const { return rows() * a.value_dim; }
    TEGULA_HOST_DEVICE long_index_t count() const { return outputs() + rows(); }

    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        if (i < outputs()) {
            const auto at = base::place_of(i, a.heads, a.seq_q, a.value_dim);
            return static_cast<double>(convert<float>(base::row(a.o, at.batch, at.head, at.row)[at.column]));
        }
        const auto at = base::place_of(i - outputs(), a.heads, a.seq_q, 1);
        return static_cast<double>(a.lse.data[at.batch * a.lse.batch_stride + at.head * a.lse.head_stride + at.row]);
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const bool of_lse = i >= outputs();
        const auto at = of_lse ? base::place_of(i - outputs(), a.heads, a.seq_q, 1)
                               : base::place_of(i, a.heads, a.seq_q, a.value_dim);
        double largest = -HUGE_VAL, furthest = 0;
        for (index_t j = 0; j < a.seq_k; ++j)
            if (base::sees(at.row, j)) {
                const auto s = base::score(at.batch, at.head, at.row, j);
                largest = std::fmax(largest, s.value);
                furthest = std::fmax(furthest, std::fabs(s.value));
            }
        double sum = 0, error = 0, output = 0, output_error = 0, magnitude = 0;
        for (index_t j = 0; j < a.seq_k; ++j) {
            if (!base::sees(at.row, j))
                continue;
            const auto s = base::score(at.batch, at.head, at.row, j);
            const double p = std::exp(s.value - largest), off = s.error + (4 + 4 * furthest) * 0x1p-23;
            sum += p;
            error += p * off;
            if (of_lse)
                continue;
            const index_t kv_head = base::kv_head(at.head);
            const double v = base::wide(base::row(a.v, at.batch, kv_head, j)[at.column]) *
                             base::scale_of(a.v_scale, at.batch, kv_head, j);
            output += p * v;
            magnitude += p * std::fabs(v);
            output_error += std::fabs(v) * (p * (off + rounding_of<T>)+least_probability);
        }
        const double sums = base::sum_error(a.seq_k), relative = error / sum + rounding_of<T> + sums;
        if (of_lse) {
            const double lse = largest + std::log(sum);
            return {lse, 1.5 * (error / sum + sums + 0x1p-22 * (1 + furthest + std::fabs(lse)))};
        }
        const double value = output / sum, bound = 1.5 * (output_error + magnitude * (relative + sums)) / sum;
        return {value, bound + tegula::detail::storing_error<O>(std::fabs(value) + bound)};
    }
};

enum class gradient { dq, dk, dv };

/// dQ, dK or dV from the O and lse that the forward pass has left.
template <class T, gradient Which>
struct attention_gradient : attention_scores<T, T>
{
    using base = attention_scores<T, T>;
    using base::a;
    attention_tensor<const T> d_o;
    attention_tensor<T> result;

    TEGULA_HOST_DEVICE index_t heads() const { return Which == gradient::dq ? a.heads : a.kv_heads; }
    TEGULA_HOST_DEVICE index_t rows() const { return Which == gradient::dq ? a.seq_q : a.seq_k; }
    TEGULA_HOST_DEVICE index_t columns() const { return Which == gradient::dv ? a.value_dim : a.head_dim; }
    TEGULA_HOST_DEVICE long_index_t count() const { return a.batch * heads() * rows() * columns(); }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        const auto at = base::place_of(i, heads(), rows(), columns());
        return base::wide(base::row(result, at.batch, at.head, at.row)[at.column]);
    }

    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const auto at = base::place_of(i, heads(), rows(), columns());
        double sum = 0, bound = 0;
        index_t terms = 0;
        if constexpr (Which == gradient::dq) {
            for (index_t j = 0; j < a.seq_k; ++j, ++terms)
                add(sum, bound, at.batch, at.head, at.row, j,
                    base::row(a.k, at.batch, base::kv_head(at.head), j)[at.column]);
        } else {
            const index_t shared = a.heads / a.kv_heads;
            for (index_t h = at.head * shared; h < (at.head + 1) * shared; ++h)
                for (index_t q = 0; q < a.seq_q; ++q, ++terms)
                    add(sum, bound, at.batch, h, q, at.row,
                        Which == gradient::dv ? base::row(d_o, at.batch, h, q)[at.column]
                                              : base::row(a.q, at.batch, h, q)[at.column]);
        }
        const double scale = Which == gradient::dv ? 1 : std::fabs(static_cast<double>(a.scale));
        const double value = (Which == gradient::dv ? 1 : static_cast<double>(a.scale)) * sum;
        bound *= 1.5 * scale * (1 + base::sum_error(terms));
        return {value, bound + tegula::detail::storing_error<T>(std::fabs(value) + bound)};
    }

private:
    /// The term of query and key: P for dV, else dS, times `factor`.
    TEGULA_HOST_DEVICE void add(double& sum, double& bound, long_index_t batch, index_t head, index_t query,
                                index_t key, T factor) const
    {
        if (!base::sees(query, key))
            return;
        const double x = base::wide(factor);
        const auto s = base::score(batch, head, query, key);
        const auto lse = static_cast<double>(a.lse.data[batch * a.lse.batch_stride + head * a.lse.head_stride + query]);
        const double p = std::exp(s.value - lse);
        const double off = s.error + (4 + 4 * (std::fabs(s.value) + std::fabs(lse))) * 0x1p-23;
        const double sums = base::sum_error(Which == gradient::dq ? a.seq_k : a.seq_q * (a.heads / a.kv_heads));
        if constexpr (Which == gradient::dv) {
            sum += p * x;
            bound += p * std::fabs(x) * (off + rounding_of<T> + sums);
        } else {
            const T* const o =
                base::row(attention_tensor<const T>{a.o.data, a.o.batch_stride, a.o.head_stride, a.o.row_stride}, batch,
                          head, query);
            const T* const d = base::row(d_o, batch, head, query);
            const T* const v = base::row(a.v, batch, base::kv_head(head), key);
            double difference = 0, magnitude = 0;
            for (index_t c = 0; c < a.value_dim; ++c) {
                const double y = base::wide(d[c]);
                difference += y * (base::wide(v[c]) - base::wide(o[c]));
                magnitude += std::fabs(y) * (std::fabs(base::wide(v[c])) + std::fabs(base::wide(o[c])));
            }
            sum += p * difference * x;
            bound += std::fabs(x) * p *
                     (std::fabs(difference) * (off + rounding_of<T> + sums) + magnitude * base::sum_error(a.value_dim));
        }
    }
};

struct attention_sizes
{
    index_t batch, heads, kv_heads, seq_q, seq_k, head_dim, value_dim;
};

/// Tensors without gaps on a device.
template <class Device, class T, class O>
class attention_on
{
public:
    arrays_on<Device> arrays;
    attention_arguments<T, O> args;

    attention_on(const attention_sizes& s, std::uint64_t seed)
    {
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
            args.k_scale = scales(s.kv_heads, s.seq_k, 128, 7 * seed + 306);
            args.v_scale = scales(s.kv_heads, s.seq_k, 128, 7 * seed + 307);
        }
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
        std::vector<float> values(static_cast<std::size_t>(args.batch * heads * blocks));
        fill_uniform(std::span(values), seed, 0.5, 2);
        return {arrays.put(values), long_index_t{heads} * blocks, blocks, 1, block_rows};
    }
    template <class U>
    static attention_tensor<U> tensor(U* data, index_t heads, index_t rows, index_t columns)
    {
        return {data, long_index_t{heads} * rows * columns, long_index_t{rows} * columns, columns};
    }
};

/// A forward kernel, whichever it is, for one problem: O and lse of all queries.
template <class Kernel, class Device>
std::string check_attention(Device& device, const attention_sizes& sizes, std::uint64_t seed)
{
    using T = typename Kernel::element;
    using O = typename Kernel::output_type;
    constexpr bool causal = Kernel::variant::mask != attention_mask::none;
    attention_on<Device, T, O> on(sizes, seed);
    if constexpr (requires { requires Kernel::tile::key_values == key_value_place::same; })
        on.args.v = on.args.k;
    status s = on.arrays.error;
    if constexpr (requires { typename Kernel::combine; }) {
        typename Kernel::arguments split{on.args, 3, {}};
        split.workspace.size = split.workspace_size();
        split.workspace.data = on.arrays.template room<float>(split.workspace.size);
        s = s ? launch_attention_split(device, Kernel{}, split) : s;
    } else if constexpr (requires { typename Kernel::problem_type; }) {
        s = s ? launch_warp_specialized_attention(device, Kernel{}, on.args) : s;
    } else {
        s = s ? launch_attention(device, Kernel{}, on.args) : s;
    }
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    return check_formula<typename Kernel::target>(
        device, "O and lse", attention_output<T, O>{{on.args, causal, unit_of_sums<typename Kernel::target, T>}});
}

/// All kernels of a backward pass for one problem, behind the forward kernel of these tiles' types.
template <class Forward, class Kernels, class Device>
std::string check_attention_gradients(Device& device, const attention_sizes& sizes, std::uint64_t seed)
{
    using T = typename Kernels::element;
    using target = typename Kernels::target;
    constexpr bool causal = Kernels::variant::mask != attention_mask::none;
    attention_on<Device, T, T> on(sizes, seed);
    typename Kernels::problem problem;
    problem.forward = on.args;
    problem.d_o = on.template random<T>(sizes.heads, sizes.seq_q, sizes.value_dim, 7 * seed + 304);
    problem.dq = on.template room<T>(sizes.heads, sizes.seq_q, sizes.head_dim);
    problem.dk = on.template room<T>(sizes.kv_heads, sizes.seq_k, sizes.head_dim);
    problem.dv = on.template room<T>(sizes.kv_heads, sizes.seq_k, sizes.value_dim);
    float* const workspace = on.arrays.template room<float>(attention_backward_workspace::size(on.args));
    status s = on.arrays.error;
    s = s ? launch_attention(device, Forward{}, on.args) : s;
    s = s ? launch_attention_backward(device, Kernels{}, problem, workspace) : s;
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    const attention_scores<T, T> scores{on.args, causal};
    const auto& d_o = problem.d_o;
    return first_wrong(
        [&] { return check_formula<target>(device, "O and lse", attention_output<T, T>{scores}); },
        [&] {
            return check_formula<target>(device, "dQ", attention_gradient<T, gradient::dq>{scores, d_o, problem.dq});
        },
        [&] {
            return check_formula<target>(device, "dK", attention_gradient<T, gradient::dk>{scores, d_o, problem.dk});
        },
        [&] {
            return check_formula<target>(device, "dV", attention_gradient<T, gradient::dv>{scores, d_o, problem.dv});
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
    std::vector<attention_sizes> cases = {{1, 4, 2, 3, 70, d, v}, {2, 1, 1, Tile::queries + 1, keys, d - vector, v}};
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
