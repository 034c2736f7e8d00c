#pragma once

#include "support.hpp"

#include <tegula/arch/nvidia/cluster.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/emulator/tensor_box.hpp>

/// Helpers for the tests of clusters, mbarriers and bulk copies.

namespace hopper {

using namespace tegula;
using namespace tegula::arch::nvidia;
using target = arch::sm_90a;

/// One block of two waves, 16 KiB of shared memory.
inline emu::run_config one_block()
{
    emu::run_config config = two_waves();
    config.chip = &chip::sm_90a;
    config.block_threads = 64;
    config.shared_bytes = 16384;
    return config;
}

/// As one_block, with a cluster of two blocks.
inline emu::run_config two_blocks()
{
    emu::run_config config = one_block();
    config.grid = {2, 1, 1};
    config.cluster = {2, 1, 1};
    return config;
}

/// mbarriers lie at the end of the shared memory.
inline mbarrier* barrier(int i = 0) { return reinterpret_cast<mbarrier*>(emu::shared_memory() + 16384 - 256) + i; }

/// Thread 0 initialises `count` mbarriers for as many arrivals each, and the block meets.
inline void make_barriers(int count, int arrivals)
{
    if (target::thread_id() == 0) {
        for (int i = 0; i < count; ++i)
            mbarrier_init(barrier(i), arrivals);
        fence_mbarrier_init();
    }
    target::block_barrier();
}

/// A row-major matrix of floats: columns contiguous.
inline tensor_map_parameters matrix_of(const float* base, int rows, int columns, int box_rows, int box_columns,
                                       swizzle_mode swizzle = swizzle_mode::none)
{
    tensor_map_parameters p;
    p.base = base;
    p.type = tensor_element::f32;
    p.rank = 2;
    p.lengths[0] = static_cast<std::uint64_t>(columns);
    p.lengths[1] = static_cast<std::uint64_t>(rows);
    p.strides_bytes[1] = static_cast<std::uint64_t>(columns) * 4;
    p.box[0] = static_cast<std::uint32_t>(box_columns);
    p.box[1] = static_cast<std::uint32_t>(box_rows);
    p.swizzle = swizzle;
    return p;
}

inline std::vector<float> counting(int n)
{
    std::vector<float> x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<float>(i);
    return x;
}

} // namespace hopper
