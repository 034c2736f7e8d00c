#pragma once

#include <tegula/core/mix_bits.hpp>
#include <tegula/emulator/state.hpp>

#include <bit>
#include <utility>
#include <vector>

namespace tegula::emulator::detail {

/// The order in which lanes and waves that can run take turns, if that is not by rising number: run_config::order.
class run_order
{
public:
    void begin(int order, int waves)
    {
        order_ = order;
        random_ = static_cast<std::uint64_t>(order);
        waves_.resize(static_cast<std::size_t>(waves));
        for (int w = 0; w < waves; ++w)
            waves_[static_cast<std::size_t>(w)] = waves - 1 - w;
    }
    bool in_turn() const { return order_ == 0; }
    /// Whether a lane that changed what others may wait for lets them run: at random, if the order is random.
    bool interrupts() { return order_ > 0 && below(2) == 0; }

    /// The i-th wave to try.
    int wave(int i)
    {
        if (i == 0 && order_ > 0)
            for (std::size_t w = waves_.size(); w > 1; --w)
                std::swap(waves_[w - 1], waves_[below(w)]);
        return waves_[static_cast<std::size_t>(i)];
    }
    int lane(std::uint64_t ready)
    {
        if (order_ < 0)
            return 63 - std::countl_zero(ready);
        for (auto skip = below(static_cast<std::size_t>(std::popcount(ready))); skip > 0; --skip)
            ready &= ready - 1;
        return std::countr_zero(ready);
    }

private:
    std::size_t below(std::size_t n) // splitmix64
    {
        return mix_bits(random_ += 0x9e3779b97f4a7c15) % n;
    }

    int order_ = 0;
    std::uint64_t random_ = 0;
    std::vector<int> waves_;
};

} // namespace tegula::emulator::detail
