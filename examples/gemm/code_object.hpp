#pragma once

// Included by the source of a code object, which consists of kernels of kernels.json. code_objects.py writes it. clang
// compiles it as HIP for the device alone, without HIP's headers. Kernels need only these four words of them.

#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

#include "shipped.hpp"

/// The kernel that the words name, with the symbol `name`.
#define GEMM_EXAMPLE_SHIP(arch_name, inputs, tile, form, order_a, order_b, name)                                       \
    namespace gemm_example::name {                                                                                     \
    using row = shipped_kernel<inputs##_inputs<tegula::arch::arch_name>, tile##_tile, form##_form,                     \
                               operand_order::order_a, operand_order::order_b>;                                        \
    using kernel = row::kernel;                                                                                        \
    static_assert(symbol_of(row::words) == #name, "the list of kernels has changed; generate this file again");        \
    }                                                                                                                  \
    extern "C" __global__ void                                                                                         \
        __attribute__((amdgpu_flat_work_group_size(1, gemm_example::name::kernel::block_threads)))                     \
        name(const gemm_example::name::kernel::arguments args)                                                         \
    {                                                                                                                  \
        tegula::run_kernel<tegula::arch::arch_name>(gemm_example::name::kernel{}, args);                               \
    }
