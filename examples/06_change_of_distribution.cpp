// A tile that changes its distribution: loaded with rows contiguous in a lane, stored with columns contiguous, so that
// both sides of a transposition use whole vectors.

#include <tegula/host.hpp>
#include <tegula/tensor.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;

struct turn_kernel
{
    using target = arch::gfx90a;
    static constexpr index_t rows = 32, columns = 64;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = coalesced<target, float, rows, columns, waves>;
    // That tile with columns contiguous in a lane, for the store of the transposed matrix.
    using other = coalesced<target, float, rows, columns, waves, contiguous::rows>;
    static constexpr index_t shared_bytes = conversion_scratch_bytes<target, float, tile, other>;

    const float* from; // [rows, columns]
    float* transposed; // [columns, rows]

    TEGULA_HOST_DEVICE void operator()() const
    {
        const auto lengths = make_tuple(constant<rows>{}, constant<columns>{});
        const auto source = make_tensor_view<target, address_space::global>(
            from, make_strided_descriptor(lengths, make_tuple(constant<columns>{}, constant<1>{})), "x");
        const auto result = make_tensor_view<target, address_space::global>(
            transposed, make_strided_descriptor(lengths, make_tuple(constant<1>{}, constant<rows>{})), "transposed");
        const auto x = load(make_tile_window<tile>(source, {0, 0}));

        // Moves the elements to other lanes and registers by the cheapest way there is; here through shared memory.
        const auto turned = convert<target, other>(x, target::shared_memory());
        store(make_tile_window<other>(result, {0, 0}), turned);
    }
};

int main()
{
    constexpr index_t rows = turn_kernel::rows, columns = turn_kernel::columns;
    std::vector<float> x(rows * columns), transposed(rows * columns);
    for (index_t i = 0; i < rows * columns; ++i)
        x[i] = static_cast<float>(i);
    emulated_device device;
    device.config.memory.read(x.data(), x.size() * 4, "x").write(transposed.data(), x.size() * 4, "transposed");
    if (const status s = launch(device, {.name = "change of distribution"}, turn_kernel{x.data(), transposed.data()});
        !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }

    int wrong = 0;
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
            wrong += transposed[j * rows + i] != x[i * columns + j];
    std::printf("a change of distribution, %d bytes of shared memory: %d wrong\n", turn_kernel::shared_bytes, wrong);
    return wrong == 0 ? 0 : 1;
}
