#pragma once

#include <tegula/core/mix_bits.hpp>
#include <tegula/emulator/launch_plan.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tegula::emulator::detail {

/// The clusters of one place of a GPU that has run_config::resident of them: the first runs, the others wait, and the
/// one that runs may take over the next. On a GPU any running cluster may get any waiting one; here each place has its
/// own line, so that a launch is the same from run to run.
class cluster_line
{
public:
    /// The line of a place; with `order` not 0 a random one of those that are possible.
    cluster_line(const launch_plan& plan, long clusters, long place) : order_(plan.order)
    {
        line_.push_back(place);
        for (long waiting = plan.resident; waiting < clusters; ++waiting) {
            const long number = plan.order < 0 ? plan.resident + clusters - 1 - waiting : waiting;
            const long owner = plan.order > 0
                                   ? static_cast<long>(mix(number) % static_cast<std::uint64_t>(plan.resident))
                                   : waiting % plan.resident;
            if (owner == place)
                line_.push_back(number);
        }
    }

    bool ended() const { return next_ == line_.size(); }
    /// Starts the next one as a cluster of its own.
    long start()
    {
        const long number = line_[next_++];
        // In random orders some requests are refused although clusters wait: as when another launch comes first.
        granted_ = order_ > 0 && mix(~number) % 2 == 0 ? static_cast<long>(mix(number) >> 32) % 3 : -1;
        return number;
    }
    bool holds(long number) const { return std::find(line_.begin(), line_.end(), number) != line_.end(); }
    /// Starts cluster `number` of the line again, as it was started before.
    long start_again(long number)
    {
        next_ = 0;
        while (line_[next_] != number)
            ++next_;
        return start();
    }
    /// Gives away the next cluster, which then never starts; below 0 if the request is refused.
    long cancel()
    {
        if (ended() || granted_ == 0)
            return -1;
        --granted_;
        return line_[next_++];
    }

private:
    std::uint64_t mix(long number) const // splitmix64
    {
        return mix_bits(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(order_) * 0x9e3779b97f4a7c15);
    }

    std::vector<long> line_;
    std::size_t next_ = 0;
    long granted_ = -1; ///< requests that the running cluster still gets granted; below 0: all
    int order_;
};

} // namespace tegula::emulator::detail
