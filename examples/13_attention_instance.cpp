// An attention of one's own: choose target, type, head dimension and mask, and the library makes the kernel. Here it
// runs on the emulator; the same arguments with device memory run on the GPU.

#include <tegula/attention.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::gfx942;
// Up to 64 columns of Q, K and V; every query sees a band of keys, here those up to its own.
using tile = attention_tile_for<target, bfloat16, 64>;
using causal = attention_variant<attention_mask::band>;
using kernel = attention_kernel<tile, float, causal>; // bf16 in, float out

int main()
{
    const index_t batch = 2, heads = 4, kv_heads = 2, queries = 100, keys = 150, columns = 64;
    std::vector<bfloat16> q(batch * heads * queries * columns), k(batch * kv_heads * keys * columns), v(k.size());
    std::vector<float> o(q.size()), lse(batch * heads * queries);
    fill_normal<bfloat16>(q, 1);
    fill_normal<bfloat16>(k, 2);
    fill_normal<bfloat16>(v, 3);

    // [batch, heads, rows, columns]; two heads of Q share one of K and V. Any strides work.
    kernel::arguments arguments;
    arguments.batch = batch;
    arguments.heads = heads;
    arguments.kv_heads = kv_heads;
    arguments.seq_q = queries;
    arguments.seq_k = keys;
    arguments.head_dim = columns;
    arguments.value_dim = columns;
    arguments.q = {q.data(), heads * queries * columns, queries * columns, columns};
    arguments.k = {k.data(), kv_heads * keys * columns, keys * columns, columns};
    arguments.v = {v.data(), kv_heads * keys * columns, keys * columns, columns};
    arguments.o = {o.data(), heads * queries * columns, queries * columns, columns};
    arguments.lse = {lse.data(), heads * queries, queries};
    arguments.scale = 1 / std::sqrt(static_cast<float>(columns));
    arguments.band.right = 0; // the last query sees the last key, each one before it one less

    const emulator::launch_result run = emulate(kernel{}, arguments);
    if (!run.status) {
        std::fprintf(stderr, "%s\n%s", run.status.message(), run.report.c_str());
        return 1;
    }

    // The formula in double, and how far its rounding may lead.
    const attention_result exact = reference_attention<causal>(arguments);
    const error_report report = verify_attention(gather_attention(arguments.o, exact.o), exact.o);
    std::printf("largest error %.2e, %.1f %% of the bound; %lld matrix instructions, %lld bank conflicts\n",
                report.max_abs_error, 100 * report.worst_ratio, static_cast<long long>(run.counters.mma_instructions),
                static_cast<long long>(run.counters.shared_load_conflicts + run.counters.shared_store_conflicts));
    return report.passed ? 0 : 1;
}
