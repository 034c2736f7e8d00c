#pragma once

// The tensors of every form, and how what a kernel writes is compared with the formula.

#include <tegula/attention.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::gfx942;
using tile = attention_tile_for<target, bfloat16, 32>;

constexpr index_t batch = 2, heads = 2, queries = 70, keys = 128, columns = 32;

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

/// Runs the kernel for a variant and compares it with the formula. Its score functor reads `document`.
template <class Variant, class T, class Score>
bool compute(const char* what, const attention_arguments<T, float, Score>& a, const index_t* document = nullptr)
{
    using tile = attention_tile_for<target, T, columns>;
    emulator::run_config config;
    config.memory.read(document, keys * sizeof(index_t), "documents");
    const auto run = emulate(attention_kernel<tile, float, Variant, Score>{}, a, config);
    if (!run.status) {
        std::fprintf(stderr, "%s: %s\n%s", what, run.status.message(), run.report.c_str());
        return false;
    }
    const attention_result exact = reference_attention<Variant>(a);
    const error_report report = verify_attention(gather_attention(a.o, exact.o), exact.o);
    std::printf("%-28s largest error %.2e, %4.1f %% of the bound\n", what, report.max_abs_error,
                100 * report.worst_ratio);
    return report.passed;
}

using enum attention_mask;
