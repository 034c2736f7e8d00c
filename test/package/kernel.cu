// A kernel of someone else, with its launch: nvcc and clang as HIP both compile it.
#include <tegula/host/gpu_launch.hpp>
#include <tegula/tensor.hpp>

#if defined(__HIP__)
#if NEEDED != 1
#error "the definitions of the library are not those of its sources"
#endif
using target = tegula::arch::gfx942;
#else
using target = tegula::arch::sm_80;
#endif

// One element a lane of one wave.
struct copy_line
{
    using target = ::target;
    static constexpr int block_threads = target::wave_size;
    using line = tegula::tile_distribution<tegula::tile_distribution_encoding<
        tegula::sequence<>, tegula::tuple<tegula::sequence<target::wave_size>>, tegula::tuple<tegula::sequence<1>>,
        tegula::tuple<tegula::sequence<0>>, tegula::sequence<>, tegula::sequence<>>>;

    TEGULA_HOST_DEVICE void operator()(const float* from, float* to) const
    {
        using namespace tegula;
        const auto layout = make_packed_descriptor(sequence<target::wave_size>{});
        const auto source = make_tensor_view<target, address_space::global>(from, layout);
        const auto result = make_tensor_view<target, address_space::global>(to, layout);
        store(make_tile_window<line>(result, {0}), load(make_tile_window<line>(source, {0})));
    }
};

/// A launch of no blocks, which needs no GPU.
bool launch_nothing()
{
    tegula::launch_config config;
    config.grid = {0, 1, 1};
    const float* from = nullptr;
    float* to = nullptr;
    return static_cast<bool>(tegula::launch(tegula::gpu_device{}, config, copy_line{}, from, to));
}
