#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// How the tiles of a ring come: if they do so in several ways, the greatest.
enum class ring_loads {
    stored, ///< through registers
    copied, ///< by asynchronous copies
    direct, ///< by direct loads
};

/// Goes through `steps` tiles, step by step through a ring of Stages (1 or 2) in shared memory. With two, a tile is
/// fetched while the one before it is worked on.
///
///   load(slot, step)  starts fetching what step `step` needs into stage `slot`
///   store(slot)       completes it
///   work(slot, step)  works on it, when all waves have their part there
///
/// Loads: how load() brings tiles. Copies are committed there. Shared memory of the ring must be free after a barrier.
///
/// Ahead: whether work(slot, step) calls load(next slot, step + 1) between its products: with direct loads, or with one
/// stage, whose next tile waits in registers. With direct loads and with Ahead, step `steps` is loaded, too, which must
/// read nothing but may be stored.
TEGULA_CALLS_BACK
template <class Target, int Stages, ring_loads Loads, bool Ahead = false, class Load, class Store, class Work>
TEGULA_INLINE void run_tile_ring(index_t steps, const Load& load, const Store& store, const Work& work)
{
    static_assert(Stages == 1 || Stages == 2, "tegula: the ring has one or two stages");
    const auto arrive = [] {
        if constexpr (Loads == ring_loads::direct) {
            Target::template direct_barrier<0>();
        } else {
            if constexpr (Loads == ring_loads::copied)
                Target::template async_wait<0>();
            Target::shared_barrier();
        }
    };
    if constexpr (Stages == 1 && Ahead) {
        static_assert(Loads == ring_loads::stored, "tegula: with one stage tiles are ahead in registers alone");
        if (steps > 0)
            load(0, 0);
        Target::shared_barrier();
        if (steps > 0)
            store(0);
        // Stores come last, so that the compiler knows what was started since their loads and waits for no more.
        TEGULA_ROLLED
        for (index_t step = 0; step < steps; ++step) {
            Target::shared_barrier();
            work(0, step);
            Target::shared_barrier();
            store(0);
        }
    } else if constexpr (Stages == 1) {
        TEGULA_ROLLED
        for (index_t step = 0; step < steps; ++step) {
            Target::shared_barrier();
            load(0, step);
            store(0);
            arrive();
            work(0, step);
        }
    } else if constexpr (Loads == ring_loads::direct) {
        Target::shared_barrier();
        if (steps <= 0)
            return;
        load(0, 0);
        store(0);
        TEGULA_ROLLED
        for (index_t step = 0; step < steps; ++step) {
            const int slot = static_cast<int>(step & 1);
            arrive();
            if constexpr (!Ahead)
                load(slot ^ 1, step + 1);
            work(slot, step);
            store(slot ^ 1);
        }
        arrive();
    } else {
        // Step -1 only loads, so that the code for it exists once.
        TEGULA_ROLLED
        for (index_t step = -1; step < steps; ++step) {
            const int slot = static_cast<int>(step & 1);
            arrive();
            if (step + 1 < steps)
                load(slot ^ 1, step + 1);
            if (step >= 0)
                work(slot, step);
            if (step + 1 < steps)
                store(slot ^ 1);
        }
    }
}

} // namespace tegula
