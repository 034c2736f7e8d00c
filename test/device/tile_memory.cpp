// Code of one lane on whole tiles, masked and atomic accesses, and a product of tiles, which run_ops.py and test/ptx run.
//
// targets: gfx942 gfx1201 sm_80
// full targets: gfx90a gfx1100 sm_90a
// expect * [multiply]: matrix >= 1, registers <= 128
// expect * [change_masked]: wide_global_load >= 2, registers <= 64
// expect sm_80 sm_90a [change_words]: /atom\.global/ >= 4
// expect sm_80 sm_90a [change_shared]: /atom\.shared/ >= 4
// expect gfx90a gfx942 gfx1201 [add_pairs]: /global_atomic_pk_add_f16/ == 4
// expect gfx942 gfx1201 [add_bf16_pairs]: /global_atomic_pk_add_bf16/ == 4
// expect sm_80 sm_90a [add_pairs]: /red\.global\.add\.noftz\.f16x2/ == 4

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/mma/contract.hpp>
#include <tegula/tensor.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

/// [8 lanes] of a wave, two vectors of 4 a lane.
using row = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2, target::wave_size, 4>>, tuple<sequence<1>>,
                               tuple<sequence<1>>, sequence<1, 1>, sequence<0, 2>>>;
/// [lanes / 4], each element in 4 lanes.
using copies =
    tile_distribution<tile_distribution_encoding<sequence<4>, tuple<sequence<target::wave_size / 4>>,
                                                 tuple<sequence<0, 1>>, tuple<sequence<0, 0>>, sequence<>, sequence<>>>;
/// [16, 16]: lanes down the rows, copies in the others.
using matrix = tile_distribution<
    tile_distribution_encoding<sequence<target::wave_size / 16>, tuple<sequence<16>, sequence<16>>,
                               tuple<sequence<0, 1>>, tuple<sequence<0, 0>>, sequence<2>, sequence<0>>>;
inline constexpr index_t row_length = 8 * target::wave_size, copied_length = target::wave_size / 4;

template <class Tile, address_space Space = address_space::global, class T>
TEGULA_INLINE auto window_of(T* data)
{
    if constexpr (Tile::num_x == 1)
        return make_tile_window<Tile>(
            make_tensor_view<target, Space>(data, make_packed_descriptor(sequence<Tile::x_length(0)>{})), {0});
    else
        return make_tile_window<Tile>(
            make_tensor_view<target, Space>(data,
                                            make_packed_descriptor(sequence<Tile::x_length(0), Tile::x_length(1)>{})),
            {0, 0});
}

TEGULA_INLINE void scan_body(float* data)
{
    const auto tile = load(window_of<row>(data));
    store(window_of<row>(data), on_lane0(region_context<target>{target::shared_memory()}, in<row>(tile), out<row>(),
                                         [](const auto& from, const auto& to) {
                                             float sum = 0;
                                             for (index_t i = 0; i < row_length; ++i) {
                                                 sum += from(i);
                                                 to.set(sum, i);
                                             }
                                         }));
}

/// All operations, one behind the other, on words; row i of `before`: what the i-th one returned.
template <address_space Space, class T>
TEGULA_INLINE void change_body(T* words, T* before)
{
    const auto at = window_of<copies, Space>(words);
    const auto value = step<target, copies, 0, T>(-3);
    store(window_of<copies>(before), atomic_update<atomic_op::add>(at, value));
    store(window_of<copies>(before + copied_length), atomic_update<atomic_op::min>(at, value));
    store(window_of<copies>(before + 2 * copied_length), atomic_update<atomic_op::exchange>(at, value));
    const auto other = step<target, copies, 0, T>(7);
    store(window_of<copies>(before + 3 * copied_length), atomic_compare_exchange(at, value, other));
}

TEGULA_INLINE void shared_body(int* to, int* before)
{
    int* const words = reinterpret_cast<int*>(target::shared_memory());
    const auto shared = window_of<copies, address_space::shared>(words);
    store(shared, load(window_of<copies>(to)));
    target::block_barrier();
    change_body<address_space::shared>(words, before);
    target::block_barrier();
    store(window_of<copies>(to), load(shared));
}

TEGULA_INLINE void masked_body(float* to, const float* from)
{
    const auto place = step<target, row, 0, index_t>();
    // Some vectors are whole, some have a hole.
    const auto mask = elementwise([](index_t i) { return i % 16 < 8 || i % 3 != 0; }, place);
    auto tile = masked_load(window_of<row>(from), mask, 7.0f);
    transform(tile, [](float x) { return x + 1; });
    masked_store(window_of<row>(to), tile, mask);
}

/// Bit i: whether word i is odd.
TEGULA_INLINE void ballot_body(std::uint32_t* to, const int* from)
{
    const auto odd = elementwise([](int x) { return x % 2 != 0; }, load(window_of<copies>(from)));
    const auto word = ballot<target, 0>(odd);
    if (target::lane_id() == 0)
        target::store_global(to, word[0]);
}

TEGULA_INLINE void multiply_body(float* c, const half* a, const half* b)
{
    auto sum = load(window_of<matrix>(c));
    contract<target>(sum, load(window_of<matrix>(a)), load(window_of<matrix>(b)), target::shared_memory());
    store(window_of<matrix>(c), sum);
}

/// Nothing where there is no such instruction: on gfx11, and of bfloat16 on gfx90a and sm_80.
template <class T>
TEGULA_INLINE void pairs_body(T* to, const T* from)
{
    if constexpr (detail::adds_pairs<T>(target::chip(), false))
        atomic_add(window_of<row>(to), load(window_of<row>(from)));
}

__global__ void add_pairs(half* to, const half* from) { pairs_body(to, from); }
__global__ void add_bf16_pairs(bfloat16* to, const bfloat16* from) { pairs_body(to, from); }
__global__ void scan_serially(float* data) { scan_body(data); }
__global__ void change_words(int* words, int* before) { change_body<address_space::global>(words, before); }
__global__ void change_long_words(std::int64_t* words, std::int64_t* before)
{
    change_body<address_space::global>(words, before);
}
__global__ void change_floats(float* words, float* before) { change_body<address_space::global>(words, before); }
__global__ void change_shared(int* to, int* before) { shared_body(to, before); }
__global__ void change_masked(float* to, const float* from) { masked_body(to, from); }
__global__ void find_odd(std::uint32_t* to, const int* from) { ballot_body(to, from); }
__global__ void multiply(float* c, const half* a, const half* b) { multiply_body(c, a, b); }

} // namespace tegula
