// An attention kernel of one's own out of the library's parts: load, multiply, softmax, multiply, finish. Runs on the
// emulator and is compared with the formula in double.

#include "attention_by_hand.hpp"

#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main()
{
    const index_t rows = 200, columns = attention_by_hand::columns;
    std::vector<bfloat16> q(rows * columns), k(q.size()), v(q.size());
    std::vector<float> o(q.size());
    fill_normal<bfloat16>(q, 1);
    fill_normal<bfloat16>(k, 2);
    fill_normal<bfloat16>(v, 3);
    const float scale = 1 / std::sqrt(static_cast<float>(columns));

    emulated_device device;
    device.config.memory.read(q.data(), q.size() * 2, "Q").read(k.data(), k.size() * 2, "K");
    device.config.memory.read(v.data(), v.size() * 2, "V").write(o.data(), o.size() * 4, "O");
    const attention_by_hand::arguments arguments{q.data(), k.data(), v.data(), o.data(), rows, scale};
    const launch_config grid{.grid = {ceil_div(rows, attention_by_hand::queries)}, .name = "attention by hand"};
    if (const status s = launch(device, grid, attention_by_hand{}, arguments); !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }

    attention_arguments<bfloat16, float> same; // as attention_kernel has them
    same.batch = same.heads = same.kv_heads = 1;
    same.seq_q = same.seq_k = rows;
    same.head_dim = same.value_dim = columns;
    same.scale = scale;
    same.band.right = 0;
    same.q = {q.data(), 0, 0, columns};
    same.k = {k.data(), 0, 0, columns};
    same.v = {v.data(), 0, 0, columns};
    same.o = {o.data(), 0, 0, columns};
    using causal = attention_variant<attention_mask::band>;
    const attention_result exact = reference_attention<causal>(same);
    const error_report report = verify_attention(gather_attention(same.o, exact.o), exact.o);
    std::printf("largest error %.2e, %.1f %% of the bound; %lld bank conflicts\n", report.max_abs_error,
                100 * report.worst_ratio,
                static_cast<long long>(device.result.counters.shared_load_conflicts +
                                       device.result.counters.shared_store_conflicts));
    return report.passed ? 0 : 1;
}
