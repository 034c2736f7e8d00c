// Mathematical functions by polynomials and the chip's own exponential, and atomic additions of a tile: nothing may go to
// scratch memory, and no function may be called.
//
// targets: gfx942 sm_80
// full targets: gfx90a gfx1100 gfx1201 sm_90a
// expect * [apply_functions]: wide_global_load >= 1, wide_global_store >= 1, registers <= 128
// expect gfx90a gfx942 gfx1100 gfx1201 [apply_functions]: /v_exp_f32/ >= 1, /s_swappc_b64/ == 0
// expect sm_80 sm_90a [apply_functions]: /ex2\.approx/ >= 1, /call\.uni/ == 0
// expect gfx942 gfx1100 gfx1201 [add_tile]: /global_atomic_add_f32/ >= 4
// expect gfx90a [add_tile]: /(global|flat)_atomic_(add_f32|cmpswap)/ >= 4
// expect sm_80 sm_90a [add_tile]: /(atom|red)\.global\.add\.f32/ >= 4

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/functions.hpp>
#include <tegula/tensor.hpp>
#include <tegula/tensor/atomic.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

// [4 lanes] of a wave.
using row =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<target::wave_size, 4>>, tuple<sequence<1>>,
                                                 tuple<sequence<0>>, sequence<1>, sequence<1>>>;

template <class T>
TEGULA_INLINE auto window_of(T* data)
{
    const auto layout = make_packed_descriptor(sequence<4 * target::wave_size>{});
    return make_tile_window<row>(make_tensor_view<target, address_space::global>(data, layout), {0});
}

template <class F>
TEGULA_INLINE void apply(float* to, const float* from, const F& f)
{
    auto tile = load(window_of(from));
    transform(tile, f);
    store(window_of(to), tile);
}

__global__ void apply_functions(float* to, const float* from)
{
    apply(to, from, [](float x) {
        const float a = exp<target>(x) + sigmoid<target>(x) + tanh<target>(x);
        return a + erf<target>(x) + sin<target>(x) + cos<target>(x);
    });
}
__global__ void add_tile(float* to, const float* from) { atomic_add(window_of(to), load(window_of(from))); }

} // namespace tegula

using namespace tegula;
// Without the namespace nvcc takes CUDA's ::max, which is no constant expression.
static_assert(tegula::max(3, 4) == 4 && tegula::min(index_t{3}, index_t{4}) == 3);
