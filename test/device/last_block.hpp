#pragma once

#include <tegula/tensor.hpp>

namespace tegula {

/// total = the sum of `blocks` rows of block_threads floats, one a block; `arrived` is 0 before and behind it.
template <class target>
struct last_block_sum
{
    static constexpr int block_threads = 2 * target::wave_size;
    static constexpr int shared_bytes = 4;

    const float* rows;
    float* parts; ///< [blocks, block_threads]
    int* arrived;
    float* total; ///< [block_threads]
    int blocks;

    TEGULA_HOST_DEVICE void operator()() const
    {
        const int block = target::block_id()[0];
        const int t = target::thread_id();
        const int own = block * block_threads + t;
        int* const last = reinterpret_cast<int*>(target::shared_memory());
        target::store_global(parts + own, target::load_global(rows + own));
        target::block_barrier();
        if (t == 0) {
            target::template thread_fence<thread_scope::device>(); // what the block left, before it is counted
            const int before = target::template global_atomic<atomic_op::add>(arrived, 1);
            target::template thread_fence<thread_scope::device>(); // what those that were counted left
            target::store_shared(last, before + 1 == blocks ? 1 : 0);
        }
        target::block_barrier();
        if (target::load_shared(last) == 0)
            return;
        float sum = 0;
        for (int b = 0; b < blocks; ++b)
            sum += target::load_global(parts + b * block_threads + t);
        target::store_global(total + t, sum);
        if (t == 0)
            target::store_global(arrived, 0);
    }
};

} // namespace tegula
