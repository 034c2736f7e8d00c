// The emulator reports a bug: four waves write a tile to shared memory and read it upside down, each what another
// wave wrote, once with the barrier between the two and once without. On a GPU the second would be right on most days.

#include <tegula/host.hpp>
#include <tegula/tensor.hpp>

#include <cstdio>
#include <string>

using namespace tegula;

template <bool WithBarrier>
struct flipped_tile
{
    using target = arch::gfx942;
    static constexpr index_t size = 32;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;
    static constexpr index_t shared_bytes = size * size * static_cast<index_t>(sizeof(float));
    using rows = coalesced<target, float, size, size, waves>; // eight rows a wave

    TEGULA_HOST_DEVICE void operator()() const
    {
        auto* const memory = reinterpret_cast<float*>(target::shared_memory());
        const auto tile = make_tensor_view<target, address_space::shared>(
            memory, make_packed_descriptor(sequence<size, size>{}), "tile");
        const auto flipped = make_tensor_view<target, address_space::shared>(
            memory + (size - 1) * size, make_strided_descriptor(sequence<size, size>{}, sequence<-size, 1>{}),
            "tile upside down");
        store(make_tile_window<rows>(tile, {0, 0}), make_distributed_tensor<float, rows>(0));
        target::block_barrier();
        store(make_tile_window<rows>(tile, {0, 0}), make_distributed_tensor<float, rows>(1));
        if constexpr (WithBarrier)
            target::block_barrier();
        load(make_tile_window<rows>(flipped, {0, 0}));
    }
};

int main()
{
    emulated_device device;
    if (const status s = launch(device, {.name = "flipped_tile"}, flipped_tile<true>{}); !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }
    std::printf("with block_barrier() between the store and the load: nothing to report; without it:\n\n");
    const bool passed = launch(device, {.name = "flipped_tile"}, flipped_tile<false>{}).ok();
    std::fputs(device.result.report.c_str(), stdout);
    return !passed && device.result.report.find("put block_barrier()") != std::string::npos ? 0 : 1;
}
