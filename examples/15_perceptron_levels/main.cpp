// A perceptron, relu(X W), as one kernel five times: each time one more level of tiling, and what the emulator counts.
// docs/guide/perceptron.md goes through them.
//
//   levels.hpp   the kernel of each level
//   run.hpp      runs one on the emulator

#include "run.hpp"

#include <tegula/reference/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

// Whether Y is relu(X W), and what the level took: instructions of waves, and 32-byte sectors of global memory.
static bool report(const char* level, problem& p, const emulator::counters& c)
{
    bool right = true;
    for (long_index_t i = 0; i < rows; ++i)
        for (long_index_t j = 0; j < out; ++j) {
            double sum = 0;
            for (long_index_t k = 0; k < in; ++k)
                sum += static_cast<double>(p.x[i * in + k]) * static_cast<double>(p.w[k * out + j]);
            const double y = static_cast<double>(p.y[i * out + j]);
            right = right && std::fabs(y - std::max(sum, 0.0)) <= 0x1p-8 * std::fabs(sum) + 1e-3;
            p.y[i * out + j] = bfloat16{};
        }
    const long_index_t multiply_adds = c.mma_instructions > 0 ? 0 : rows * in * out / target::wave_size;
    std::printf("| %-11s | %7lld | %7lld | %6lld | %7lld | %6lld | %6lld |\n", level,
                static_cast<long long>(c.mma_instructions + multiply_adds), static_cast<long long>(c.global_loads),
                static_cast<long long>(c.global_load_sectors), static_cast<long long>(c.shared_loads),
                static_cast<long long>(c.shared_stores), static_cast<long long>(c.global_store_sectors));
    if (!right)
        std::fprintf(stderr, "%s: Y is not relu(X W)\n", level);
    return right;
}

int main()
{
    problem p;
    fill_normal<bfloat16>(p.x, 1);
    fill_normal<bfloat16>(p.w, 2);
    std::printf(
        "| level       | multiply | global loads | sectors | shared loads | shared stores | sectors stored |\n");
    const bool right = report("grid", p, run_first_level(p)) & report("block", p, run_level<block_level>(p)) &
                       report("lane", p, run_level<lane_level>(p)) &
                       report("instruction", p, run_level<instruction_level>(p)) &
                       report("wave", p, run_level<wave_level>(p));
    return right ? 0 : 1;
}
