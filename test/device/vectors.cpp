// Reductions, scans, sorts and votes of a wave: exchanges inside a row of 16 lanes are operands of the instruction that
// takes them, integers are reduced by one instruction where there is one, and nothing passes through memory.
//
// targets: gfx942 sm_80
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_90a
// expect * [sum_all]: wide_global_load >= 2, wide_global_store >= 2, registers <= 64
// expect gfx90a gfx942 [sum_all]: /v_add_f32_dpp/ == 3, /ds_swizzle/ == 1, /ds_bpermute/ == 1
// expect gfx950 [sum_all]: /v_add_f32_dpp/ == 3, /v_permlane(16|32)_swap/ == 2, /ds_(swizzle|bpermute)/ == 0
// expect gfx1100 gfx1201 [sum_all]: /v_add_f32_dpp/ == 4, /v_permlanex16/ == 1, /ds_bpermute/ == 0
// expect sm_80 sm_90a [sum_all]: /shfl\.sync\.bfly/ == 5
// expect sm_80 sm_90a [sum_integers]: /redux\.sync\.add/ == 1, /shfl\.sync/ == 0
// expect gfx1100 gfx1201 [scan_row]: /_dpp|permlanex16/ >= 10, /ds_bpermute/ == 0
// expect * [sort_row]: wide_shared_store == 0
// expect sm_80 sm_90a [top_of_row]: /vote\.sync/ == 1

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/tensor.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

// [8 lanes] of a wave, two vectors of 4 a lane.
using row = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2, target::wave_size, 4>>, tuple<sequence<1>>,
                               tuple<sequence<1>>, sequence<1, 1>, sequence<0, 2>>>;

template <class T>
TEGULA_INLINE auto window_of(T* data)
{
    const auto layout = make_packed_descriptor(sequence<8 * target::wave_size>{});
    return make_tile_window<row>(make_tensor_view<target, address_space::global>(data, layout), {0});
}

template <class T>
TEGULA_INLINE void subtract_sum(T* data)
{
    auto tile = load(window_of(data));
    const auto sum = reduce<target, 0>(tile, plus{});
    transform(tile, [&](T x) { return x - sum[0]; });
    store(window_of(data), tile);
}

TEGULA_INLINE void sort_body(float* data)
{
    auto tile = load(window_of(data));
    sort<target, 0>(tile, [](float a, float b) { return a < b; });
    store(window_of(data), tile);
}

TEGULA_INLINE void top_body(float* data)
{
    const auto tile = load(window_of(data));
    const auto top = top_k<target, 4, 0>(tile);
    if (any_true<target>(elementwise([](float x) { return x > 3.0f; }, tile)))
        for (int i = 0; i < 4; ++i)
            data[i] = top[i][0].value;
}

/// Row m of `to`: what lane ^ m holds, for every mask m.
TEGULA_INLINE void exchange_body(int* to, const int* from)
{
    const int lane = target::lane_id();
    const int mine = from[lane];
    to[lane] = mine;
    static_for<target::wave_size - 1>([&](auto i) {
        constexpr int mask = i + 1;
        to[mask * target::wave_size + lane] = target::template shuffle_xor<mask>(mine);
    });
}

__global__ void exchange(int* to, const int* from) { exchange_body(to, from); }
__global__ void sum_all(float* data) { subtract_sum(data); }
__global__ void sum_integers(int* data) { subtract_sum(data); }
__global__ void scan_row(float* data)
{
    store(window_of(data), inclusive_scan<target, 0>(load(window_of(data)), plus{}));
}
__global__ void sort_row(float* data) { sort_body(data); }
__global__ void top_of_row(float* data) { top_body(data); }

} // namespace tegula
