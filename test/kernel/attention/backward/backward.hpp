#pragma once

/// Gradients of attention on the emulator with every check on, against the formula in 64-bit arithmetic.

#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"
#include "test/kernel/attention/far_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tegula::test {

struct attention_gradient_case
{
    long_index_t batch = 1;
    index_t heads = 1, kv_heads = 1, seq_q = 1, seq_k = 1, head_dim = 64, value_dim = 64;
    attention_band band = {};
    bool sinks = false;
    std::vector<index_t> query_offsets = {}, key_offsets = {}, key_lengths = {};
    /// Over what a bias repeats.
    enum class repeats { nothing, batch_and_queries, batch_and_heads, keys, all } bias = repeats::nothing;
    index_t block_length = 128; ///< of block lists, of queries and of keys
    bool heads_inside = false;  ///< rows of all heads of a query are neighbours, as [batch, rows, heads, columns]
    long_index_t row = 0;       ///< elements from one row to the next, at least the columns; 0: as few as these take
    bool hiding_bias = false;   ///< the bias is -inf in one place of seven and for the whole of one query
    bool far_bias = false;      ///< of one query in four the bias is -1e10 and dO is 0, of one in four it is 1e8
    std::optional<float> scale = {}; ///< 1 / sqrt(head_dim) if there is none
    std::uint64_t seed = 42;
    /// K and V past the keys of a sequence, and Q and dO of one without keys, are no numbers.
    bool spoiled = false;
    std::vector<int> orders = {}; ///< of the emulator's lanes and waves, in which the same bits must come

    std::string text() const
    {
        std::ostringstream s;
        s << batch << " x " << heads << " (" << kv_heads << ") heads, " << seq_q << " x " << seq_k << ", columns "
          << head_dim << ", " << value_dim << ", band " << band.left << ", " << band.right << ", "
          << static_cast<int>(band.diagonal) << ", prefix " << band.prefix;
        return s.str();
    }
};

/// One tensor of a case in memory: its rows start at multiples of 16 bytes.
template <class T>
struct attention_memory
{
    attention_tensor<T> tensor;

    attention_memory(const attention_gradient_case& c, long_index_t batch, index_t heads, long_index_t rows,
                     index_t columns)
        : vectors(round_up(columns, 16 / static_cast<index_t>(sizeof(T)))), row(std::max<long_index_t>(vectors, c.row)),
          heads(heads), rows(batch * heads * rows),
          memory(2 * guard + static_cast<std::size_t>(this->rows * row) * sizeof(T))
    {
        T* const data = reinterpret_cast<T*>(static_cast<std::byte*>(memory.data()) + guard);
        tensor = c.heads_inside ? attention_tensor<T>{data, rows * heads * row, row, heads * row}
                                : attention_tensor<T>{data, heads * rows * row, rows * row, row};
    }

    void fill(random_source& random, double spread)
    {
        for (long_index_t r = 0; r < rows; ++r)
            for (index_t x = 0; x < vectors; ++x)
                tensor.data[r * row + x] = convert<T>(static_cast<float>(spread * random.normal()));
    }
    /// Makes the rows [first, last) of all heads of an entry of the batch no numbers.
    void spoil(long_index_t entry, long_index_t first, long_index_t last)
    {
        for (index_t head = 0; head < heads; ++head)
            for (long_index_t r = first; r < last; ++r)
                std::fill_n(tensor.data + entry * tensor.batch_stride + head * tensor.head_stride +
                                r * tensor.row_stride,
                            vectors, T(std::numeric_limits<float>::quiet_NaN()));
    }
    std::string bits() const
    {
        return {static_cast<const char*>(memory.data()) + guard, static_cast<std::size_t>(rows * row) * sizeof(T)};
    }
    attention_tensor<const T> read() const
    {
        return {tensor.data, tensor.batch_stride, tensor.head_stride, tensor.row_stride};
    }

private:
    static constexpr std::size_t guard = emulated_memory::guard;

    index_t vectors; ///< columns of whole vectors
    long_index_t row;
    index_t heads;
    long_index_t rows;
    far_memory memory;
};

/// Compares with the reference by its bounds.
inline void check_gradient(const char* name, const std::vector<double>& result, const std::vector<double>& exact,
                           const std::vector<double>& bounds)
{
    REQUIRE(result.size() == exact.size());
    const error_report report = verify_within(result, exact, bounds);
    INFO(name << ": element " << report.worst_index << " is off by " << report.worst_error << ", the bound is "
              << report.worst_bound());
    CHECK(report.passed);
}

/// Scores that a tanh keeps within a cap, and of which one diagonal in five is hidden.
struct capped_score
{
    float cap = 1;

    float operator()(float score, const attention_place&) const { return cap * std::tanh(score / cap); }
    float derivative(float score, const attention_place&) const
    {
        const float t = std::tanh(score / cap);
        return 1 - t * t;
    }
    bool visible(const attention_place& at) const { return (at.query + at.key) % 5 != 0; }
};

/// Which blocks of keys blocks of queries see, by either: two of three, and some see none.
class test_block_lists
{
public:
    test_block_lists(long_index_t lists, index_t rows, index_t columns) : rows_(rows), columns_(columns)
    {
        for (long_index_t l = 0; l < lists; ++l) {
            name(row_counts_, row_blocks_, rows, columns, [&](index_t i, index_t j) { return sees(l, i, j); });
            name(column_counts_, column_blocks_, columns, rows, [&](index_t j, index_t i) { return sees(l, i, j); });
        }
    }
    attention_block_lists by_queries(index_t heads, index_t length) const
    {
        return {row_counts_.data(), row_blocks_.data(), heads * rows_, rows_, columns_, length, length};
    }
    attention_block_lists by_keys(index_t heads, index_t length) const
    {
        return {column_counts_.data(), column_blocks_.data(), heads * columns_, columns_, rows_, length, length};
    }

private:
    static bool sees(long_index_t list, index_t i, index_t j) { return (list + 2 * i + j) % 3 != 0 && i + list != 1; }

    template <class Sees>
    static void name(std::vector<index_t>& counts, std::vector<index_t>& blocks, index_t rows, index_t columns,
                     const Sees& sees)
    {
        for (index_t i = 0; i < rows; ++i) {
            counts.push_back(0);
            std::vector<index_t> named(static_cast<std::size_t>(columns), -1);
            for (index_t j = 0; j < columns; ++j)
                if (sees(i, j))
                    named[static_cast<std::size_t>(counts.back()++)] = j;
            blocks.insert(blocks.end(), named.begin(), named.end());
        }
    }

    index_t rows_, columns_;
    std::vector<index_t> row_counts_, row_blocks_, column_counts_, column_blocks_;
};

/// Runs the case by the kernels and checks every gradient.
template <class Kernels, class Score = unchanged_score>
void check_attention_gradients(const attention_gradient_case& c, const Score& score = {}, double dropout = 0)
{
    using T = typename Kernels::element;
    using variant = typename Kernels::variant;
    INFO(Kernels::target::chip().name << ": " << c.text());
    random_source random(c.seed);
    const bool ragged_q = !c.query_offsets.empty(), ragged_k = !c.key_offsets.empty();
    const long_index_t batch_q = ragged_q ? 1 : c.batch, batch_k = ragged_k ? 1 : c.batch;
    const long_index_t rows_q = ragged_q ? c.query_offsets.back() : c.seq_q;
    const long_index_t rows_k = ragged_k ? c.key_offsets.back() : c.seq_k;

    attention_memory<T> q(c, batch_q, c.heads, rows_q, c.head_dim);
    attention_memory<T> k(c, batch_k, c.kv_heads, rows_k, c.head_dim);
    attention_memory<T> v(c, batch_k, c.kv_heads, rows_k, c.value_dim);
    attention_memory<T> o(c, batch_q, c.heads, rows_q, c.value_dim);
    attention_memory<T> d_o(c, batch_q, c.heads, rows_q, c.value_dim);
    attention_memory<T> dq(c, batch_q, c.heads, rows_q, c.head_dim);
    attention_memory<T> dk(c, batch_k, c.kv_heads, rows_k, c.head_dim);
    attention_memory<T> dv(c, batch_k, c.kv_heads, rows_k, c.value_dim);
    q.fill(random, 1);
    k.fill(random, 1);
    v.fill(random, 1);
    d_o.fill(random, 1);
    for (auto* x : {&dq, &dk, &dv})
        x->fill(random, 1000); // must be written over
    std::vector<float> lse(static_cast<std::size_t>(batch_q * c.heads * rows_q));
    std::vector<float> sinks(static_cast<std::size_t>(c.heads), 0.25f), d_sinks(static_cast<std::size_t>(c.heads));
    std::vector<float> bias, d_bias, slopes;
    std::vector<unsigned char> boolean;

    attention_backward_arguments<T, T, T, Score> b;
    attention_arguments<T, T, Score>& a = b.forward;
    a.batch = c.batch;
    a.heads = c.heads;
    a.kv_heads = c.kv_heads;
    a.seq_q = c.seq_q;
    a.seq_k = c.seq_k;
    a.head_dim = c.head_dim;
    a.value_dim = c.value_dim;
    a.q = q.read();
    a.k = k.read();
    a.v = v.read();
    a.o = o.tensor;
    a.lse = {lse.data(), c.heads * rows_q, rows_q};
    a.scale = c.scale.value_or(1.0f / std::sqrt(static_cast<float>(c.head_dim)));
    a.score = score;
    a.band = c.band;
    if (ragged_q)
        a.lengths.query_offsets = c.query_offsets.data(), a.lengths.query_rows = rows_q;
    if (ragged_k)
        a.lengths.key_offsets = c.key_offsets.data(), a.lengths.key_rows = rows_k;
    if (!c.key_lengths.empty())
        a.lengths.key_lengths = c.key_lengths.data();
    for (index_t s = 0; c.spoiled && s < c.batch; ++s) {
        const auto sequence = attention_sequence::at(a, s);
        const index_t rows = ragged_k ? c.key_offsets[s + 1] - c.key_offsets[s] : c.seq_k;
        for (auto* x : {&k, &v})
            x->spoil(sequence.key_batch, sequence.first_key + sequence.keys, sequence.first_key + rows);
        for (auto* x : {&q, &d_o})
            if (sequence.keys == 0)
                x->spoil(sequence.query_batch, sequence.first_query, sequence.first_query + sequence.queries);
    }
    b.d_o = d_o.read();
    b.dq = dq.tensor;
    b.dk = dk.tensor;
    b.dv = dv.tensor;
    if (c.sinks) {
        a.sinks = sinks.data();
        b.d_sinks = d_sinks.data();
    }
    if constexpr (variant::dropout)
        a.dropout = make_dropout(dropout, 12345, 6);
    const long_index_t scores = static_cast<long_index_t>(c.seq_q) * c.seq_k;
    if constexpr (variant::mask == attention_mask::boolean) {
        for (long_index_t i = 0; i < c.heads * scores; ++i)
            boolean.push_back(random.uniform() < 0.6);
        a.boolean = {boolean.data(), 0, scores, c.seq_k, 1};
    }
    test_block_lists lists(c.batch * c.heads, ceil_div(c.seq_q, c.block_length), ceil_div(c.seq_k, c.block_length));
    if constexpr (variant::mask == attention_mask::lists) {
        a.lists = lists.by_queries(c.heads, c.block_length);
        b.lists_by_keys = lists.by_keys(c.heads, c.block_length);
    }
    if constexpr (variant::bias == attention_bias::tensor) {
        using enum attention_gradient_case::repeats;
        const long_index_t rows = c.seq_q, keys_ = c.seq_k, heads = c.heads;
        long_index_t count = 1;
        switch (c.bias) {
        case nothing:
            a.bias = {nullptr, heads * scores, scores, keys_, 1}, count = c.batch * heads * scores;
            break;
        case batch_and_queries:
            a.bias = {nullptr, 0, keys_, 0, 1}, count = heads * keys_;
            break;
        case batch_and_heads:
            a.bias = {nullptr, 0, 0, keys_, 1}, count = scores;
            break;
        case keys:
            a.bias = {nullptr, heads * rows, rows, 1, 0}, count = c.batch * heads * rows;
            break;
        case all:
            a.bias = {nullptr, 0, 0, 0, 0};
            break;
        }
        for (long_index_t i = 0; i < count; ++i)
            bias.push_back(c.far_bias && i / keys_ % 4 < 2              ? (i / keys_ % 4 == 0 ? -1e10f : 1e8f)
                           : c.hiding_bias && (i % 7 == 3 || i < keys_) ? -std::numeric_limits<float>::infinity()
                                                                        : static_cast<float>(random.normal()));
        // A head has a multiple of four queries then.
        for (long_index_t i = 0; i < c.batch * heads * rows && c.far_bias; i += 4)
            std::fill_n(d_o.tensor.data + i * d_o.tensor.row_stride, c.value_dim, T{});
        d_bias.resize(bias.size());
        a.bias.data = bias.data();
        b.d_bias = {d_bias.data(), a.bias.batch_stride, a.bias.head_stride, a.bias.query_stride, a.bias.key_stride};
    }
    if constexpr (variant::bias == attention_bias::alibi) {
        for (index_t h = 0; h < c.heads; ++h)
            slopes.push_back(0.25f / static_cast<float>(1 + h));
        a.alibi = {slopes.data(), 0};
    }

    // Results of the forward pass
    const attention_result forward = reference_attention<variant>(a);
    for (long_index_t batch = 0; batch < forward.o.batch; ++batch)
        for (long_index_t h = 0; h < forward.o.heads; ++h)
            for (long_index_t r = 0; r < forward.o.rows; ++r) {
                lse[static_cast<std::size_t>(batch * a.lse.batch_stride + h * a.lse.head_stride + r)] =
                    static_cast<float>(*forward.lse.row(batch, h, r));
                for (long_index_t x = 0; x < forward.o.columns; ++x)
                    o.tensor
                        .data[batch * o.tensor.batch_stride + h * o.tensor.head_stride + r * o.tensor.row_stride + x] =
                        convert<T>(static_cast<float>(forward.o.row(batch, h, r)[x]));
            }

    emulated_memory workspace;
    REQUIRE(workspace.allocate(static_cast<std::size_t>(Kernels::workspace_floats(a)) * sizeof(float)));
    if constexpr (requires { typename Kernels::native_device; }) {
        typename Kernels::native_device device;
        const status ran = launch(device, Kernels{}, {b, {static_cast<float*>(workspace.data())}});
        INFO(ran.message());
        REQUIRE(ran);
    } else {
        emulated_device device;
        const status ran = launch(device, Kernels{}, {b, {static_cast<float*>(workspace.data())}});
        INFO(ran.message() << "\n" << device.result.report);
        REQUIRE(ran);
        CHECK(device.result.counters.shared_load_conflicts == 0);
        CHECK(device.result.counters.shared_store_conflicts == 0);
        const auto bits = [&] {
            const auto of = [](const std::vector<float>& x) {
                return std::string(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float));
            };
            return dq.bits() + dk.bits() + dv.bits() + of(d_bias) + of(d_sinks);
        };
        for (const int order : c.orders) {
            const std::string before = bits();
            for (auto* sums : {&d_bias, &d_sinks})
                std::fill(sums->begin(), sums->end(), 0.0f);
            device.config.order = order;
            REQUIRE(launch(device, Kernels{}, {b, {static_cast<float*>(workspace.data())}}));
            INFO("order " << order);
            const bool same = bits() == before; // nobody reads bytes in a message
            CHECK(same);
        }
    }

    const attention_gradients exact =
        reference_attention_backward<variant>(b, least_input(arch_of<typename Kernels::target>(), kind_of_type<T>()));
    const auto check = [](const char* name, const attention_tensor<T>& tensor, const attention_array& right) {
        check_gradient(name, gather_attention(tensor, right), right.values, right.bounds);
    };
    check("dQ", dq.tensor, exact.dq);
    check("dK", dk.tensor, exact.dk);
    check("dV", dv.tensor, exact.dv);
    check_gradient("dsinks", {d_sinks.begin(), d_sinks.begin() + static_cast<std::ptrdiff_t>(exact.d_sinks.size())},
                   exact.d_sinks, exact.d_sink_bounds);
    check_gradient("dbias", {d_bias.begin(), d_bias.end()}, exact.d_bias, exact.d_bias_bounds);
}

/// One and many keys, ragged tiles, sequences of unequal lengths, columns between heads.
template <class Target>
void check_gradients_of_lengths()
{
    using kernels = attention_backward_for<Target, half, 64>;
    check_attention_gradients<kernels>({1, 1, 1, 1, 1});
    check_attention_gradients<kernels>({1, 2, 1, 3, 65, 40, 56});
    check_attention_gradients<kernels>({2, 4, 2, 65, 127, 64, 64, {}, true});
    check_attention_gradients<kernels>({1, 1, 1, 64, 64});
    attention_gradient_case ragged{3, 2, 1, 70, 40};
    ragged.query_offsets = {0, 70, 70, 73};
    ragged.key_offsets = {0, 1, 30, 70};
    ragged.heads_inside = true;
    check_attention_gradients<kernels>(ragged);
    attention_gradient_case padded{2, 2, 2, 5, 140};
    padded.key_lengths = {3, 0};
    check_attention_gradients<kernels>(padded);
    attention_gradient_case far{1, 1, 1, 300, 270};
    far.row = (1 << 23) - 8; // more than 2^31 elements in a head, and rows as far apart as a tile takes them
    check_attention_gradients<kernels>(far);
}

using banded_and_biased = attention_variant<attention_mask::band, attention_bias::tensor>;

/// Kernels of 128 columns that are banded_and_biased: so many queries and keys, queries that see nothing, a bias that
/// sequences share.
template <class kernels>
void check_banded_gradients(index_t length)
{
    check_attention_gradients<kernels>({1, 1, 1, length, length, 128, 128, {-1, 0}, true});
    check_attention_gradients<kernels>({2, 2, 1, 65, 40, 128, 128, {-1, 0}}); // queries that see nothing
    attention_gradient_case far{1, 2, 1, 64, 40, 128, 128};
    far.far_bias = true;
    check_attention_gradients<kernels>(far);
    attention_gradient_case shared{1, 2, 1, 65, 140, 72, 128, {10, 3, attention_diagonal::top_left, 5}};
    shared.bias = attention_gradient_case::repeats::batch_and_queries;
    check_attention_gradients<kernels>(shared);
}
/// Kernels by tensor copies, of a band, for any lengths of sequences: by offsets and in entries of a batch.
template <class Kernels>
void check_gradients_of_any_length(index_t columns = 64)
{
    attention_gradient_case ragged{5, 4, 2, 300, 400, columns, columns};
    ragged.query_offsets = {0, 300, 300, 301, 430, 500};
    ragged.key_offsets = {0, 400, 420, 720, 720, 800};
    ragged.band = {.left = 190, .right = 30};
    ragged.sinks = true;
    check_attention_gradients<Kernels>(ragged);
    ragged.key_lengths = {390, 7, 256, 0, 80};
    ragged.sinks = false;
    ragged.band = {};
    ragged.spoiled = true;
    check_attention_gradients<Kernels>(ragged);
    attention_gradient_case entries{3, 2, 2, 150, 280, columns, columns};
    entries.key_lengths = {280, 0, 129};
    entries.band = {-1, 0};
    entries.spoiled = true;
    check_attention_gradients<Kernels>(entries);
    entries.query_offsets = {0, 20, 150, 160}; // of queries alone
    entries.key_lengths = {};
    check_attention_gradients<Kernels>(entries);
}

template <class Target>
void check_gradients_of_bands()
{
    check_banded_gradients<attention_backward_for<Target, bfloat16, 128, 128, banded_and_biased>>(127);
}

} // namespace tegula::test
