#pragma once

#include <tegula/emulator/cluster_state.hpp>
#include <tegula/emulator/run_order.hpp>

#include <bit>
#include <utility>

/// The choice of the lane that runs when the one before cannot go on.

namespace tegula::emulator::detail {

/// Lanes that paused because their wave's log was full go on when no lane of the wave can run; flush(wave) empties it.
/// So do those that let the others take the same step.
template <class Flush>
void resume_paused(wave_state& wave, const Flush& flush)
{
    if (wave.ready == 0 && wave.paused != 0) {
        flush(wave);
        wave.ready = std::exchange(wave.paused, 0);
    }
    if (wave.ready == 0)
        wave.ready = std::exchange(wave.stepping, 0);
}

/// Lets polling lanes go on; false if there are none.
inline bool resume_polling(cluster_state& cluster)
{
    bool any = false;
    for (wave_state& wave : cluster.waves)
        if (wave.polling != 0) {
            wave.ready |= std::exchange(wave.polling, 0);
            any = true;
        }
    return any;
}

/// The next lane of the wave of `me`, or of the next wave that has one; null if none can run.
template <class Flush>
lane_state* next_ready_in_turn(cluster_state& cluster, lane_state& me, const Flush& flush)
{
    const wave_state& own = *me.wave;
    if (own.ready != 0)
        return cluster.lanes_of(own) + ((std::countr_zero(std::rotr(own.ready, me.lane + 1)) + me.lane + 1) & 63);
    const auto count = static_cast<int>(cluster.waves.size());
    const auto find = [&](int first, bool resume) -> lane_state* {
        for (int i = first; i < first + count; ++i) {
            wave_state& wave = cluster.waves[static_cast<std::size_t>((own.timeline + i) % count)];
            if (resume)
                resume_paused(wave, flush);
            if (wave.ready != 0)
                return cluster.lanes_of(wave) + std::countr_zero(wave.ready);
        }
        return nullptr;
    };
    if (lane_state* lane = find(0, true); lane != nullptr)
        return lane;
    return resume_polling(cluster) ? find(1, false) : nullptr;
}

/// The next lane that can run, in another order of waves and lanes.
template <class Flush>
lane_state* next_ready_out_of_turn(cluster_state& cluster, run_order& order, const Flush& flush)
{
    for (wave_state& wave : cluster.waves)
        resume_paused(wave, flush);
    do {
        for (int i = 0; i < static_cast<int>(cluster.waves.size()); ++i) {
            wave_state& wave = cluster.waves[static_cast<std::size_t>(order.wave(i))];
            if (wave.ready != 0)
                return cluster.lanes_of(wave) + order.lane(wave.ready);
        }
    } while (resume_polling(cluster));
    return nullptr;
}

} // namespace tegula::emulator::detail
