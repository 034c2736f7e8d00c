// The forms of attention: masks, biases, a score functor of one's own, sinks and dropout, sequences of unequal lengths,
// a paged cache, decoding with split keys and an appended row, gradients. Each is computed on the emulator and compared with the formula in double.

#include <tegula/attention.hpp>
#include <tegula/host/attention_error_bound.hpp>
#include <tegula/host/emulated_attention.hpp>
#include <tegula/host/launch_append.hpp>
#include <tegula/host/launch_attention_backward.hpp>
#include <tegula/host/random.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::gfx942;
using tile = attention_tile_for<target, bfloat16, 32>;

constexpr index_t batch = 2, heads = 2, queries = 70, keys = 128, columns = 32;

/// A score that counts keys of other documents for nothing and prefers near ones, compiled into the kernel.
struct same_document
{
    const index_t* document; ///< of each key, the device's memory
    float slope = 0.01f;

    template <class Real>
    TEGULA_INLINE Real operator()(Real score, const attention_place& at) const
    {
        return score + static_cast<Real>(slope) * static_cast<Real>(at.key - at.query);
    }
    template <class Real>
    TEGULA_INLINE Real derivative(Real, const attention_place&) const
    {
        return 1;
    }
    TEGULA_INLINE bool visible(const attention_place& at) const { return document[at.query] == document[at.key]; }
};

/// Random tensors [batch, rows, heads, columns], as models keep them.
struct tensors
{
    std::vector<bfloat16> q, k, v;
    std::vector<float> o, lse;

    tensors()
        : q(batch * queries * heads * columns), k(batch * keys * heads * columns), v(k.size()), o(q.size()),
          lse(batch * heads * queries)
    {
        fill_normal<bfloat16>(q, 1);
        fill_normal<bfloat16>(k, 2);
        fill_normal<bfloat16>(v, 3);
    }

    template <class Score = unchanged_score>
    attention_arguments<bfloat16, float, Score> arguments(const Score& score = {})
    {
        attention_arguments<bfloat16, float, Score> a;
        a.batch = batch;
        a.heads = a.kv_heads = heads;
        a.seq_q = queries;
        a.seq_k = keys;
        a.head_dim = a.value_dim = columns;
        a.q = {q.data(), queries * heads * columns, columns, heads * columns};
        a.k = {k.data(), keys * heads * columns, columns, heads * columns};
        a.v = {v.data(), keys * heads * columns, columns, heads * columns};
        a.o = {o.data(), queries * heads * columns, columns, heads * columns};
        a.lse = {lse.data(), heads * queries, queries};
        a.scale = 1 / std::sqrt(static_cast<float>(columns));
        a.score = score;
        return a;
    }
};

/// Runs the kernel for a variant and compares it with the formula. What its functor points to is `document`.
template <class Variant, class Score>
bool compute(const char* what, const attention_arguments<bfloat16, float, Score>& a, const index_t* document = nullptr)
{
    emulator::launch_config config;
    config.memory.read(document, keys * sizeof(index_t), "documents");
    const auto run = emulate_attention(attention_kernel<tile, float, Variant, Score>{}, a, config);
    if (!run.status) {
        std::fprintf(stderr, "%s: %s\n%s", what, run.status.message(), run.report.c_str());
        return false;
    }
    const attention_result exact = reference_attention<Variant>(a), rounded = reference_attention<Variant, bfloat16>(a);
    const error_report report = verify_attention(gather_attention(a.o, exact.o), exact.o.values, rounded.o.values);
    std::printf("%-28s largest error %.2e, %4.1f %% of the bound\n", what, report.max_abs_error,
                100 * report.worst_ratio);
    return report.passed;
}

using enum attention_mask;
using plain = attention_variant<>;
using banded = attention_variant<band>;

bool bands(tensors& x)
{
    auto a = x.arguments();
    a.band.right = 0; // causal
    bool good = compute<banded>("causal", a);

    a.band.left = 32; // the 32 keys before a query's own, besides
    good = compute<banded>("sliding window", a) && good;

    a.band = {.right = 0, .prefix = 16}; // all see the first 16 keys
    good = compute<banded>("prefix", a) && good;

    a.band = {.right = 0, .diagonal = attention_diagonal::top_left};
    return compute<banded>("causal, top left", a) && good;
}

bool masks(tensors& x)
{
    std::vector<unsigned char> seen(queries * keys);
    for (index_t i = 0; i < queries; ++i)
        for (index_t j = 0; j < keys; ++j)
            seen[static_cast<std::size_t>(i * keys + j)] = (i + j) % 3 != 0;
    auto a = x.arguments();
    a.boolean = {seen.data(), 0, 0, keys, 1}; // for all sequences and heads
    bool good = compute<attention_variant<boolean>>("boolean mask", a);

    // Queries [0, 128) see the second block of 64 keys.
    const index_t counts[] = {1}, blocks[] = {1};
    a.lists = {.counts = counts, .blocks = blocks, .capacity = 1, .query_length = 128, .key_length = 64};
    return compute<attention_variant<lists>>("block lists", a) && good;
}

bool biases(tensors& x)
{
    std::vector<float> bias(heads * queries * keys);
    fill_normal<float>(bias, 4);
    auto a = x.arguments();
    a.bias = {bias.data(), 0, queries * keys, keys, 1}; // for all sequences
    bool good = compute<attention_variant<none, attention_bias::tensor>>("bias", a);

    const float slopes[heads] = {0.5f, 0.25f};
    a.alibi = {slopes};
    a.band.right = 0;
    return compute<attention_variant<band, attention_bias::alibi>>("ALiBi", a) && good;
}

bool functors(tensors& x)
{
    const soft_cap<target> cap{2.0f}; // scores stay in (-2, 2)
    bool good = compute<plain>("soft cap", x.arguments(cap));

    std::vector<index_t> document(keys);
    for (index_t j = 0; j < keys; ++j)
        document[static_cast<std::size_t>(j)] = j / 50;
    return compute<plain>("one's own functor", x.arguments(same_document{document.data()}), document.data()) && good;
}

bool sinks_and_dropout(tensors& x)
{
    const float sinks[heads] = {1.0f, -0.5f};
    auto a = x.arguments();
    a.sinks = sinks; // a score that takes part in the sums and has no value
    bool good = compute<plain>("sinks", a);

    a.dropout = make_dropout(0.1, 1234); // probability, seed
    return compute<attention_variant<none, attention_bias::none, true>>("dropout", a) && good;
}

bool unequal_lengths(tensors& x)
{
    // Rows of all sequences follow each other: sequence b has the rows [offsets[b], offsets[b + 1]).
    const index_t query_offsets[] = {0, 30, 140}, key_offsets[] = {0, 100, 256};
    auto a = x.arguments();
    a.lengths = {.query_offsets = query_offsets, .key_offsets = key_offsets};
    a.seq_q = 110; // the longest
    a.seq_k = 156;
    a.lse.head_stride = 140;
    if (const status s = check_offsets("key_offsets", key_offsets, batch, a.seq_k, batch * keys); !s)
        return false;
    return compute<plain>("unequal lengths", a);
}

bool paged(tensors& x)
{
    // The memory of K and V as four pages of 64 keys; sequence 0 has 128 keys, sequence 1 has 40.
    const index_t table[] = {2, 0, 1, -1}, lengths[] = {128, 40};
    auto a = x.arguments();
    a.k.batch_stride = a.v.batch_stride = 64 * heads * columns; // of pages
    a.pages = {.table = table, .batch_stride = 2, .page_length = 64, .pages = 4};
    a.lengths.key_lengths = lengths;
    if (const status s = check_page_table(a.pages, batch, keys, lengths); !s)
        return false;
    return compute<attention_variant<none, attention_bias::none, false, attention_cache::paged>>("paged cache", a);
}

// Few queries: the rows of a tile are queries of all heads that share keys, and several blocks share the keys.
using decoding =
    attention_variant<band, attention_bias::none, false, attention_cache::contiguous, attention_heads::packed>;
using split_kernel = attention_split_kernel<decoding_tile_for<target, bfloat16, columns>, float, decoding>;

bool compare(const char* what, const status& s, const emulated_device& device, const split_kernel::attention& a)
{
    if (!s) {
        std::fprintf(stderr, "%s: %s\n%s", what, s.message(), device.result.report.c_str());
        return false;
    }
    const attention_result exact = reference_attention<decoding>(a),
                           rounded = reference_attention<decoding, bfloat16>(a);
    const error_report report = verify_attention(gather_attention(a.o, exact.o), exact.o.values, rounded.o.values);
    std::printf("%-28s largest error %.2e, %4.1f %% of the bound\n", what, report.max_abs_error,
                100 * report.worst_ratio);
    return report.passed;
}

bool split_keys(tensors& x)
{
    auto a = x.arguments();
    a.kv_heads = 1; // both heads read the first one's keys
    a.seq_q = 3;
    a.band.right = 0;
    emulated_device device;
    split_kernel::arguments split{a, split_kernel::choose_splits(a), {}};
    emulated_memory workspace;
    if (!workspace.allocate(static_cast<std::size_t>(split.workspace_size()) * sizeof(float)))
        return false;
    split.workspace = {static_cast<float*>(workspace.data()), split.workspace_size()};
    const status s = launch_attention_split(device, split_kernel{}, split);
    return compare("packed heads, split keys", s, device, a);
}

bool appended(tensors& x)
{
    // A decoding step: each sequence of a cache gets a key and a value, and its query sees all that is there then.
    std::vector<bfloat16> new_k(batch * heads * columns), new_v(new_k.size());
    fill_normal<bfloat16>(new_k, 6);
    fill_normal<bfloat16>(new_v, 7);
    std::vector<float> cosines(keys * columns / 2), sines(cosines.size());
    for (index_t p = 0; p < keys; ++p)
        for (index_t i = 0; i < columns / 2; ++i) {
            const double angle = p * std::pow(10000.0, -2.0 * i / columns);
            cosines[static_cast<std::size_t>(p * columns / 2 + i)] = static_cast<float>(std::cos(angle));
            sines[static_cast<std::size_t>(p * columns / 2 + i)] = static_cast<float>(std::sin(angle));
        }
    const index_t cached[batch] = {100, 40};
    index_t lengths[batch] = {};
    auto a = x.arguments();
    a.seq_q = 1;
    a.lengths.key_lengths = lengths; // which append leaves there
    using append = append_kernel<target, bfloat16, columns>;
    append::arguments rows{.batch = batch,
                           .heads = heads,
                           .kv_heads = heads,
                           .rows = 1, // of a sequence
                           .head_dim = columns,
                           .value_dim = columns,
                           .new_k = {new_k.data(), heads * columns, columns, heads * columns},
                           .new_v = {new_v.data(), heads * columns, columns, heads * columns},
                           .k = {x.k.data(), a.k.batch_stride, a.k.head_stride, a.k.row_stride},
                           .v = {x.v.data(), a.v.batch_stride, a.v.head_stride, a.v.row_stride},
                           .capacity = keys,
                           .cached = cached, // rows that each sequence has
                           .key_lengths = lengths};
    rows.rotary = {cosines.data(), sines.data(), columns / 2, keys, columns};
    rows.q = a.q;
    rows.turned_q = {x.q.data(), a.q.batch_stride, a.q.head_stride, a.q.row_stride}; // in place

    split_kernel::arguments split{a, 2, {}};
    emulated_memory workspace;
    if (!workspace.allocate(static_cast<std::size_t>(split.workspace_size()) * sizeof(float)))
        return false;
    split.workspace = {static_cast<float*>(workspace.data()), split.workspace_size()};
    emulated_device device;
    const status s = launch_append_and_attend(device, append{}, rows, split_kernel{}, split);
    return compare("appended rows", s, device, a) && lengths[0] == 101 && lengths[1] == 41;
}

bool gradients(tensors& x)
{
    // The forward pass with an output of the inputs' type, which the backward pass reads, and lse.
    std::vector<bfloat16> o(x.q.size()), d_o(x.q.size());
    std::vector<float> dq(x.q.size()), dk(x.k.size()), dv(x.v.size());
    fill_normal<bfloat16>(d_o, 5);
    using kernels = attention_backward_for<target, bfloat16, 64, 64, banded, float>;
    kernels::problem problem;
    const auto a = x.arguments();
    auto& forward = problem.forward;
    forward = {.batch = batch,
               .heads = heads,
               .kv_heads = heads,
               .seq_q = queries,
               .seq_k = keys,
               .head_dim = columns,
               .value_dim = columns,
               .q = a.q,
               .k = a.k,
               .v = a.v,
               .lse = a.lse,
               .scale = a.scale};
    forward.o = {o.data(), a.o.batch_stride, a.o.head_stride, a.o.row_stride};
    forward.band.right = 0;
    if (!emulate_attention(attention_kernel<tile, bfloat16, banded>{}, forward).status)
        return false;

    problem.d_o = {d_o.data(), a.o.batch_stride, a.o.head_stride, a.o.row_stride};
    problem.dq = {dq.data(), a.q.batch_stride, a.q.head_stride, a.q.row_stride};
    problem.dk = {dk.data(), a.k.batch_stride, a.k.head_stride, a.k.row_stride};
    problem.dv = {dv.data(), a.v.batch_stride, a.v.head_stride, a.v.row_stride};
    emulated_memory workspace;
    if (!workspace.allocate(static_cast<std::size_t>(attention_backward_workspace::size(forward)) * sizeof(float)))
        return false;
    emulated_device device;
    const status s = launch_attention_backward(device, kernels{}, problem, static_cast<float*>(workspace.data()));
    if (!s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return false;
    }
    const attention_gradients exact = reference_attention_backward<banded>(problem);
    const attention_gradients rounded = reference_attention_backward<banded, bfloat16>(problem);
    const auto check = [](const char* what, const auto& tensor, const attention_array& e, const attention_array& r) {
        const error_report report = verify_attention(gather_attention(tensor, e), e.values, r.values);
        std::printf("%-28s largest error %.2e, %4.1f %% of the bound\n", what, report.max_abs_error,
                    100 * report.worst_ratio);
        return report.passed;
    };
    const bool q_good = check("gradient of Q", problem.dq, exact.dq, rounded.dq);
    const bool k_good = check("gradient of K", problem.dk, exact.dk, rounded.dk);
    return check("gradient of V", problem.dv, exact.dv, rounded.dv) && q_good && k_good;
}

int main()
{
    tensors x;
    bool good = true;
    for (const auto form :
         {bands, masks, biases, functors, sinks_and_dropout, unequal_lengths, paged, split_keys, appended, gradients})
        good = form(x) && good;
    return good ? 0 : 1;
}
