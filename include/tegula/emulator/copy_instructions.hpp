#pragma once

#include <tegula/emulator/state.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// The copy instructions of one wave in their order. Between two points where the wave meets, its lanes' calls of one
/// line are merged one by one. The wave issues an instruction if any lane takes part.
class copy_instructions
{
public:
    void begin_block()
    {
        calls_.clear();
        met_ = forgotten_ = 0;
        for (std::size_t& next : next_)
            next = 0;
    }

    /// Number of the lane's call; `active`: it is not masked off.
    long note(const lane_state& me, bool active)
    {
        std::size_t i = next_[me.lane] < met_ ? met_ : next_[me.lane];
        while (i < calls_.size() && !(calls_[i].where == me.where))
            ++i;
        if (i == calls_.size())
            calls_.push_back({me.where, false});
        calls_[i].issued = calls_[i].issued || active;
        next_[me.lane] = i + 1;
        return forgotten_ + static_cast<long>(i);
    }

    /// Number of the first of the newest `count` instructions; those before it are older.
    long newest(int count) const
    {
        std::size_t i = calls_.size();
        for (; i > 0 && count > 0; --i)
            count -= calls_[i - 1].issued;
        return forgotten_ + static_cast<long>(i);
    }

    /// The wave has met: calls from now on are other instructions.
    void meet()
    {
        if (calls_.size() > most) {
            const std::size_t old = static_cast<std::size_t>(newest(most_counted) - forgotten_);
            calls_.erase(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(old));
            forgotten_ += static_cast<long>(old);
            for (std::size_t& next : next_)
                next = 0;
        }
        met_ = calls_.size();
    }

private:
    static constexpr std::size_t most = 1024; // calls kept from one meeting to the next
    static constexpr int most_counted = 64;   // copies in flight, on any chip

    struct call
    {
        call_site where;
        bool issued;
    };

    std::vector<call> calls_;
    std::size_t met_ = 0; // calls before the wave last met
    long forgotten_ = 0;  // calls dropped from the front of calls_
    std::size_t next_[max_lanes]{};
};

} // namespace tegula::emulator::detail
