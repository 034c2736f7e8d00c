// Tensor operations in registers: load, reduce, spread over rows, convert, store; nothing may go to scratch
// memory.
//
// targets: gfx942 sm_80
// full targets: gfx90a gfx1100 gfx1201 sm_90a
// expect * [softmax]: wide_global_load >= 2, wide_global_store >= 2, matrix == 0, registers <= 64
// expect gfx90a gfx942 gfx1100 gfx1201 [softmax]: /_dpp/ >= 8, /ds_bpermute|ds_swizzle/ == 0
// expect sm_80 sm_90a [softmax]: /shfl\.sync/ >= 8
// expect * [column_best]: /v_cmp|setp|v_cmpx/ >= 4
// expect * [to_columns]: wide_global_load >= 2, wide_global_store >= 1, wide_shared_store >= 2
// expect * [private_tile]: wide_global_load >= 1

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/tensor.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
inline constexpr index_t lanes = target::wave_size;

// [lanes / 2, 32] over two waves: a lane holds 4 neighbours of two rows.
using rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 2, lanes / 8>, sequence<8, 4>>,
                                                 tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<1>, sequence<2, 0>>,
                                                 sequence<1, 2>, sequence<0, 1>>>;
// Lanes down the rows: half a row each.
using columns =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<lanes / 2>, sequence<2, 2, 8>>,
                                                 tuple<sequence<2>, sequence<2, 1>>, tuple<sequence<0>, sequence<1, 0>>,
                                                 sequence<2>, sequence<2>>>;

template <class T>
TEGULA_INLINE auto view_of(T* data, index_t length, long_index_t stride)
{
    return make_tensor_view<target, address_space::global>(
        data, make_strided_descriptor(make_tuple(length, 32), make_tuple(stride, constant<1>{}), constant<4>{}));
}

TEGULA_INLINE void softmax_body(float* to, const float* from, index_t length, long_index_t stride)
{
    const multi_index<2> corner{target::block_id()[0] * (lanes / 2), 0};
    auto tile = load(make_tile_window<rows>(view_of(from, length, stride), corner));
    const auto largest = reduce<target, 1>(tile, [](float a, float b) { return a > b ? a : b; });
    transform_with_reduced<1>(tile, largest, [](float x, float m) { return target::exp2(x - m); });
    const auto total = reduce<target, 1>(tile, [](float a, float b) { return a + b; });
    sweep_spans<1>(
        tile, [&](auto row, auto span) { static_for<span.size()>([&](auto j) { span[j] *= 1.0f / total[row]; }); });
    store(make_tile_window<rows>(view_of(to, length, stride), corner), tile);
}

struct best
{
    float value;
    int row;
};

TEGULA_INLINE void column_best_body(best* to, const float* from, index_t length, long_index_t stride)
{
    const auto values = load(make_tile_window<rows>(view_of(from, length, stride), {0, 0}), -1.0f);
    auto tile = elementwise([](float x) { return best{x, 0}; }, values);
    sweep<target>(tile, [](best& b, const auto& x) { b.row = x[0]; });
    const auto found = reduce<target, 0>(
        tile,
        [](const best& a, const best& b) {
            return choose(a.value > b.value || (a.value == b.value && a.row < b.row), a, b);
        },
        target::shared_memory());
    const auto line =
        make_tensor_view<target, address_space::global>(to, make_packed_descriptor(sequence<32>{}), "best");
    store(make_tile_window<reduced_distribution<rows, 0>>(line, {0}), found);
}

TEGULA_INLINE void to_columns_body(float* to, const float* from, index_t length, long_index_t stride)
{
    const auto tile = load(make_tile_window<rows>(view_of(from, length, stride), {0, 0}));
    const auto turned = convert<target, columns>(tile, target::shared_memory());
    store(make_tile_window<columns>(view_of(to, length, stride), {0, 0}), turned);
}

TEGULA_INLINE void to_columns_in_chunks_body(float* to, const float* from, index_t length, long_index_t stride)
{
    const auto tile = load(make_tile_window<rows>(view_of(from, length, stride), {0, 0}));
    const auto turned = convert<target, columns, 512>(tile, target::shared_memory());
    store(make_tile_window<columns>(view_of(to, length, stride), {0, 0}), turned);
}

/// A lane's own registers as a tensor: shifted by a row.
TEGULA_INLINE void private_tile_body(float* to, const float* from, index_t length, long_index_t stride)
{
    using own = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<4>>, tuple<>,
                                                             tuple<>, sequence<1, 2>, sequence<0, 0>>>;
    auto tile = load(make_tile_window<rows>(view_of(from, length, stride), {0, 0}));
    const auto registers = make_tensor_view<target, address_space::registers>(tile.registers.values,
                                                                              make_packed_descriptor(sequence<2, 4>{}));
    distributed_tensor<float, own> shifted;
    load<bounds::checked>(shifted, make_tile_window<own>(registers, {-1, 0}), 1.0f);
    store(make_tile_window<own>(registers, {0, 0}), shifted);
    store(make_tile_window<rows>(view_of(to, length, stride), {0, 0}), tile);
}

__global__ void softmax(float* to, const float* from, index_t length, long_index_t stride)
{
    softmax_body(to, from, length, stride);
}
__global__ void column_best(best* to, const float* from, index_t length, long_index_t stride)
{
    column_best_body(to, from, length, stride);
}
__global__ void to_columns(float* to, const float* from, index_t length, long_index_t stride)
{
    to_columns_body(to, from, length, stride);
}
__global__ void to_columns_in_chunks(float* to, const float* from, index_t length, long_index_t stride)
{
    to_columns_in_chunks_body(to, from, length, stride);
}
__global__ void private_tile(float* to, const float* from, index_t length, long_index_t stride)
{
    private_tile_body(to, from, length, stride);
}

} // namespace tegula
