// The launch on a GPU. nvcc compiles this file, or clang as HIP.

#include "row_softmax.hpp"

#include <tegula/host/gpu_launch.hpp>

using namespace tegula;

#if defined(__HIP__)
using target = arch::gfx942;
#else
using target = arch::sm_80;
#endif

status softmax_on_gpu(const float* from, float* to, index_t rows, index_t columns)
{
    const std::size_t bytes = sizeof(float) * rows * columns;
    device_memory source, result;
    if (status s = source.copy_from(from, bytes); !s)
        return s;
    if (status s = result.allocate(bytes); !s)
        return s;

    using kernel = row_softmax<target, 512>;
    const kernel softmax{static_cast<const float*>(source.data()), static_cast<float*>(result.data()), rows, columns};
    if (status s = launch(gpu_device{}, {.grid = {ceil_div(rows, kernel::rows_of_block)}}, softmax); !s)
        return s;
    return result.copy_to(to, bytes); // in the same stream, behind the kernel
}
