#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/emulator/report.hpp>
#include <tegula/emulator/state.hpp>
#include <tegula/emulator/vector_clock.hpp>

#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// The launch in front of this one, which may still run until a lane has waited for its end (PTX ISA,
/// "griddepcontrol"). It counts as touching all memory that it was given.
class previous_launch
{
public:
    void begin_launch(const memory_ranges* memory) { memory_ = memory; }
    void begin_cluster() { waits_.clear(); }

    /// Records that a lane has waited.
    void note_wait(const access_stamp& stamp)
    {
        if (memory_ != nullptr)
            waits_.push_back(stamp);
    }
    /// Whether a lane of these waves has waited; true if there is no such launch.
    bool waited(int first_wave, int waves) const
    {
        if (memory_ == nullptr)
            return true;
        for (const access_stamp& wait : waits_)
            if (wait.wave >= first_wave && wait.wave < first_wave + waves)
                return true;
        return false;
    }

    /// A verdict on an access to global memory; null when all is well.
    const fault* check(const observer& seen, bool reads_only, const void* address, std::size_t bytes,
                       const char* action)
    {
        if (memory_ == nullptr)
            return nullptr;
        const memory_range* const touched = find(reads_only, address, bytes);
        if (touched == nullptr)
            return nullptr;
        for (const access_stamp& wait : waits_)
            if (seen.in_order(wait))
                return nullptr;
        fault_ = {std::string(action) + " of " + std::to_string(bytes) + " bytes in " + touched->name +
                      (touched->writable ? ", which the launch before may still be writing"
                                         : ", which the launch before may still be reading"),
                  "call wait_for_previous_grid() before it, or synchronise with a lane that did"};
        return &fault_;
    }

private:
    const memory_range* find(bool reads_only, const void* address, std::size_t bytes) const
    {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        for (int i = 0; i < memory_->size(); ++i) {
            const memory_range& range = (*memory_)[i];
            const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
            if ((range.writable || !reads_only) && at < begin + range.bytes && begin < at + bytes)
                return &range;
        }
        return nullptr;
    }

    const memory_ranges* memory_ = nullptr;
    std::vector<access_stamp> waits_;
    fault fault_;
};

} // namespace tegula::emulator::detail
