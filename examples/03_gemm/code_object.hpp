#pragma once

// What the source of a code object consists of: rows of the list in shipped.hpp. Written by code_objects.py, compiled
// by clang as HIP for the device alone, without HIP's headers, of which kernels need these four words.

#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

#include "shipped.hpp"

namespace gemm_example {

template <class List, int I>
struct list_item;
template <class... Items, int I>
struct list_item<type_list<Items...>, I>
{
    using type = __type_pack_element<I, Items...>;
};

} // namespace gemm_example

/// Row `number` of shipped_kernels<arch>, whose symbol is `name`, as a kernel.
#define GEMM_EXAMPLE_SHIP(arch_name, number, name)                                                                     \
    namespace gemm_example::name {                                                                                     \
    using row = list_item<shipped_kernels<tegula::arch::arch_name>, number>::type;                                     \
    using kernel = row::kernel;                                                                                        \
    static_assert(symbol_of(row::words) == #name, "the list of kernels has changed; make this file anew");             \
    }                                                                                                                  \
    extern "C" __global__ void                                                                                         \
        __attribute__((amdgpu_flat_work_group_size(1, gemm_example::name::kernel::block_threads)))                     \
        name(const gemm_example::name::kernel::arguments args)                                                         \
    {                                                                                                                  \
        gemm_example::name::kernel{}(args);                                                                            \
    }
