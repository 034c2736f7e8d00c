#pragma once

/// Random attentions, forward and backward one after the other, each result against the formula and its bound: every mask,
/// biases up to 1e30 and the lowest float, rows without keys, scales of 0 and below.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/tiles.hpp>
#include <tegula/mma/table/instruction.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace tegula::test {

/// The variant of the problems' kernels: masks of all kinds are boolean ones inside a band.
using random_variant = attention_variant<attention_mask::boolean, attention_bias::tensor>;

/// A problem of a seed. T of Q, K, V and their gradients, O of the output.
template <class T, class O = T>
struct random_attention
{
    attention_backward_arguments<T, O, T> b;
    std::string text;
    std::vector<T> q, k, v, d_q, d_k, d_v;
    std::vector<O> o, d_o;
    std::vector<float> lse, bias, d_bias, sinks, d_sinks;
    std::vector<unsigned char> boolean;
    std::vector<index_t> key_lengths;

    /// varies: whether sequences may have lengths of their own.
    random_attention(std::uint64_t seed, bool varies) : random_(seed)
    {
        auto& a = b.forward;
        a.batch = random_.integer(1, 2);
        a.heads = random_.integer(1, 2);
        a.kv_heads = a.heads == 2 && one_of(2) ? 1 : a.heads;
        a.seq_q = random_.integer(1, 140);
        a.seq_k = one_of(4) ? random_.integer(1, 4) : random_.integer(5, 200);
        constexpr index_t vector = 16 / static_cast<index_t>(sizeof(T));
        a.head_dim = 64 - vector * random_.integer(0, 2);
        a.value_dim = 64 - vector * random_.integer(0, 2);
        const float scales[] = {1 / std::sqrt(static_cast<float>(a.head_dim)), 0.0f, -0.3f, 1e-3f, 1.5f};
        a.scale = one_of(2) ? scales[0] : scales[random_.integer(0, 4)];
        a.q = random_tensor(q, a.heads, a.seq_q, a.head_dim);
        a.k = random_tensor(k, a.kv_heads, a.seq_k, a.head_dim);
        a.v = random_tensor(v, a.kv_heads, a.seq_k, a.value_dim);
        b.d_o = random_tensor(d_o, a.heads, a.seq_q, a.value_dim);
        a.o = tensor(o, a.heads, a.seq_q, a.value_dim);
        b.dq = tensor(d_q, a.heads, a.seq_q, a.head_dim);
        b.dk = tensor(d_k, a.kv_heads, a.seq_k, a.head_dim);
        b.dv = tensor(d_v, a.kv_heads, a.seq_k, a.value_dim);
        lse.resize(static_cast<std::size_t>(a.batch * a.heads * a.seq_q));
        a.lse = {lse.data(), long_index_t{a.heads} * a.seq_q, a.seq_q};
        make_band();
        make_boolean();
        make_bias();
        if (one_of(4) && varies) {
            for (index_t i = 0; i < a.batch; ++i)
                key_lengths.push_back(random_.integer(0, a.seq_k));
            a.lengths.key_lengths = key_lengths.data();
        }
        if (one_of(4)) {
            const float numbers[] = {0.25f, -3.0f, 40.0f, -1e9f};
            for (index_t h = 0; h < a.heads; ++h)
                sinks.push_back(numbers[random_.integer(0, 3)]);
            d_sinks.resize(sinks.size());
            a.sinks = sinks.data();
            b.d_sinks = d_sinks.data();
        }
        std::ostringstream s;
        s << "seed " << seed << ": " << a.batch << " x " << a.heads << " (" << a.kv_heads << ") heads, " << a.seq_q
          << " x " << a.seq_k << ", columns " << a.head_dim << ", " << a.value_dim << ", scale " << a.scale << ", band "
          << a.band.left << ", " << a.band.right << ", bias of kind " << bias_kind_ << ", " << key_lengths.size()
          << " lengths, " << sinks.size() << " sinks";
        text = s.str();
    }
    random_attention(const random_attention&) = delete;

private:
    bool one_of(int n) { return random_.integer(0, n - 1) == 0; }
    float magnitude()
    {
        return static_cast<float>(std::pow(10.0, random_.uniform(0, 30))) * (one_of(2) ? 1.0f : -1.0f);
    }

    template <class Element>
    attention_tensor<const Element> random_tensor(std::vector<Element>& x, index_t heads, index_t rows, index_t columns)
    {
        const attention_tensor<Element> all = tensor(x, heads, rows, columns);
        for (Element& value : x)
            value = convert<Element>(static_cast<float>(random_.normal()));
        return {all.data, all.batch_stride, all.head_stride, all.row_stride};
    }
    template <class Element>
    attention_tensor<Element> tensor(std::vector<Element>& x, index_t heads, index_t rows, index_t columns)
    {
        const index_t row = round_up(columns, 16 / static_cast<index_t>(sizeof(Element)));
        x.assign(static_cast<std::size_t>(b.forward.batch * heads * rows * row), convert<Element>(3.0f));
        return {x.data(), long_index_t{heads} * rows * row, long_index_t{rows} * row, row};
    }

    void make_band()
    {
        auto& band = b.forward.band;
        if (one_of(2))
            return;
        band.right = one_of(2) ? 0 : random_.integer(0, 60);
        band.left = one_of(2) ? -1 : random_.integer(0, 60);
        if (one_of(3))
            band.diagonal = attention_diagonal::top_left;
        if (one_of(4))
            band.prefix = random_.integer(0, 20);
    }
    void make_boolean()
    {
        auto& a = b.forward;
        const double seen[] = {1, 1, 0.9, 0.5, 0.05};
        const double share = seen[random_.integer(0, 4)];
        boolean.resize(static_cast<std::size_t>(a.heads) * static_cast<std::size_t>(a.seq_q * a.seq_k));
        for (auto& x : boolean)
            x = random_.uniform() < share;
        a.boolean = {boolean.data(), 0, long_index_t{a.seq_q} * a.seq_k, a.seq_k, 1};
    }
    /// Makes a bias for each head, for all sequences.
    void make_bias()
    {
        constexpr float infinity = std::numeric_limits<float>::infinity(),
                        lowest = std::numeric_limits<float>::lowest();
        const float hiding[] = {-1e4f, -1e9f, -1e30f, lowest, -infinity};
        auto& a = b.forward;
        bias.resize(boolean.size());
        bias_kind_ = random_.integer(0, 7);
        const float one = hiding[random_.integer(0, 4)];
        const index_t first_hidden = random_.integer(0, a.seq_k);
        for (std::size_t i = 0; i < bias.size(); i += static_cast<std::size_t>(a.seq_k)) {
            const bool special = one_of(4);
            const float of_row = magnitude(), near = static_cast<float>(random_.uniform(2000, 9000));
            for (index_t j = 0; j < a.seq_k; ++j) {
                const auto normal = static_cast<float>(random_.normal());
                float& x = bias[i + static_cast<std::size_t>(j)];
                switch (bias_kind_) {
                case 0:
                    x = 0;
                    break;
                case 1:
                    x = normal;
                    break;
                case 2:
                    x = magnitude();
                    break;
                case 3:
                    x = special ? of_row + normal : normal;
                    break;
                case 4:
                    x = j >= first_hidden ? one : 0;
                    break;
                case 5:
                    x = special ? one : normal;
                    break;
                case 6:
                    x = special ? near + normal : normal - near;
                    break;
                default:
                    x = one_of(3) ? hiding[random_.integer(0, 4)] : normal;
                    break;
                }
            }
        }
        a.bias = {bias.data(), 0, long_index_t{a.seq_q} * a.seq_k, a.seq_k, 1};
        d_bias.resize(bias.size());
        b.d_bias = {d_bias.data(), 0, a.bias.head_stride, a.bias.query_stride, 1};
    }

    random_source random_;
    int bias_kind_ = 0;
};

/// Floats at a multiple of 16 bytes.
class aligned_floats
{
public:
    explicit aligned_floats(long_index_t count) : memory_(static_cast<std::size_t>(count) + 4) {}
    float* data()
    {
        const auto behind = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(memory_.data()) % 16);
        return memory_.data() + (16 - behind) % 16 / sizeof(float);
    }

private:
    std::vector<float> memory_;
};

/// Largest error of the problems of `count` seeds, in bounds.
///
///   Forward   an attention_kernel of random_variant, one of split keys or one by tensor copies, of up to 64 columns
///   Backward  attention_backward_kernels of the same, or void
///   Device    that runs them
template <class Forward, class Backward, class Device = emulated_device>
double check_random_attentions(std::uint64_t first, int count)
{
    constexpr bool lengths_vary = [] {
        if constexpr (requires { Forward::any_length; }) // kernels by tensor copies
            return Forward::any_length;
        else
            return true;
    }();
    constexpr double least =
        least_input(arch_of<typename Forward::target>(), kind_of_type<typename Forward::element>());
    double worst = 0;
    for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
        random_attention<typename Forward::element, typename Forward::output_type> problem(seed, lengths_vary);
        auto& b = problem.b;
        INFO(problem.text);
        Device device;
        const auto report_of = [&] {
            if constexpr (requires { device.result.report; })
                return device.result.report;
            else
                return std::string();
        };
        const auto verify = [&](const char* name, const std::vector<double>& result, const std::vector<double>& exact,
                                const std::vector<double>& bounds) {
            const error_report report = verify_within(result, exact, bounds);
            INFO(name << " element " << report.worst_index << ": off by " << report.worst_error << ", the bound is "
                      << report.worst_bound());
            CHECK(report.passed);
            worst = std::fmax(worst, report.worst_ratio);
        };
        const auto verify_tensor = [&](const char* name, const auto& tensor, const attention_array& exact) {
            verify(name, gather_attention(tensor, exact), exact.values, exact.bounds);
        };
        status s;
        if constexpr (requires { typename Forward::combine; }) {
            typename Forward::arguments args{b.forward, 3, {}};
            aligned_floats memory(args.workspace_size());
            args.workspace = {memory.data(), args.workspace_size()};
            s = launch(device, Forward{}, args);
        } else {
            s = launch(device, Forward{}, {b.forward});
        }
        INFO(s.message() << report_of());
        REQUIRE(s.ok());
        const attention_result forward = reference_attention<random_variant>(b.forward, least);
        verify_tensor("O", b.forward.o, forward.o);
        verify_tensor("lse", b.forward.lse, forward.lse);
        if constexpr (!std::is_void_v<Backward>) {
            aligned_floats workspace(Backward::workspace_floats(b.forward));
            s = launch(device, Backward{}, {b, {workspace.data()}});
            INFO(s.message() << report_of());
            REQUIRE(s.ok());
            const attention_gradients exact = reference_attention_backward<random_variant>(b, least);
            verify_tensor("dQ", b.dq, exact.dq);
            verify_tensor("dK", b.dk, exact.dk);
            verify_tensor("dV", b.dv, exact.dv);
            verify("dbias", std::vector<double>(problem.d_bias.begin(), problem.d_bias.end()), exact.d_bias,
                   exact.d_bias_bounds);
            verify("dsinks", std::vector<double>(problem.d_sinks.begin(), problem.d_sinks.end()), exact.d_sinks,
                   exact.d_sink_bounds);
        }
    }
    return worst;
}

/// By the kernels that a target has for T.
template <class Target, class T, class Device = emulated_device>
double check_random_attentions_of(std::uint64_t first, int count)
{
    return check_random_attentions<
        attention_kernel<attention_tile_for<Target, T, 64, 64, random_variant>, T, random_variant>,
        attention_backward_for<Target, T, 64, 64, random_variant>, Device>(first, count);
}

} // namespace tegula::test
