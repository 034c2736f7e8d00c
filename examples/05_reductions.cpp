// Reductions across the waves of a block, where partial sums meet in shared memory, and of pairs, a value and its place.

#include <tegula/host.hpp>
#include <tegula/tensor.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace tegula;

constexpr index_t rows = 32, columns = 64; // of the one tile
struct largest
{
    float value;
    int column;
};

struct reductions_kernel
{
    using target = arch::gfx90a;
    static constexpr int block_threads = 4 * target::wave_size;
    using tile = coalesced<target, float, rows, columns, 4>;
    static constexpr index_t shared_bytes = reduce_scratch_bytes<target, float, tile, 0>;

    const float* from; // [rows, columns]
    float* sums;       // [columns]
    int* best;         // [rows]

    TEGULA_HOST_DEVICE void operator()() const
    {
        const auto line = [](auto* data, index_t length, const char* name) {
            const auto layout = make_strided_descriptor(make_tuple(length), make_tuple(constant<1>{}));
            return make_tensor_view<target, address_space::global>(data, layout, name);
        };
        const auto source = make_strided_descriptor(make_tuple(constant<rows>{}, constant<columns>{}),
                                                    make_tuple(constant<columns>{}, constant<1>{}));
        const auto matrix = make_tensor_view<target, address_space::global>(from, source, "x");
        const auto x = load(make_tile_window<tile>(matrix, {0, 0}));

        // Rows lie in several waves: their sums meet in shared memory. Each lane gets those of the columns it holds.
        const auto sum = reduce<target, 0>(x, [](float a, float b) { return a + b; }, target::shared_memory()); // [64]
        store(make_tile_window<typename decltype(sum)::distribution>(line(sums, columns, "sums"), {0}), sum);

        // Pairs of value and column: of two the larger value, of equals the lower column.
        auto pairs = elementwise([](float value) { return largest{value, 0}; }, x);
        sweep<target>(pairs, [](largest& pair, const multi_index<2>& at) { pair.column = at[1]; });
        const auto most = reduce<target, 1>(pairs, [](const largest& a, const largest& b) {
            return choose(b.value > a.value || (b.value == a.value && b.column < a.column), b, a);
        }); // [32]
        store(make_tile_window<typename decltype(most)::distribution>(line(best, rows, "best"), {0}),
              elementwise([](const largest& pair) { return pair.column; }, most));
    }
};

int main()
{
    std::vector<float> x(rows * columns), sums(columns);
    std::vector<int> best(rows);
    for (index_t i = 0; i < rows * columns; ++i)
        x[i] = static_cast<float>(i * i % 97);
    emulated_device device;
    device.config.memory.read(x.data(), x.size() * 4, "x").write(sums.data(), sums.size() * 4, "sums");
    device.config.memory.write(best.data(), best.size() * 4, "best");
    if (const status s = launch(device, {.name = "reductions"}, reductions_kernel{x.data(), sums.data(), best.data()});
        !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }
    int wrong = 0;
    for (index_t i = 0; i < rows; ++i) {
        const auto row = x.begin() + i * columns;
        wrong += best[i] != std::max_element(row, row + columns) - row; // the first of equals
        for (index_t j = 0; j < columns; ++j)
            sums[j] -= row[j];
    }
    wrong += std::count_if(sums.begin(), sums.end(), [](float s) { return s != 0; }); // whole numbers: exact
    std::printf("column sums and arg-max of rows: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
