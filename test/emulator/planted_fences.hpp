#pragma once

#include "planted.hpp"

/// Shared by the tests of fences.

namespace planted {

inline constexpr int blocks = 4;
inline constexpr int threads = 128;

/// Four blocks of two waves, counters that every run finds as they were, and a place a thread and block.
struct fenced_ground : ground
{
    int count = 0;
    int lock = 0;
    int flags[blocks]{};

    explicit fenced_ground(const tegula::chip_info& chip)
    {
        config.chip = &chip;
        config.grid = {blocks, 1, 1};
        config.block_threads = threads;
        config.patience = 2;
        refills = [this](ground&) {
            count = lock = 0;
            for (int& flag : flags)
                flag = 0;
            config.memory.write(&count, 4, "count").write(&lock, 4, "lock").write(flags, sizeof(flags), "flags");
        };
        refill();
    }
    float* part(int block, int t) { return work.data() + block * threads + t; }
};

inline int add(int* at, int n)
{
    return emu::global_atomic(at, [n](int old) { return old + n; });
}
inline int exchange(int* at, int value)
{
    return emu::global_atomic(at, [value](int) { return value; });
}
inline int compare_exchange(int* at, int expected, int value)
{
    return emu::global_atomic(at, [=](int old) { return old == expected ? value : old; });
}

} // namespace planted
