#pragma once

#include <tegula/emulator/cluster_state.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// The registers of the blocks that run together, which setmaxnreg moves between the warpgroups of a block (PTX ISA,
/// setmaxnreg). A lane starts with as many as ptxas gives if one block runs on a multiprocessor: 65536 divided by the
/// threads, in multiples of 8, at most 256.
class register_unit : private fault_holder
{
public:
    static constexpr const char* waiting_at = "setmaxnreg.inc";

    register_unit(cluster_state& cluster, runtime& run) : cluster_(cluster), run_(run) {}

    void begin_cluster()
    {
        free_.assign(cluster_.blocks.size(), 0);
        waves_.assign(cluster_.waves.size(), {});
        requests_.assign(cluster_.waves.size(), {});
    }

    /// Called by the last lane of a wave that asks for `wanted` registers a lane; waits until an increase can be
    /// granted.
    void set(lane_state& last, int wanted, bool increase)
    {
        wave_state& wave = *last.wave;
        wave_registers& own = of(wave);
        if (own.held == 0)
            own.held = at_launch(last.block->threads);
        run_.end_on_fault(last, check(last, wanted, increase));
        detail::release_wave(last);
        own.wanted = wanted;
        if (!grant(wave)) {
            wave.ready = 0;
            wave.waits_at = waiting_at;
            wave.waits_id = 0;
            run_.suspend(last);
        } else if (!increase) {
            let_others_go_on(*last.block);
        }
    }

    /// Called when every thread of the block has returned: all waves of a warpgroup must have asked equally often.
    const fault* check_block_exit(const block_state& block)
    {
        const wave_state* first = nullptr; // of the warpgroup
        for (const wave_state& wave : cluster_.waves) {
            if (cluster_.lanes_of(wave)->block != &block)
                continue;
            if (wave.index % 4 == 0)
                first = &wave;
            if (of(wave).asked != of(*first).asked)
                return blame("setmaxnreg " + std::to_string(of(wave).asked) + " times by wave " +
                                 std::to_string(wave.index) + ", and " + std::to_string(of(*first).asked) +
                                 " times by wave " + std::to_string(first->index) + " of its warpgroup",
                             "let all four waves of a warpgroup execute it");
        }
        return nullptr;
    }

    /// The registers that a waiting wave lacks.
    std::string describe_wait(const wave_state& wave)
    {
        const wave_registers& own = of(wave);
        return std::to_string(own.wanted) + " registers a lane: it has " + std::to_string(own.held) + ", and " +
               std::to_string(free_of(wave)) + " are free";
    }

private:
    struct wave_registers
    {
        int held = 0;   ///< registers per lane; 0: those it was launched with
        int wanted = 0; ///< registers per lane
        int asked = 0;  ///< number of requests so far
    };

    static int at_launch(int threads) { return std::min(65536 / threads / 8 * 8, 256); }

    wave_registers& of(const wave_state& wave) { return waves_[static_cast<std::size_t>(wave.timeline)]; }
    int& free_of(const wave_state& wave)
    {
        return free_[static_cast<std::size_t>(cluster_.lanes_of(wave)->block->rank)];
    }

    const fault* check(const lane_state& last, int wanted, bool increase)
    {
        wave_registers& own = of(*last.wave);
        // All four waves of a warpgroup ask for the same.
        auto& asked_before =
            requests_[static_cast<std::size_t>(last.wave->timeline - last.wave->index + last.wave->index / 4)];
        const auto number = static_cast<std::size_t>(own.asked++);
        if (number == asked_before.size())
            asked_before.push_back(wanted);
        const std::string name = increase ? waiting_at : "setmaxnreg.dec";
        if (asked_before[number] != wanted)
            return blame(name + " to " + std::to_string(wanted) + " registers, where another wave of the warpgroup " +
                             "asks for " + std::to_string(asked_before[number]),
                         "let all four waves of a warpgroup ask for the same");
        if (increase ? wanted < own.held : wanted > own.held)
            return blame(name + " to " + std::to_string(wanted) + " registers a lane; it has " +
                             std::to_string(own.held),
                         increase ? "ask for more than it has, or decrease" : "ask for fewer than it has, or increase");
        return nullptr;
    }

    /// `free_` counts registers per lane: as many as one wave of 32 lanes gives back, another can take.
    bool grant(wave_state& wave)
    {
        wave_registers& own = of(wave);
        int& free = free_of(wave);
        if (own.wanted - own.held > free)
            return false;
        free -= own.wanted - own.held;
        own.held = own.wanted;
        return true;
    }

    void let_others_go_on(const block_state& block)
    {
        for (wave_state& wave : cluster_.waves) {
            if (wave.waits_at == waiting_at && cluster_.lanes_of(wave)->block == &block && grant(wave)) {
                wave.ready = wave.all;
                wave.waits_at = nullptr;
            }
        }
    }

    cluster_state& cluster_;
    runtime& run_;
    std::vector<int> free_;                  // by block
    std::vector<wave_registers> waves_;      // by timeline
    std::vector<std::vector<int>> requests_; // by warpgroup, in the place of the block's waves
};

} // namespace tegula::emulator::detail
