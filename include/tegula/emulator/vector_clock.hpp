#pragma once

#include <tegula/emulator/state.hpp>

namespace tegula::emulator::detail {

/// What a wave knows to have happened: everything wave `w` did up to its time at(w). Its own entry is its present
/// time, which each wave barrier and each release moves on. A barrier, and later any other synchronising object, keeps
/// one of these: waves that release join theirs into it, waves that acquire join it into theirs.
struct vector_clock
{
    std::uint32_t time[max_waves]{};

    std::uint32_t& at(int wave) { return time[wave]; }
    std::uint32_t at(int wave) const { return time[wave]; }

    void join(const vector_clock& other)
    {
        for (int i = 0; i < max_waves; ++i)
            time[i] = time[i] < other.time[i] ? other.time[i] : time[i];
    }
};

} // namespace tegula::emulator::detail
