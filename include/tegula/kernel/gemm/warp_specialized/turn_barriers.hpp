#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

namespace tegula {

/// The mbarriers of the turns in which ping-pong consumers multiply, and those by which each consumer says that its C0
/// has arrived.
///
///   Tile          a warp_specialized_tile
///   SkipsSources  whether consumers skip the stages of each other's C0; it implies ping-pong consumers
template <class Tile, bool SkipsSources>
struct turn_barriers
{
    using mbarrier = arch::nvidia::mbarrier;

    mbarrier products[Tile::consumers];
    mbarrier sources[SkipsSources ? Tile::consumers : 1];

    /// Called by one lane of the block; a barrier of all blocks follows.
    TEGULA_INLINE void initialize()
    {
        static_for<Tile::consumers>([&](auto c) {
            arch::nvidia::mbarrier_init(&products[c], 4);
            if constexpr (SkipsSources)
                arch::nvidia::mbarrier_init(&sources[c], 4);
        });
    }

    /// Ping-pong consumers multiply in turns, so that the instructions of one tile follow each other.
    TEGULA_INLINE void take_turn(int consumer, int turn)
    {
        if constexpr (Tile::mode == consumer_mode::ping_pong)
            wait_for_turn(&products[consumer], consumer, turn);
    }
    /// Called once a turn, before the wait for a stage that can have held C0 of the turn before. An mbarrier knows only
    /// the parity of a round, so a wait for the next round would pass while that C0 is still awaited.
    TEGULA_INLINE void wait_for_sources(int consumer, int turn)
    {
        if constexpr (SkipsSources)
            wait_for_turn(&sources[consumer], consumer, turn);
    }
    /// Waits for the C0 of the consumer's own piece of work, `count` stages, and tells the next consumer.
    template <int Stages>
    TEGULA_INLINE void pass_sources(stage_barriers<Stages>& stages, stage_position<Stages> at, index_t count,
                                    int consumer)
    {
        if constexpr (SkipsSources) {
            TEGULA_ROLLED
            for (index_t i = 0; i < count; ++i, at.advance())
                stages.wait(at);
            if (Tile::target::lane_id() == 0)
                arch::nvidia::mbarrier_arrive(&sources[(consumer + 1) % Tile::consumers]);
        }
    }
    /// Called before the wait for the last products, so that those of the next tile follow at once.
    TEGULA_INLINE void pass_turn(int consumer)
    {
        if constexpr (Tile::mode == consumer_mode::ping_pong)
            if (Tile::target::lane_id() == 0)
                arch::nvidia::mbarrier_arrive(&products[(consumer + 1) % Tile::consumers]);
    }

private:
    /// Waits for the arrival that the consumer of the turn before makes once a turn.
    static TEGULA_INLINE void wait_for_turn(mbarrier* said, int consumer, int turn)
    {
        // The first consumer starts at once: the phase before the first counts as complete.
        const int round = turn / Tile::consumers;
        arch::nvidia::mbarrier_wait(said, consumer == 0 ? (round & 1) ^ 1 : round & 1);
    }
};

} // namespace tegula
