/// Probabilities of the backward pass by themselves: none is above 1, however the exponent of its row is rounded.

#include <tegula/host/cpu_attention_backward.hpp>
#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

/// 128 queries with one key that counts, at scores between -most and most; O is 0, V and dO are so that dP is 1.
template <class Kernels>
struct single_keys
{
    using T = typename Kernels::element;
    static constexpr index_t count = 128, columns = 64;
    attention_gradient_case c;
    attention_memory<T> q, k, v, o, d_o, dq, dk, dv;
    std::vector<float> lse, scores, d_bias = std::vector<float>(count);
    attention_backward_arguments<T, T, T, unchanged_score> b;

    single_keys(long_index_t batch, index_t queries, index_t keys, double most = 2800)
        : q(c, batch, 1, queries, columns), k(c, batch, 1, keys, columns), v(c, batch, 1, keys, columns),
          o(c, batch, 1, queries, columns), d_o(c, batch, 1, queries, columns), dq(c, batch, 1, queries, columns),
          dk(c, batch, 1, keys, columns), dv(c, batch, 1, keys, columns)
    {
        random_source random(1);
        for (auto* x : {&q, &k, &v, &o, &d_o, &dq, &dk, &dv})
            x->fill(random, 0);
        for (long_index_t i = 0; i < count; ++i) {
            scores.push_back(static_cast<float>(most * (2 * random.uniform() - 1)));
            d_o.tensor.data[i * columns] = T(1.0f);
        }
        for (long_index_t i = 0; i < batch; ++i)
            v.tensor.data[i * v.tensor.batch_stride] = T(1.0f);
        auto& a = b.forward;
        a.batch = batch;
        a.heads = a.kv_heads = 1;
        a.seq_q = queries;
        a.seq_k = keys;
        a.head_dim = a.value_dim = columns;
        a.q = q.read();
        a.k = k.read();
        a.v = v.read();
        a.o = o.tensor;
        a.lse = {lse.data(), queries, queries};
        b.d_o = d_o.read();
        b.dq = dq.tensor;
        b.dk = dk.tensor;
        b.dv = dv.tensor;
    }
    template <class Device>
    void run(Device device)
    {
        b.forward.lse.data = lse.data();
        emulated_memory workspace;
        REQUIRE(workspace.allocate(static_cast<std::size_t>(Kernels::workspace_floats(b.forward)) * sizeof(float)));
        const status ran = launch(device, Kernels{}, {b, {static_cast<float*>(workspace.data())}});
        INFO(ran.message());
        REQUIRE(ran);
    }
    static void check(float score, double p)
    {
        INFO("score " << score << ": P is 1 + " << p - 1);
        CHECK(p <= 1);
        CHECK(p > 1 - 0x1p-10);
    }
};

/// lacking: relative to the sum whose logarithm lse is.
template <class Target>
void check_probabilities_of_biases(double lacking = 0)
{
    using kernels = attention_backward_for<Target, half, 64, 64, banded_and_biased>;
    INFO(Target::chip().name);
    single_keys<kernels> x(1, single_keys<kernels>::count, 1, lacking > 0 ? 1 : 2800);
    for (const float score : x.scores)
        x.lse.push_back(static_cast<float>(static_cast<double>(score) - lacking));
    x.b.forward.bias = {x.scores.data(), 0, 0, 1, 1};
    x.b.d_bias = {x.d_bias.data(), 0, 0, 1, 1};
    x.run(emulated_device{});
    for (std::size_t i = 0; i < x.scores.size(); ++i)
        x.check(x.scores[i], static_cast<double>(x.d_bias[i])); // P (dP - rowsum(dO O)) = P
}

} // namespace

TEST_CASE("attention backward: probabilities are at most 1")
{
    check_probabilities_of_biases<arch::gfx942>();
    check_probabilities_of_biases<arch::sm_80>();
    check_probabilities_of_biases<arch::sm_100a>(0x1p-18); // its sums are of polynomials
}

TEST_CASE("CPU attention backward: probabilities are at most 1", "[attention][cpu]")
{
    using kernels = attention_backward_for<arch::x86_avx2, float, 64, 64, attention_variant<>, float>;
    constexpr index_t keys = 84; // a whole tile, beside which the first key of each sequence is
    single_keys<kernels> x(single_keys<kernels>::count, 1, keys);
    x.b.forward.scale = 0.93f;
    for (std::size_t i = 0; i < x.scores.size(); ++i) {
        const auto score = std::fabs(x.scores[i]) + 100; // the other keys have 0
        x.q.tensor.data[static_cast<long_index_t>(i) * x.columns] = score;
        x.k.tensor.data[static_cast<long_index_t>(i) * x.k.tensor.batch_stride] = 1;
        x.lse.push_back(0.93f * score);
    }
    x.run(cpu_device{});
    for (std::size_t i = 0; i < x.scores.size(); ++i)
        x.check(x.lse[i],
                static_cast<double>(x.dv.tensor.data[static_cast<long_index_t>(i) * x.dv.tensor.batch_stride]));
}
