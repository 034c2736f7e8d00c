/// Launches in a graph.

#include "test/gpu/on_gpu_launch.hpp"
#include "test/gpu/watching_runtime/watching_runtime.hpp"

using namespace tegula;
using namespace tegula::test;

#if defined(__HIP__)
using target = arch::gfx942;
#else
using target = arch::sm_80;
#endif

static const bool added = add_gemm_graph<target>();

#if !defined(__HIP__)
namespace {
template <int>
__global__ void one_of_two()
{}
} // namespace

std::string tegula::test::launch_two_functions_of_a_kernel()
{
    constexpr long shared_bytes = 64 << 10;
    for (const void* function :
         {reinterpret_cast<const void*>(&one_of_two<0>), reinterpret_cast<const void*>(&one_of_two<1>)}) {
        if (status s = launching::prepare<adding<target>>(function, shared_bytes); !s)
            return s.message();
        cudaLaunchConfig_t config{};
        config.gridDim = config.blockDim = dim3(1);
        config.dynamicSmemBytes = shared_bytes;
        if (status s = check_runtime(cudaLaunchKernelExC(&config, function, nullptr), "launching a kernel"); !s)
            return s.message();
    }
    return {};
}
#endif
