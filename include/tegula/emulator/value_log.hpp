#pragma once

#include <tegula/emulator/poison.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tegula::emulator::detail {

/// The values that the lanes of a cluster store or pass to each other. A run is recorded, or compared with the recorded
/// one: both run the same lanes in the same order as long as all values agree.
class value_log
{
public:
    enum class mode { off, record, compare };

    /// all: not only the values of waves whose integers arithmetic may have hidden.
    void begin(mode m, bool all)
    {
        mode_ = m;
        kinds_ = all ? 0xff : integers_unset | integers_in_flight;
        next_ = 0;
        differs_ = false;
        if (m != mode::compare)
            values_.clear();
    }
    /// `unset`: what the wave has declared.
    bool looks_at(unsigned unset) const { return mode_ != mode::off && ((unset & kinds_) != 0 || kinds_ == 0xff); }
    /// Whether a value differed from the recorded one.
    bool differs() const { return differs_; }

    /// False if lane `lane` of the cluster passes on another value than in the recorded run, or passed on none there.
    bool agrees(int lane, const void* value, int bytes)
    {
        if (next_ == most)
            return !differs_;
        const std::uint32_t hash = hash_of(static_cast<std::uint32_t>(lane), value, bytes);
        if (mode_ == mode::record)
            values_.push_back(hash);
        else if (next_ >= values_.size() || values_[next_] != hash)
            differs_ = true;
        ++next_;
        return !differs_;
    }

private:
    static constexpr std::size_t most = std::size_t{1} << 24; // values of a run that are kept: 64 MiB
    static std::uint32_t hash_of(std::uint32_t lane, const void* value, int bytes)
    {
        std::uint64_t hash = lane + (static_cast<std::uint64_t>(bytes) << 32);
        for (int i = 0; i < bytes; i += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, static_cast<const std::byte*>(value) + i,
                        bytes - i < 4 ? static_cast<unsigned>(bytes - i) : 4U);
            hash = (hash ^ word) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 29;
        }
        return static_cast<std::uint32_t>(hash * 0xbf58476d1ce4e5b9 >> 32);
    }

    mode mode_ = mode::off;
    unsigned kinds_ = 0;
    bool differs_ = false;
    std::size_t next_ = 0;
    std::vector<std::uint32_t> values_;
};

} // namespace tegula::emulator::detail
