// A histogram: every lane counts its elements with atomic additions. The tile tells who looks at what; sweep() visits
// the elements of a lane with their coordinates, so that those past the end can be left out.

#include <tegula/host.hpp>
#include <tegula/tensor.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;

struct histogram_kernel
{
    using target = arch::sm_80;
    static constexpr index_t elements_of_block = 4096;
    static constexpr int waves = 8;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = coalesced_vector<target, std::uint8_t, elements_of_block, waves>;

    const std::uint8_t* data;
    int* counts; // [256], zero before
    index_t length;

    TEGULA_HOST_DEVICE void operator()() const
    {
        // 16 bytes at a time; only those that are there are read.
        const auto view = make_tensor_view<target, address_space::global>(
            data, make_strided_descriptor(make_tuple(length), make_tuple(constant<1>{}), constant<16>{}), "data");
        const index_t first = target::block_id()[0] * elements_of_block;
        const auto x = load(make_tile_window<tile>(view, {first}));
        sweep<target>(x, [&](std::uint8_t value, const multi_index<1>& at) {
            if (first + at[0] < length)
                target::atomic_add(&counts[value], 1);
        });
    }
};

int main()
{
    const index_t length = 10007;
    std::vector<std::uint8_t> data(length);
    for (index_t i = 0; i < length; ++i)
        data[i] = static_cast<std::uint8_t>(i * i / 7);
    std::vector<int> counts(256), expected(256);
    for (const std::uint8_t value : data)
        ++expected[value];

    emulated_device device;
    device.config.memory.read(data.data(), data.size(), "data")
        .write(counts.data(), counts.size() * sizeof(int), "counts");
    const launch_config grid{.grid = {ceil_div(length, histogram_kernel::elements_of_block)}, .name = "histogram"};
    if (const status s = launch(device, grid, histogram_kernel{data.data(), counts.data(), length}); !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }
    std::printf("histogram of %d bytes: %s\n", length, counts == expected ? "right" : "wrong");
    return counts == expected ? 0 : 1;
}
