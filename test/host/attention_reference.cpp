/// The reference of attention against a formula of one's own in a few lines, and its gradients against differences of
/// its forward pass. Tensors in double throughout, so that nothing is hidden by rounding.

#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

using namespace tegula;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// cap * tanh(score / cap), hidden where query and key have another parity than the head.
struct capped_score
{
    double cap = 1.5;
    double operator()(double score, const attention_place&) const { return cap * std::tanh(score / cap); }
    double derivative(double score, const attention_place&) const
    {
        const double t = std::tanh(score / cap);
        return 1 - t * t;
    }
    bool visible(const attention_place& at) const { return (at.query + at.key + at.head) % 3 != 0; }
};

/// Tensors of a small problem: 2 sequences, 4 heads that share 2, 5 queries, 6 keys, 4 and 3 columns.
template <class Score = unchanged_score>
struct problem
{
    static constexpr long_index_t batch = 2, heads = 4, kv_heads = 2, queries = 5, keys = 6, dim = 4, value_dim = 3;

    std::vector<double> q = random(batch * heads * queries * dim, 1), k = random(batch * kv_heads * keys * dim, 2),
                        v = random(batch * kv_heads * keys * value_dim, 3),
                        d_o = random(batch * heads * queries * value_dim, 4);
    std::vector<float> bias = floats(heads * keys, 5), slopes = {0.5f, 0.25f, 0.125f, 1}, sinks = floats(heads, 6);
    attention_arguments<double, double, Score> a;

    problem()
    {
        a.batch = batch, a.heads = heads, a.kv_heads = kv_heads, a.seq_q = queries, a.seq_k = keys;
        a.head_dim = dim, a.value_dim = value_dim, a.scale = 0.75f;
        a.q = {q.data(), heads * queries * dim, queries * dim, dim};
        a.k = {k.data(), kv_heads * keys * dim, keys * dim, dim};
        a.v = {v.data(), kv_heads * keys * value_dim, keys * value_dim, value_dim};
        a.bias = {bias.data(), 0, keys, 0, 1}; // one row a head, for all queries and sequences
        a.alibi = {slopes.data(), 0};
    }

    static std::vector<double> random(long_index_t n, std::uint64_t seed)
    {
        std::vector<double> x(static_cast<std::size_t>(n));
        fill_normal<double>(x, seed);
        return x;
    }
    static std::vector<float> floats(long_index_t n, std::uint64_t seed)
    {
        std::vector<float> x(static_cast<std::size_t>(n));
        fill_normal<float>(x, seed);
        for (float& value : x) // of few digits, so that value + step is exact
            value = std::round(value * 64) / 64;
        return x;
    }

    auto backward()
    {
        attention_backward_arguments<double, double, double, Score> b;
        b.forward = a;
        b.d_o = {d_o.data(), heads * queries * value_dim, queries * value_dim, value_dim};
        return b;
    }

    /// sum(O * dO)
    template <class Variant>
    double loss() const
    {
        const attention_result r = reference_attention<Variant>(a);
        double sum = 0;
        for (std::size_t i = 0; i < d_o.size(); ++i)
            sum += r.o.values[i] * d_o[i];
        return sum;
    }

    /// The derivative of the loss by each element of x.
    template <class Variant, class T>
    void check(std::vector<T>& x, const std::vector<double>& gradients, const char* name) const
    {
        constexpr double step = 0x1p-10;
        REQUIRE(gradients.size() == x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            INFO(name << " " << i);
            const T kept = x[i];
            const auto at = [&](double change) {
                x[i] = static_cast<T>(kept + change);
                return loss<Variant>();
            };
            // Five points: the error is of order step^4.
            const double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
            x[i] = kept;
            CHECK(std::fabs(slope - gradients[i]) < 1e-8 * (1 + std::fabs(gradients[i])));
        }
    }

    template <class Variant>
    void check_gradients()
    {
        const attention_gradients g = reference_attention_backward<Variant>(backward());
        check<Variant>(q, g.dq.values, "dQ");
        check<Variant>(k, g.dk.values, "dK");
        check<Variant>(v, g.dv.values, "dV");
        if (Variant::bias == attention_bias::tensor)
            check<Variant>(bias, g.d_bias, "dbias");
        if (a.sinks != nullptr)
            check<Variant>(sinks, g.d_sinks, "dsink");
    }
};

using enum attention_mask;
using plain = attention_variant<>;

} // namespace

TEST_CASE("the reference of attention is softmax(scale Q K^T + bias) V")
{
    problem p;
    p.a.sinks = p.sinks.data();
    using variant = attention_variant<none, attention_bias::tensor>;
    const attention_result r = reference_attention<variant>(p.a);
    for (long_index_t b = 0; b < p.batch; ++b)
        for (long_index_t h = 0; h < p.heads; ++h)
            for (long_index_t i = 0; i < p.queries; ++i) {
                double sum = std::exp(static_cast<double>(p.sinks[static_cast<std::size_t>(h)])), o[3] = {};
                for (long_index_t j = 0; j < p.keys; ++j) {
                    double s = p.bias[static_cast<std::size_t>(h * p.keys + j)];
                    const long_index_t kv = b * p.kv_heads + h / 2;
                    for (long_index_t c = 0; c < p.dim; ++c)
                        s += 0.75 * p.q[static_cast<std::size_t>(((b * p.heads + h) * p.queries + i) * p.dim + c)] *
                             p.k[static_cast<std::size_t>((kv * p.keys + j) * p.dim + c)];
                    sum += std::exp(s);
                    for (long_index_t c = 0; c < p.value_dim; ++c)
                        o[c] += std::exp(s) * p.v[static_cast<std::size_t>((kv * p.keys + j) * p.value_dim + c)];
                }
                CHECK(*r.lse.row(b, h, i) == Approx(std::log(sum)).epsilon(1e-12));
                for (long_index_t c = 0; c < p.value_dim; ++c)
                    CHECK(r.o.row(b, h, i)[c] == Approx(o[c] / sum).epsilon(1e-12).margin(1e-13));
            }
}

TEST_CASE("gradients of the reference are the slopes of its forward pass")
{
    SECTION("plain") { problem().check_gradients<plain>(); }
    SECTION("causal, bias, sinks")
    {
        problem p;
        p.a.sinks = p.sinks.data();
        p.a.band.right = 0;
        p.check_gradients<attention_variant<band, attention_bias::tensor>>();
    }
    SECTION("window, slopes, dropout, a user's scores and mask")
    {
        problem<capped_score> p;
        p.a.band = {2, 2, attention_diagonal::top_left};
        p.a.dropout = make_dropout(0.3, 11);
        p.check_gradients<attention_variant<band, attention_bias::alibi, attention_weights::dropped>>();
    }
    SECTION("prefixes, lengths of keys, sinks")
    {
        problem p;
        const index_t prefixes[] = {0, 3}, lengths[] = {6, 4};
        p.a.sinks = p.sinks.data();
        p.a.band = {1, 0};
        p.a.band.prefix_lengths = prefixes;
        p.a.lengths.key_lengths = lengths;
        p.check_gradients<attention_variant<band>>();
    }
    SECTION("a boolean mask that hides all keys of a query, bias")
    {
        problem p;
        std::vector<unsigned char> mask;
        for (long_index_t i = 0; i < p.queries * p.keys; ++i)
            mask.push_back(i >= p.keys && i % 3 != 1);
        p.a.boolean = {mask.data(), 0, 0, p.keys, 1};
        p.check_gradients<attention_variant<boolean, attention_bias::tensor>>();
    }
    SECTION("block lists, dropout")
    {
        problem p;
        const index_t counts[] = {1, 2, 0}, blocks[] = {1, -1, 0, 2, -1, -1}; // of 2 queries and 2 keys
        p.a.lists = {counts, blocks, 0, 0, 2, 2, 2};
        p.a.dropout = make_dropout(0.3, 11);
        p.check_gradients<attention_variant<lists, attention_bias::none, attention_weights::dropped>>();
    }
}

TEST_CASE("the reference sees sequences of unequal lengths, pages and lists as it sees plain tensors")
{
    problem p;
    const attention_result whole = reference_attention<plain>(p.a);
    SECTION("offsets")
    {
        // All sequences in one entry of the tensors: a head has rows [batch * rows], without gaps. There is one head
        // only, so that the rows of both sequences follow each other.
        auto a = p.a;
        a.heads = a.kv_heads = 1;
        const index_t queries[] = {0, 5, 10}, keys[] = {0, 6, 12}, used[] = {6, 4};
        a.q.row_stride = a.k.row_stride = p.dim;
        const attention_result separate = [&] {
            auto x = a;
            x.q.batch_stride = p.queries * p.dim, x.k.batch_stride = p.keys * p.dim;
            x.v.batch_stride = p.keys * p.value_dim;
            x.lengths.key_lengths = used;
            return reference_attention<plain>(x);
        }();
        a.lengths = {queries, keys, used};
        const attention_result joined = reference_attention<plain>(a);
        CHECK((joined.o.batch == 1 && joined.o.rows == 10));
        CHECK(joined.o.values == separate.o.values);
        CHECK(joined.lse.values == separate.lse.values);
    }
    SECTION("pages")
    {
        // Pages of two keys, in disorder.
        const index_t table[] = {4, 0, 3, 1, 5, 2};
        std::vector<double> k(p.k.size()), v(p.v.size());
        const auto move = [&](std::vector<double>& to, const std::vector<double>& from, long_index_t columns) {
            for (long_index_t b = 0; b < p.batch; ++b)
                for (long_index_t h = 0; h < p.kv_heads; ++h)
                    for (long_index_t j = 0; j < p.keys; ++j)
                        for (long_index_t c = 0; c < columns; ++c)
                            to[static_cast<std::size_t>(
                                ((table[b * 3 + j / 2] * p.kv_heads + h) * 2 + j % 2) * columns + c)] =
                                from[static_cast<std::size_t>(((b * p.kv_heads + h) * p.keys + j) * columns + c)];
        };
        move(k, p.k, p.dim);
        move(v, p.v, p.value_dim);
        auto a = p.a;
        a.k = {k.data(), p.kv_heads * 2 * p.dim, 2 * p.dim, p.dim};
        a.v = {v.data(), p.kv_heads * 2 * p.value_dim, 2 * p.value_dim, p.value_dim};
        a.pages = {table, 3, 2, 6};
        using paged = attention_variant<none, attention_bias::none, attention_weights::all, attention_cache::paged>;
        CHECK(reference_attention<paged>(a).o.values == whole.o.values);
    }
    SECTION("lists and a boolean mask that say the same")
    {
        const index_t counts[] = {1, 2, 0}, blocks[] = {1, -1, 0, 2, -1, -1}; // of 2 queries and 2 keys
        std::vector<unsigned char> mask(static_cast<std::size_t>(p.queries * p.keys));
        for (long_index_t i = 0; i < p.queries; ++i)
            for (long_index_t j = 0; j < p.keys; ++j) {
                const long_index_t row = i / 2, block = j / 2;
                mask[static_cast<std::size_t>(i * p.keys + j)] =
                    (row == 0 && block == 1) || (row == 1 && (block == 0 || block == 2));
            }
        p.a.lists = {counts, blocks, 0, 0, 2, 2, 2};
        p.a.boolean = {mask.data(), 0, 0, p.keys, 1};
        const attention_result by_lists = reference_attention<attention_variant<lists>>(p.a);
        const attention_result by_mask = reference_attention<attention_variant<boolean>>(p.a);
        CHECK(by_lists.o.values == by_mask.o.values);
        CHECK(by_lists.lse.values == by_mask.lse.values);
        // The last query sees nothing.
        CHECK(*by_lists.lse.row(1, 3, 4) == -infinity);
        CHECK(by_lists.o.row(1, 3, 4)[0] == 0);
        CHECK(*by_lists.lse.row(1, 3, 3) > -infinity);
    }
}

TEST_CASE("the reference of attention at infinities and NaN")
{
    problem p;
    SECTION("a bias of -inf hides a key, of all keys the query")
    {
        for (long_index_t j = 0; j < p.keys; ++j)
            p.bias[static_cast<std::size_t>(j)] = -std::numeric_limits<float>::infinity();
        p.bias[static_cast<std::size_t>(p.keys)] = -std::numeric_limits<float>::infinity();
        const attention_result r = reference_attention<attention_variant<none, attention_bias::tensor>>(p.a);
        CHECK((*r.lse.row(0, 0, 2) == -infinity && r.o.row(0, 0, 2)[1] == 0));
        CHECK(std::isfinite(*r.lse.row(0, 1, 2)));
    }
    SECTION("NaN and +inf give NaN, but not to queries that do not see them")
    {
        for (const double value : {std::nan(""), infinity}) {
            p.k[4] = value; // key 1 of the first sequence and head
            p.a.band.right = 0, p.a.band.diagonal = attention_diagonal::top_left;
            const attention_result r = reference_attention<attention_variant<band>>(p.a);
            CHECK(std::isfinite(*r.lse.row(0, 0, 0)));
            bool seen = false;
            for (index_t i = 1; i < 5; ++i)
                seen = seen || std::isnan(r.o.row(0, 0, i)[0]);
            CHECK(seen);
        }
    }
}

TEST_CASE("results are compared element by element, each with its bound")
{
    const std::vector<double> reference = {1, -2, infinity, std::nan("")}, bounds = {0.25, 0.5, 0, 0};
    const auto passes = [&](double a, double b, double c, double d) {
        return verify_within(std::vector{a, b, c, d}, reference, bounds).passed;
    };
    CHECK(passes(1.25, -1.5, infinity, std::nan("")));
    CHECK(!passes(1.2501, -2, infinity, std::nan("")));
    CHECK(!passes(1, -1.4, infinity, std::nan("")));
    CHECK(!passes(1, -2, -infinity, std::nan("")));
    CHECK(!passes(1, -2, infinity, 0));
    CHECK(!passes(std::nan(""), -2, infinity, std::nan("")));
}

namespace {

/// 40 queries of bf16, and their forward and backward reference.
struct rounded_problem
{
    static constexpr index_t queries = 40, dim = 32;
    index_t keys;
    std::vector<bfloat16> q, k, v, d_o;
    attention_backward_arguments<bfloat16, bfloat16, bfloat16> b;

    explicit rounded_problem(index_t key_count)
        : keys(key_count), q(queries * dim), k(static_cast<std::size_t>(keys * dim)), v(k.size()), d_o(q.size())
    {
        std::uint64_t seed = 1;
        for (auto* x : {&q, &k, &v, &d_o})
            fill_normal<bfloat16>(*x, seed++);
        auto& a = b.forward;
        a.batch = a.heads = a.kv_heads = 1, a.seq_q = queries, a.seq_k = keys, a.head_dim = a.value_dim = dim;
        a.scale = 0.25f;
        a.q = {q.data(), 0, 0, dim}, a.k = {k.data(), 0, 0, dim}, a.v = {v.data(), 0, 0, dim};
        b.d_o = {d_o.data(), 0, 0, dim};
    }
};

} // namespace

TEST_CASE("bounds of attention let no error pass that is not rounding")
{
    for (const index_t keys : {3, 64, 300}) {
        INFO(keys << " keys");
        rounded_problem right(keys);
        const attention_result o = reference_attention<plain>(right.b.forward);
        const attention_gradients g = reference_attention_backward<plain>(right.b);
        const auto sees = [&](const rounded_problem& wrong, bool in_dk = true) {
            const attention_result other = reference_attention<plain>(wrong.b.forward);
            const attention_gradients gradients = reference_attention_backward<plain>(wrong.b);
            CHECK(!verify_attention(other.o.values, o.o).passed);
            CHECK(!verify_attention(gradients.dq.values, g.dq).passed);
            if (in_dk)
                CHECK(!verify_attention(gradients.dk.values, g.dk).passed);
            CHECK(!verify_attention(gradients.dv.values, g.dv).passed);
        };
        { // the last key counts twice
            rounded_problem wrong(keys);
            std::copy_n(wrong.k.end() - wrong.dim, wrong.dim, wrong.k.begin());
            std::copy_n(wrong.v.end() - wrong.dim, wrong.dim, wrong.v.begin());
            sees(wrong);
        }
        { // a quarter off in the scale
            rounded_problem wrong(keys);
            wrong.b.forward.scale = 0.3125f;
            sees(wrong);
        }
        { // one query has the columns of another
            rounded_problem wrong(keys);
            std::copy_n(wrong.q.begin(), wrong.dim, wrong.q.begin() + 5 * wrong.dim);
            sees(wrong, keys > 3); // of 40 queries, in each of whose gradients P (dP - delta) cancels
        }
        {
            std::vector<double> dq = g.dq.values;
            for (double& x : dq)
                x *= 1.1;
            CHECK(!verify_attention(dq, g.dq).passed);
            std::vector<double> lse = o.lse.values;
            lse[3] += 0.001;
            CHECK(!verify_attention(lse, o.lse).passed);
        }
    }
}
