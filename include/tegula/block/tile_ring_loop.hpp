#pragma once

#include <tegula/core/config.hpp>

#include <type_traits>

namespace tegula {

/// How the tiles of a ring come: if they do so in several ways, the greatest.
enum class ring_loads {
    stored, ///< through registers
    copied, ///< by asynchronous copies
    direct, ///< by direct loads
};

/// Stands for start() of run_tile_ring() where nothing is read before work().
struct starts_nothing
{};

/// Goes through `steps` tiles, step by step through a ring of Stages (1 or 2) in shared memory. With two, a tile is
/// fetched while the one before it is worked on.
///
///   load(slot, step)  starts fetching what step `step` needs into stage `slot`
///   store(slot)       completes it
///   work(slot, step)  works on it, when all waves have their part there
///   start(slot)       reads what work() needs first. With it, direct loads and Ahead, work(slot, step, meet) calls meet()
///                     when it has read all of the stage: that is store(), the barrier and start() of the next tile
///
/// Loads: how load() brings tiles. Copies are committed there. Shared memory of the ring must be free after a barrier.
///
/// Ahead: whether work(slot, step) calls load(next slot, step + 1) between its products: with direct loads, or with one
/// stage, whose next tile waits in registers. With direct loads and with Ahead, step `steps` is loaded, too, which must
/// read nothing but may be stored and started.
///
/// Additions: atomic additions to global memory, at least, in each step behind load(), with direct loads and Ahead. The
/// loop does not wait for them.
TEGULA_CALLS_BACK
template <class Target, int Stages, ring_loads Loads, bool Ahead = false, int Additions = 0, class Load, class Store,
          class Work, class Start = starts_nothing>
TEGULA_INLINE void run_tile_ring(index_t steps, const Load& load, const Store& store, const Work& work,
                                 [[maybe_unused]] const Start& start = {})
{
    static_assert(Stages == 1 || Stages == 2, "tegula: the ring has one or two stages");
    constexpr bool starts = !std::is_same_v<Start, starts_nothing>;
    static_assert((!starts && Additions == 0) || (Stages == 2 && Loads == ring_loads::direct && Ahead),
                  "tegula: tiles are started, and additions not waited for, where direct loads are ahead");
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
        arrive();
        if constexpr (starts)
            start(0);
        TEGULA_ROLLED
        for (index_t step = 0; step < steps; ++step) {
            const int slot = static_cast<int>(step & 1), next = slot ^ 1;
            if constexpr (!Ahead)
                load(next, step + 1);
            const auto meet = [&]() TEGULA_INLINE_LAMBDA {
                store(next);
                Target::template direct_barrier<0, Additions>();
                if constexpr (starts)
                    start(next);
            };
            if constexpr (starts) {
                work(slot, step, meet);
            } else {
                work(slot, step);
                meet();
            }
        }
        if constexpr (starts)
            arrive(); // start() has read the tile past the last
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
