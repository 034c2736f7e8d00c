#pragma once

/// A mixture of experts on the emulator, against the sums in double.

#include <tegula/moe.hpp>

#include "test/kernel/device_of.hpp"
#include "test/kernel/gemm/forms/forms.hpp"

#include <array>
#include <numeric>

namespace tegula::test {

struct moe_case
{
    long_index_t tokens, width, hidden;
    index_t experts, k;
    int logits; ///< 0 random, 1 all tokens to the same experts, 2 many equal

    std::string text() const
    {
        std::ostringstream s;
        s << tokens << " tokens, " << width << " x " << hidden << ", " << k << " of " << experts << " experts, logits "
          << logits;
        return s.str();
    }
};

/// The experts of a row of logits: the largest first, ties to the lower one.
inline std::vector<index_t> choose_experts(const float* logits, index_t experts, index_t k)
{
    std::vector<index_t> order(static_cast<std::size_t>(experts));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) { return logits[a] > logits[b]; });
    order.resize(static_cast<std::size_t>(k));
    return order;
}

/// The layer in double, with what the kernels round: the values between, to T.
template <class T>
std::vector<double> reference_moe(const moe_case& f, const std::vector<T>& x, const std::vector<T>& w1,
                                  const std::vector<T>& w1_up, const std::vector<T>& w2,
                                  const std::vector<float>& logits)
{
    const auto at = [](long_index_t i) { return static_cast<std::size_t>(i); };
    std::vector<double> out(at(f.tokens * f.width));
    for (long_index_t t = 0; t < f.tokens; ++t) {
        const float* const row = logits.data() + t * f.experts;
        const auto chosen = choose_experts(row, f.experts, f.k);
        double sum = 0;
        for (index_t e : chosen)
            sum += std::exp(static_cast<double>(row[e]) - static_cast<double>(row[chosen[0]]));
        for (index_t e : chosen) {
            const double weight = std::exp(static_cast<double>(row[e]) - static_cast<double>(row[chosen[0]])) / sum;
            for (long_index_t h = 0; h < f.hidden; ++h) {
                const auto sum_with = [&](const std::vector<T>& w) {
                    double z = 0;
                    for (long_index_t d = 0; d < f.width; ++d)
                        z += static_cast<double>(x[at(t * f.width + d)]) *
                             static_cast<double>(w[at((e * f.width + d) * f.hidden + h)]);
                    return z;
                };
                const double z = sum_with(w1), up = w1_up.empty() ? 1 : sum_with(w1_up);
                const auto y = static_cast<double>(convert<T>(static_cast<float>(z / (1 + std::exp(-z)) * up)));
                for (long_index_t d = 0; d < f.width; ++d)
                    out[at(t * f.width + d)] +=
                        weight * y * static_cast<double>(w2[at((e * f.hidden + h) * f.width + d)]);
            }
        }
    }
    return out;
}

template <class Tile, bool Gated = false>
void check_moe(const moe_case& f)
{
    using T = typename Tile::a_type;
    INFO(f.text());
    random_source random(static_cast<std::uint64_t>(f.tokens * 100 + f.experts));
    const auto fill = [&](long_index_t count, float limit) {
        std::vector<T> values(static_cast<std::size_t>(count));
        for (T& v : values)
            v = convert<T>(random.uniform(-limit, limit));
        return values;
    };
    const auto x = fill(f.tokens * f.width, 1);
    const auto w1 = fill(f.experts * f.width * f.hidden, 0.5f), w2 = fill(f.experts * f.width * f.hidden, 0.5f);
    // A few units too: the sum of `width` products of numbers up to 1 is then about 1.
    const auto w1_up =
        Gated ? fill(f.experts * f.width * f.hidden, 3 / std::sqrt(static_cast<float>(f.width))) : std::vector<T>();
    std::vector<float> logits(static_cast<std::size_t>(f.tokens * f.experts));
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const auto expert = static_cast<float>(static_cast<index_t>(i) % f.experts);
        logits[i] = f.logits == 0   ? static_cast<float>(random.uniform(-3, 3))
                    : f.logits == 1 ? expert
                                    : static_cast<float>(random.integer(0, 2));
    }
    std::vector<float> out(static_cast<std::size_t>(f.tokens * f.width), poison<float>());
    moe_arguments<T, float> args{f.tokens, f.width,   f.hidden,  f.experts,     f.k,        x.data(),
                                 f.width,  w1.data(), w2.data(), logits.data(), out.data(), f.width};
    std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(moe_workspace_bytes(args) / 16 + 1));
    args.workspace = {workspace.data(), moe_workspace_bytes(args)};
    args.w1_up = Gated ? w1_up.data() : nullptr;
    device_of<typename Tile::target> device;
    const status s = launch(device, moe_kernels<Tile, Gated>{}, args);
    INFO(report_of(device) << s.message());
    REQUIRE(s.ok());
    if constexpr (counts_sectors<typename Tile::target>) {
        CHECK(device.result.counters.shared_load_conflicts == 0);
        CHECK(device.result.counters.shared_store_conflicts == 0);
    }

    const auto exact = reference_moe(f, x, w1, w1_up, w2, logits);
    // The values between are of a few units and may be rounded the other way: half a unit of T in each of them.
    const double unit = std::ldexp(1.0, -number_traits<T>::mantissa_bits);
    const double scale = 0.5 * std::sqrt(static_cast<double>(f.width) / 3) * static_cast<double>(f.hidden);
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        worst = std::max(worst, std::isnan(out[i]) ? INFINITY : std::fabs(static_cast<double>(out[i]) - exact[i]));
    CHECK(worst <= 0.5 * unit * scale);
    // Routing: each slot has one row among those of its expert.
    if (f.tokens == 0)
        return;
    const moe_workspace w = make_moe_workspace(args);
    const auto* const base = reinterpret_cast<const std::byte*>(workspace.data());
    const auto* const chosen = reinterpret_cast<const index_t*>(base + w.chosen);
    const auto* const first_row = reinterpret_cast<const index_t*>(base + w.first_row);
    const auto* const slot_of_row = reinterpret_cast<const index_t*>(base + w.slot_of_row);
    bool right = first_row[0] == 0 && first_row[f.experts] == f.tokens * f.k;
    for (long_index_t t = 0; t < f.tokens; ++t) {
        const auto expected = choose_experts(logits.data() + t * f.experts, f.experts, f.k);
        right = right && std::equal(expected.begin(), expected.end(), chosen + t * f.k);
    }
    for (index_t e = 0; e < f.experts; ++e)
        for (index_t r = first_row[e]; r < first_row[e + 1]; ++r)
            right = right && chosen[slot_of_row[r]] == e && (r == first_row[e] || slot_of_row[r] > slot_of_row[r - 1]);
    CHECK(right);
}

/// The sum of a token's slots alone, Vector columns a lane, of rows `gap` elements further apart than they are long; of whole
/// sectors none is touched twice.
template <class Target, class Out, int Vector>
void check_combine(long_index_t tokens, long_index_t columns, index_t k, long_index_t gap = 0)
{
    if (columns % Vector != 0 || (columns + gap) % Vector != 0)
        return;
    INFO(tokens << " tokens of " << columns << " columns, " << k << " experts, gap " << gap);
    const auto at = [](long_index_t i) { return static_cast<std::size_t>(i); };
    random_source random(static_cast<std::uint64_t>(tokens * 100 + columns));
    struct alignas(32) sector
    {
        std::byte bytes[32];
    };
    std::vector<sector> parts_memory(at(tokens * k * columns / 8 + 1)),
        out_memory(at(tokens * (columns + gap) / 8 + 1));
    auto* const parts = reinterpret_cast<float*>(parts_memory.data());
    auto* const out = reinterpret_cast<Out*>(out_memory.data());
    const long_index_t stride = columns + gap;
    for (long_index_t i = 0; i < tokens * k * columns; ++i)
        parts[i] = static_cast<float>(random.uniform(-3, 3));
    std::fill(out, out + tokens * stride, convert<Out>(-72.0f));
    const auto run = [&](auto kernel) {
        using kernel_type = decltype(kernel);
        const typename kernel_type::arguments args{tokens, columns, k, parts, out, stride};
        emulated_device device;
        const status s = launch(device, kernel, args);
        INFO(device.result.report << s.message());
        REQUIRE(s.ok());
        return device.result.counters;
    };
    const auto counters = run(moe_combine<Target, Out, Vector>{});
    const auto is_whole = [&](long_index_t elements) { return elements * sizeof(Out) % 32 == 0; };
    if (Vector * sizeof(Out) == 16 && is_whole(columns) && is_whole(stride)) {
        CHECK(counters.global_load_sectors == tokens * k * columns * static_cast<long_index_t>(sizeof(float)) / 32);
        CHECK(counters.global_store_sectors == tokens * columns * static_cast<long_index_t>(sizeof(Out)) / 32);
    }
    double worst = 0;
    for (long_index_t t = 0; t < tokens; ++t)
        for (long_index_t j = 0; j < stride; ++j) {
            double sum = j < columns ? 0 : -72; // which every type holds
            for (index_t i = 0; i < (j < columns ? k : 0); ++i)
                sum += static_cast<double>(parts[(t * k + i) * columns + j]);
            // One rounding to Out, of e4m3 at least half of 2^-9, and k - 1 of float sums below 3 k. Between the rows nothing is
            // written.
            const double bound = j < columns ? std::ldexp(std::fabs(sum), -number_traits<Out>::mantissa_bits - 1) +
                                                   (sizeof(Out) == 1 ? 0x1p-10 : 0) + std::ldexp(3.0 * k * (k - 1), -24)
                                             : 0;
            worst = std::max(worst, std::fabs(static_cast<double>(convert<float>(out[t * stride + j])) - sum) - bound);
        }
    CHECK(worst <= 0);
}

/// Whole blocks, a block's part, a pair of lanes in which one has no columns, rows that are no vectors.
template <class Target>
void check_combines()
{
    for (const auto& [tokens, columns, k, gap] :
         {std::array<int, 4>{3, 2048, 2, 0}, {5, 96, 3, 0}, {4, 24, 2, 8}, {3, 8, 4, 0}, {3, 20, 2, 1}, {7, 5, 1, 0}}) {
        check_combine<Target, bfloat16, 8>(tokens, columns, k, gap);
        check_combine<Target, bfloat16, 1>(tokens, columns, k, gap);
        check_combine<Target, half, 8>(tokens, columns, k, gap);
        check_combine<Target, half, 4>(tokens, columns, k, gap);
        check_combine<Target, float, 4>(tokens, columns, k, gap);
        check_combine<Target, float8_e4m3, 8>(tokens, columns, k, gap);
    }
}

} // namespace tegula::test
