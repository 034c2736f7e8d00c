// A perceptron, relu(X W), as one kernel five times: each time one more level of tiling, and what the emulator counts.
// docs/guide/perceptron.md goes through them.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_gemm.hpp>
#include <tegula/host/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::gfx942;

constexpr long_index_t rows = 128, in = 128, out = 128;

// 1. Grid: a lane computes one element of Y, 256 neighbours along a row to a block, and reads all it needs itself.
struct one_element_a_lane
{
    using target = arch::gfx942;
    static constexpr int block_threads = 256;

    struct arguments
    {
        const bfloat16* x; // [rows, in]
        const bfloat16* w; // [in, out]
        bfloat16* y;       // [rows, out]
    };

    TEGULA_HOST_DEVICE void operator()(const arguments& a) const
    {
        const index_t element = target::block_id()[0] * block_threads + target::thread_id();
        const index_t row = element / static_cast<index_t>(out), column = element % static_cast<index_t>(out);
        float sum = 0;
        for (index_t k = 0; k < in; ++k)
            sum += static_cast<float>(target::load_global(a.x + row * in + k)) *
                   static_cast<float>(target::load_global(a.w + k * out + column));
        target::store_global(a.y + row * out + column, convert<bfloat16>(sum < 0 ? 0.0f : sum));
    }
};

// 2. Block: 16 x 16 of Y, still an element a lane; a block brings its part of X and of W to shared memory once.
using an_element = fma_atom<target, bfloat16, bfloat16, float, 1, 1>; // 8 x 8 a wave
using block_level = gemm_tile<target, an_element, 16, 16, 32, 2, 2>;
// 3. Lane: 4 x 4 of Y, so that what it reads from shared memory is used four times; 64 x 64 a block.
using a_patch = fma_atom<target, bfloat16, bfloat16, float, 4, 4>; // 32 x 32 a wave
using lane_level = gemm_tile<target, a_patch, 64, 64, 32, 2, 2>;
// 4. Instruction: a matrix instruction instead of multiply-adds; lanes of a wave share what each of them read.
using instruction_level = gemm_tile<target, default_atom<target, bfloat16>, 64, 64, 32, 2, 2>;
// 5. Wave: 64 x 64 of Y by several instructions, which share rows and columns; 128 x 128 a block.
using wave_level = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 32, 2, 2>;

// From the second level on it is the library's kernel: rows of X along k, rows of W along n, relu before Y is stored.
template <class Tile>
using perceptron = gemm_kernel<Tile, operand_order::k_contiguous, operand_order::row_contiguous, bfloat16,
                               epilogue::chain<epilogue::activate>, output_access::vectors>;

struct problem
{
    std::vector<bfloat16> x = std::vector<bfloat16>(rows * in), w = std::vector<bfloat16>(in * out);
    std::vector<bfloat16> y = std::vector<bfloat16>(rows * out);
};

emulator::counters run_first_level(problem& p)
{
    emulated_device device;
    device.config.memory.read(p.x.data(), p.x.size() * sizeof(bfloat16), "X");
    device.config.memory.read(p.w.data(), p.w.size() * sizeof(bfloat16), "W");
    device.config.memory.write(p.y.data(), p.y.size() * sizeof(bfloat16), "Y");
    launch_config config;
    config.grid.x = rows * out / one_element_a_lane::block_threads;
    const one_element_a_lane::arguments arguments{p.x.data(), p.w.data(), p.y.data()};
    static_cast<void>(launch(device, config, one_element_a_lane{}, arguments));
    return device.result.counters;
}

template <class Tile>
emulator::counters run_level(problem& p)
{
    using kernel = perceptron<Tile>;
    const typename kernel::arguments arguments{rows,
                                               out,
                                               in,
                                               1,
                                               {p.x.data(), in, 1},
                                               {p.w.data(), out, 1},
                                               {p.y.data(), out, 1},
                                               epilogue::make_chain(epilogue::activate{activation::relu})};
    return emulate_gemm(kernel{}, arguments).counters;
}

// Whether Y is relu(X W), and what the level took: instructions of waves, and 32-byte sectors of global memory.
bool report(const char* level, problem& p, const emulator::counters& c)
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
