#pragma once

#include <tegula/emulator/async_engine.hpp>
#include <tegula/emulator/block_barriers.hpp>
#include <tegula/emulator/interruption.hpp>

#include <cstdio>
#include <string>
#include <vector>

/// The message of a launch that ends because its lanes cannot go on.

namespace tegula::emulator::detail {

inline fault expired_fault(double patience)
{
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%.3g", patience);
    return {std::string("the lane ran for ") + seconds + " s of processor time and met no other lane",
            "let loops end, and let what waits for others wait at a barrier or an mbarrier; or give the launch more "
            "patience"};
}

inline fault repeating_fault(double patience)
{
    return {"the wave comes here again and again, and for " + std::to_string(static_cast<int>(patience + 0.5)) +
                " s of processor time no lane has done anything but what it did before",
            "let loops end, and let a lane change what ends them; or give the launch more patience"};
}

/// Whether the signal is the clock's.
inline bool is_tick([[maybe_unused]] int signal)
{
#if TEGULA_EMULATOR_SIGNALS
    return signal == signal_handlers::tick;
#else
    return false;
#endif
}

/// The processor stopped the lane by a signal that is not the clock's.
inline fault stopped_fault([[maybe_unused]] int signal, [[maybe_unused]] const void* at)
{
#if TEGULA_EMULATOR_SIGNALS
    if (signal == SIGFPE)
        return {"the processor stopped the lane: a division of integers by zero, or one that overflows (SIGFPE)",
                "divide by numbers other than zero; a GPU reports nothing and gives any value"};
#endif
    char address[32];
    std::snprintf(address, sizeof(address), "%p", at);
    return {std::string("the processor stopped the lane: memory at ") + address + " is not there (SIGSEGV)",
            "follow only pointers that the launch was given, and give lanes more stack if it is theirs that ended "
            "(run_config::stack_bytes)"};
}

/// Names the lanes that wait, and for what; `first` becomes a lane that has not returned.
inline fault deadlock_fault(cluster_state& cluster, async_engine& async, std::vector<block_barriers>& barriers,
                            const lane_state*& first)
{
    std::string text = "deadlock:";
    std::string remedy = "let every wave reach the barrier the same number of times";
    for (const wave_state& wave : cluster.waves) {
        const lane_state& lane = *cluster.lanes_of(wave);
        text += (wave.timeline > 0 ? "; " : " ") + cluster.names.of(wave.timeline);
        const std::string blocked = cluster.async_proxy ? async.describe_waits(wave) : "";
        if (first == nullptr && wave.finished != wave.all)
            first = &lane;
        if (wave.waits_at != nullptr) {
            text += std::string(" waits at ") + wave.waits_at;
            if (wave.waits_id > 0)
                text += " for " + barriers[static_cast<std::size_t>(lane.block->rank)].missing(wave.waits_id);
            if (const std::string lacking = async.describe_registers(wave); !lacking.empty()) {
                text += " for " + lacking;
                remedy = async.waits_for_tensor_memory(wave)
                             ? "deallocate tensor memory first, and ask for no more than the chip has"
                             : "let other warpgroups decrease theirs first, and ask for no more than the block has";
            }
        } else if (!blocked.empty()) {
            text += " waits, " + blocked;
            remedy = "let the arrivals and bytes come that an mbarrier counts, and wait with the phase's parity";
            if (wave.open())
                text += ", the others in " + std::string(wave.operation);
        } else if (wave.finished != wave.all) {
            text += wave.polls_memory ? " looks again and again at memory that no lane changes"
                                      : " looks again and again at an mbarrier that does not change";
            remedy =
                wave.polls_memory
                    ? "let another lane change it by an atomic operation; blocks that wait for each other run together "
                      "in a cooperative launch alone (run_config::cooperative)"
                    : "let the arrivals and bytes come that an mbarrier counts, and test with the phase's parity";
        } else {
            text += " returned from the kernel";
        }
    }
    return {text, remedy};
}

} // namespace tegula::emulator::detail
