#pragma once

#include <tegula/core/mix_bits.hpp>
#include <tegula/emulator/state.hpp>

#include <cstdint>
#include <vector>

namespace tegula::emulator::detail {

/// Recent events of waves, by a hash of the wave, the line of the program, and the places it touched before: a loop of
/// equal rounds adds no new event.
class event_log
{
public:
    /// Notes an event; true if it is new. If there are more than `most`, some are forgotten.
    bool note(std::uint64_t event)
    {
        if (slots_.empty() || used_ == most) {
            slots_.assign(size, 0);
            used_ = 0;
        }
        event |= 1; // 0 is an empty slot
        std::size_t slot = event >> shift;
        for (; slots_[slot] != 0; slot = (slot + 1) % size)
            if (slots_[slot] == event)
                return false;
        slots_[slot] = event;
        ++used_;
        return true;
    }

    static std::uint64_t hash(std::uint64_t x) { return mix_bits(x); }
    static std::uint64_t hash(const void* place) { return hash(reinterpret_cast<std::uintptr_t>(place)); }

private:
    static constexpr int shift = 52;
    static constexpr std::size_t size = std::size_t{1} << (64 - shift);
    static constexpr std::size_t most = size * 3 / 4;

    std::vector<std::uint64_t> slots_;
    std::size_t used_ = 0;
};

} // namespace tegula::emulator::detail
