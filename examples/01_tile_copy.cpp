// A hand-written kernel: every block copies one 64 x 64 tile of a matrix, edges included.
//
// coalesced<...> is the distribution: 4 waves of 64 lanes; a lane takes 4 neighbouring floats (16 bytes), 16 lanes a row,
// 4 rows a wave, 4 times (00_layouts/of_kernels.hpp spells it out). Loads, stores and masks at the edges follow from it.

#include <tegula/emulator.hpp>
#include <tegula/tensor.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;

struct tile_copy
{
    using target = arch::gfx942;
    using tile = coalesced<target, float, 64, 64, 4>; // 64 x 64 floats over 4 waves, 16 bytes a lane

    const float* from;
    float* to;
    index_t rows, columns;
    long_index_t stride; // elements from row to row, a multiple of 4

    TEGULA_HOST_DEVICE void operator()() const
    {
        const auto layout =
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(stride, constant<1>{}), constant<4>{});
        const auto source = make_tensor_view<target, address_space::global>(from, layout, "source");
        const auto result = make_tensor_view<target, address_space::global>(to, layout, "result");
        const multi_index<2> corner{target::block_id()[1] * 64, target::block_id()[0] * 64};
        store(make_tile_window<tile>(result, corner), load(make_tile_window<tile>(source, corner)));
    }
};

int main()
{
    const index_t rows = 100, columns = 130, stride = 132;
    std::vector<float> from(rows * stride), to(rows * stride, -1.0f);
    for (index_t i = 0; i < rows * stride; ++i)
        from[i] = static_cast<float>(i);

    using target = tile_copy::target;
    emulator::run_config config;
    constexpr chip_info chip = target::chip();
    config.chip = &chip;
    config.kernel_name = "tile_copy";
    config.grid = {(columns + 63) / 64, (rows + 63) / 64, 1};
    config.block_threads = 256;
    config.memory.read(from.data(), from.size() * sizeof(float), "source")
        .write(to.data(), to.size() * sizeof(float), "result");
    const emulator::launch_result run =
        emulator::launch(config, tile_copy{from.data(), to.data(), rows, columns, stride});
    if (!run.status) {
        std::fprintf(stderr, "%s\n%s", run.status.message(), run.report.c_str());
        return 1;
    }

    int wrong = 0;
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < stride; ++j)
            wrong += to[i * stride + j] != (j < columns ? from[i * stride + j] : -1.0f);
    std::printf("copied %d x %d floats, %d wrong, %lld sectors read, %lld written\n", rows, columns, wrong,
                static_cast<long long>(run.counters.global_load_sectors),
                static_cast<long long>(run.counters.global_store_sectors));
    return wrong == 0 ? 0 : 1;
}
