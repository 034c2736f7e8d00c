// What the other examples leave out of tile operations: a reduction across waves, a reduction of pairs, and a tile that
// changes its distribution.

#include <tegula/host.hpp>
#include <tegula/tensor.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;

struct largest
{
    float value;
    int column;
};

struct reductions_kernel
{
    using target = arch::gfx90a;
    static constexpr index_t rows = 32, columns = 64;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = coalesced<target, float, rows, columns, waves>;
    // The same tile with columns contiguous in a lane: what a store of the transposed matrix wants.
    using other = coalesced<target, float, rows, columns, waves, contiguous::rows>;

    // One piece of shared memory for all: what needs it gives it back.
    static constexpr index_t for_sums = reduce_scratch_bytes<target, float, tile, 0>;
    static constexpr index_t for_change = conversion_scratch_bytes<target, float, tile, other>;
    static constexpr index_t shared_bytes = max(for_sums, for_change);

    const float* from; // [rows, columns]
    float* sums;       // [columns]
    int* best;         // [rows]
    float* transposed; // [columns, rows]

    template <class T>
    static TEGULA_HOST_DEVICE auto line(T* data, index_t length, const char* name)
    {
        const auto layout = make_strided_descriptor(make_tuple(length), make_tuple(constant<1>{}));
        return make_tensor_view<target, address_space::global>(data, layout, name);
    }

    TEGULA_HOST_DEVICE void operator()() const
    {
        const auto source = make_strided_descriptor(make_tuple(constant<rows>{}, constant<columns>{}),
                                                    make_tuple(constant<columns>{}, constant<1>{}));
        const auto x =
            load(make_tile_window<tile>(make_tensor_view<target, address_space::global>(from, source, "x"), {0, 0}));

        // Rows lie in several waves: their sums meet in shared memory. Each lane gets those of the columns it holds.
        const auto sum = reduce<target, 0>(x, [](float a, float b) { return a + b; }, target::shared_memory()); // [64]
        store(make_tile_window<typename decltype(sum)::distribution>(line(sums, columns, "sums"), {0}), sum);

        // Pairs of value and column: of two the larger value, of equals the lower column.
        auto pairs = make_distributed_tensor<largest, tile>({});
        sweep<target>(pairs, [](largest& pair, const multi_index<2>& at) { pair.column = at[1]; });
        pairs = elementwise([](float value, largest pair) { return largest{value, pair.column}; }, x, pairs);
        const auto most = reduce<target, 1>(pairs, [](const largest& a, const largest& b) {
            return choose(b.value > a.value || (b.value == a.value && b.column < a.column), b, a);
        }); // [32]
        store(make_tile_window<typename decltype(most)::distribution>(line(best, rows, "best"), {0}),
              elementwise([](const largest& pair) { return pair.column; }, most));

        // The same elements in other lanes and registers, by the cheapest way there is; here through shared memory.
        const auto turned = convert<target, other>(x, target::shared_memory());
        const auto result = make_strided_descriptor(make_tuple(constant<rows>{}, constant<columns>{}),
                                                    make_tuple(constant<1>{}, constant<rows>{}));
        store(make_tile_window<other>(make_tensor_view<target, address_space::global>(transposed, result, "transposed"),
                                      {0, 0}),
              turned);
    }
};

int main()
{
    constexpr index_t rows = reductions_kernel::rows, columns = reductions_kernel::columns;
    std::vector<float> x(rows * columns), sums(columns), transposed(rows * columns);
    std::vector<int> best(rows);
    for (index_t i = 0; i < rows * columns; ++i)
        x[i] = static_cast<float>(i * i % 97);
    emulated_device device;
    device.config.memory.read(x.data(), x.size() * 4, "x").write(sums.data(), sums.size() * 4, "sums");
    device.config.memory.write(best.data(), best.size() * 4, "best")
        .write(transposed.data(), transposed.size() * 4, "transposed");
    if (!launch(device, {.name = "reductions"},
                reductions_kernel{x.data(), sums.data(), best.data(), transposed.data()})) {
        std::fprintf(stderr, "%s\n", device.result.report.c_str());
        return 1;
    }
    int wrong = 0;
    for (index_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (index_t i = 0; i < rows; ++i) {
            sum += x[i * columns + j];
            wrong += transposed[j * rows + i] != x[i * columns + j];
        }
        wrong += sums[j] != sum;
    }
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
            wrong += x[i * columns + j] > x[i * columns + best[i]] ||
                     (x[i * columns + j] == x[i * columns + best[i]] && j < best[i]);
    std::printf("column sums, arg-max of rows and a change of distribution: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
