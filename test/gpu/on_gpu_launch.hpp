#pragma once

/// Function objects, three-dimensional grids and graphs on GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/graph_checks.hpp"
#include "test/gpu/launch_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Target>
bool add_function_objects()
{
    registered<kernel_check>().push_back(
        {Target::chip().name, runtime_name, "function objects", [](std::uint64_t seed) {
             gpu_device device;
             return check_function_objects<Target>(device, seed);
         }});
    return true;
}

template <class Target>
bool add_gemm_graph()
{
    using enum operand_order;
    using tile = typename gemm_tiles<Target, bfloat16>::t64x64;
    using kernel =
        typename gemm_kernels<tile, float, test_epilogue<float>::type>::template aligned<k_contiguous, row_contiguous>;
    return add_graph<kernel, run_plain, k_contiguous, row_contiguous>("a graph of GEMM");
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
