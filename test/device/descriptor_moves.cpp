// Descriptors in kernels: merges of compile-time and of run-time lengths compile to no division.
// targets: gfx942 gfx1201 sm_80
// expect gfx942 gfx1201: /v_rcp_|v_div_/ == 0
// expect sm_80: /\b(div|rem)\./ == 0
// expect *: matrix == 0, shared_bytes == 0

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/layout/descriptor/coordinate.hpp>

using namespace tegula;

/// Element `thread` of a [6 * 10, 24] view of a [6, 10, 24] tensor, then 4 more along each row.
__global__ void merge_of_constants(float* to, const float* from, int columns)
{
    const auto tensor = make_packed_descriptor(sequence<6, 10, 24>{});
    const auto view = transform_descriptor(
        tensor, make_tuple(make_merge_transform(sequence<10, 24>{}), make_pass_through_transform(6)),
        make_tuple(sequence<1, 2>{}, sequence<0>{}), make_tuple(sequence<1>{}, sequence<0>{}));
    auto at = make_coordinate(view, {static_cast<index_t>(threadIdx.y), static_cast<index_t>(threadIdx.x)});
    float sum = 0;
    for (int i = 0; i < columns; ++i) {
        if (is_valid(view, at))
            sum += from[at.offset()];
        move_coordinate(view, at, sequence<0, 7>{});
    }
    to[threadIdx.x] = sum;
}

template <class Descriptor>
__global__ void merge_of_run_time_lengths(float* to, const float* from, Descriptor view, int steps)
{
    constexpr index_t vector = Descriptor::guaranteed_vector_length(0);
    auto at = make_coordinate(view, {static_cast<index_t>(threadIdx.x)});
    float sum = 0;
    for (int i = 0; i < steps; ++i) {
        sum += from[at.offset()];
        move_coordinate(view, at, {vector});
    }
    to[threadIdx.x] = sum;
}

inline auto make_view(index_t rows, index_t columns, long_index_t stride)
{
    return transform_descriptor(
        make_strided_descriptor(make_tuple(rows, columns), make_tuple(stride, constant<1>{}), constant<8>{}),
        make_tuple(make_merge_transform(make_tuple(rows, columns))), make_tuple(sequence<0, 1>{}),
        make_tuple(sequence<0>{}));
}

void launch_all(float* to, const float* from)
{
    merge_of_run_time_lengths<<<1, 64>>>(to, from, make_view(30, 50, 64), 9);
    merge_of_constants<<<1, 64>>>(to, from, 4);
}
