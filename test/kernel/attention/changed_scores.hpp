#pragma once

#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/kernel/attention/harness.hpp"

namespace tegula::test {

/// Everything that changes scores and weights at once, for two heads: a soft-cap, a bias, a boolean mask
/// inside a band, dropout and sinks. Holds what the arguments point to.
struct changed_scores
{
    std::vector<float> bias, sinks = {0.5f, -1.0f};
    std::vector<unsigned char> mask;

    template <class Kernel>
    explicit changed_scores(attention_data<Kernel>& data)
        : bias(static_cast<std::size_t>(data.args.seq_q) * static_cast<std::size_t>(data.args.seq_k)),
          mask(2 * bias.size())
    {
        auto& args = data.args;
        args.score.cap = 1.5f;
        args.band.right = 20;
        args.scale = -0.25f;
        fill_normal<float>(bias, 5);
        random_source random(6);
        for (auto& m : mask)
            m = random.integer(0, 3) != 0;
        args.bias = {bias.data(), 0, 0, args.seq_k, 1};
        args.boolean = {mask.data(), 0, args.seq_q * args.seq_k, args.seq_k, 1};
        args.dropout = make_dropout(0.3, 11);
        args.sinks = sinks.data();
    }

    /// Makes a query of the first head see nothing.
    template <class Kernel>
    void hide_from_query(const attention_data<Kernel>& data, long_index_t query)
    {
        const auto first = mask.begin() + query * data.args.seq_k;
        std::fill(first, first + data.args.seq_k, static_cast<unsigned char>(0));
    }
};

} // namespace tegula::test
