// A matrix transposed through shared memory: both the loads and the stores are 16 bytes a lane, neighbours side by
// side, and no two lanes have a bank conflict.

#include <tegula/host.hpp>
#include <tegula/tensor.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;

struct transpose_kernel
{
    using target = arch::gfx942;
    static constexpr index_t size = 32; // of a block's square tile
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;

    // The distributions on the way in (rows are contiguous) and on the way out (columns are). The layout in shared
    // memory has no bank conflicts either way.
    using in = coalesced<target, float, size, size, waves>;
    using out = coalesced<target, float, size, size, waves, contiguous::rows>;
    using layout = make_shared_layout<in, out, float, target>;
    static_assert(layout::conflict_free);
    static constexpr index_t shared_bytes = layout::bytes;

    const float* from; // [rows, columns]
    float* to;         // [columns, rows]
    index_t rows, columns;

    TEGULA_HOST_DEVICE void operator()() const
    {
        // Both views have the index (row, column) of the source. Strides of rows that are multiples of 4 make vectors.
        const auto source = make_tensor_view<target, address_space::global>(
            from, make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, constant<1>{}), constant<4>{}),
            "source");
        const auto result = make_tensor_view<target, address_space::global>(
            to, make_strided_descriptor(make_tuple(rows, columns), make_tuple(constant<1>{}, rows), constant<4>{}),
            "result");
        auto* const memory = reinterpret_cast<float*>(target::shared_memory());
        const auto tile =
            make_tensor_view<target, address_space::shared>(memory, typename layout::descriptor{}, "tile");

        const auto block = target::block_id();
        const multi_index<2> corner{block[1] * size, block[0] * size};
        store(make_tile_window<in>(tile, {0, 0}), load(make_tile_window<in>(source, corner)));
        target::block_barrier();
        store(make_tile_window<out>(result, corner), load(make_tile_window<out>(tile, {0, 0})));
    }
};

int main()
{
    const index_t rows = 100, columns = 132;
    std::vector<float> from(rows * columns), to(rows * columns);
    for (index_t i = 0; i < rows * columns; ++i)
        from[i] = static_cast<float>(i);

    emulated_device device;
    device.config.memory.read(from.data(), from.size() * sizeof(float), "source")
        .write(to.data(), to.size() * sizeof(float), "result");
    constexpr index_t size = transpose_kernel::size;
    const launch_config grid{.grid = {ceil_div(columns, size), ceil_div(rows, size)}, .name = "transpose"};
    if (const status s = launch(device, grid, transpose_kernel{from.data(), to.data(), rows, columns}); !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }

    int wrong = 0;
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
            wrong += to[j * rows + i] != from[i * columns + j];
    const auto& counted = device.result.counters;
    std::printf("transposed %d x %d, %d wrong, %lld bank conflicts\n", rows, columns, wrong,
                static_cast<long long>(counted.shared_load_conflicts + counted.shared_store_conflicts));
    return wrong == 0 ? 0 : 1;
}
