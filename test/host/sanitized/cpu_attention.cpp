/// Attention and its gradients on several threads of the CPU, under sanitizers.

#include <tegula/attention_cpu.hpp>
#include <tegula/attention_cpu_backward.hpp>

#include "test/host/sanitized/cpu_threads.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

/// A causal problem of two heads that share keys, its tensors packed.
struct attention_problem
{
    static constexpr index_t heads = 2, queries = 181, keys = 197, columns = 40;
    static constexpr long_index_t of_queries = long_index_t{heads} * queries * columns,
                                  of_keys = long_index_t{keys} * columns;
    using variant = attention_variant<attention_mask::band>;
    using kernel = cpu_attention<target, variant, attention_arguments<half, half>>;

    std::vector<half> q = numbers<half>(of_queries, 1), k = numbers<half>(of_keys, 2), v = numbers<half>(of_keys, 3);
    std::vector<float> lse = std::vector<float>(heads * queries);

    attention_arguments<half, half> arguments(half* o)
    {
        attention_arguments<half, half> a;
        a.heads = heads, a.kv_heads = 1, a.seq_q = queries, a.seq_k = keys, a.head_dim = a.value_dim = columns;
        const long_index_t of_head = long_index_t{queries} * columns;
        a.q = {q.data(), of_queries, of_head, columns};
        a.k = {k.data(), of_keys, of_keys, columns};
        a.v = {v.data(), of_keys, of_keys, columns};
        a.o = {o, of_queries, of_head, columns};
        a.lse = {lse.data(), heads * queries, queries};
        a.scale = 0.2f;
        a.band.right = 0;
        return a;
    }
};

} // namespace

TEST_CASE("CPU threads: attention", "[cpu][threads]")
{
    if (!has_target())
        return;
    attention_problem p;
    compare<half>(p.of_queries, [&](cpu_device& device, half* o) {
        return launch(device, attention_problem::kernel{}, p.arguments(o));
    });
}

TEST_CASE("CPU threads: attention backward", "[cpu][threads]")
{
    if (!has_target())
        return;
    attention_problem p;
    std::vector<half> o(static_cast<std::size_t>(p.of_queries)), d_o = numbers<half>(p.of_queries, 4);
    cpu_device device;
    REQUIRE(launch(device, attention_problem::kernel{}, p.arguments(o.data())).ok());
    compare<half>(p.of_queries + 2 * p.of_keys, [&](cpu_device& d, half* results) {
        attention_backward_arguments<half, half, half> a;
        a.forward = p.arguments(o.data());
        const auto& f = a.forward;
        a.d_o = {d_o.data(), f.q.batch_stride, f.q.head_stride, f.q.row_stride};
        a.dq = {results, f.q.batch_stride, f.q.head_stride, f.q.row_stride};
        a.dk = {results + p.of_queries, f.k.batch_stride, f.k.head_stride, f.k.row_stride};
        a.dv = {results + p.of_queries + p.of_keys, f.k.batch_stride, f.k.head_stride, f.k.row_stride};
        return launch(d, cpu_attention_backward<target, attention_problem::variant>{}, a);
    });
}
