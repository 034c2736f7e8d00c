#pragma once

#include <tegula/emulator/state.hpp>

#include <string>
#include <string_view>
#include <utility>

/// The text of reports: the lane, the misuse, the place and the remedy.

namespace tegula::emulator {

/// Possible causes of a misuse, which the engine looks for before it reports.
enum class fault_kind {
    plain,
    unwritten,     ///< the bytes in `place` may be written later
    out_of_bounds, ///< a race may have led to the address
    race,          ///< with `lanes` of `timeline`
    unset          ///< a value was made from unwritten registers
};

/// A misuse, as its checker describes it.
struct fault
{
    std::string what;
    std::string remedy;
    fault_kind kind = fault_kind::plain;
    const std::byte* place = nullptr;
    int bytes = 0;
    int timeline = 0;
    std::uint64_t lanes = 0;
};

namespace detail {

/// The base of checkers: it keeps the last fault that blame() described.
class fault_holder
{
protected:
    const fault* blame(std::string what, std::string remedy, fault_kind kind = fault_kind::plain)
    {
        fault_ = {std::move(what), std::move(remedy), kind};
        return &fault_;
    }

    fault fault_;
};

/// "lane 3" or "lanes 0-3, 7, 9-63".
inline std::string lane_list(std::uint64_t lanes)
{
    std::string text;
    for (int first = 0; first < max_lanes; ++first) {
        if ((lanes >> first & 1) == 0)
            continue;
        int last = first;
        while (last + 1 < max_lanes && (lanes >> (last + 1) & 1) != 0)
            ++last;
        if (!text.empty())
            text += ", ";
        text += std::to_string(first);
        if (last > first)
            text += "-" + std::to_string(last);
        first = last;
    }
    return ((lanes & (lanes - 1)) == 0 ? "lane " : "lanes ") + text;
}

inline std::string position(const extent3& p)
{
    return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + ")";
}

inline std::string element(const element_label& label)
{
    std::string text = "element (";
    for (int i = 0; i < label.dims; ++i)
        text += (i > 0 ? ", " : "") + std::to_string(label.x[i]);
    return text + ") of " + label.tensor;
}

/// "kernel softmax on gfx942, block (0, 0, 0)". A launch that was given no name is just "kernel".
inline std::string block_of(const char* kernel, const char* chip, const extent3& block)
{
    const std::string name = std::string_view(kernel) == "kernel" ? "" : std::string(" ") + kernel;
    return "kernel" + name + " on " + chip + ", block " + position(block);
}

inline std::string who(const char* kernel, const lane_state& lane)
{
    return block_of(kernel, lane.block->chip->name, lane.block->id) + ", wave " + std::to_string(lane.wave->index) +
           ", lane " + std::to_string(lane.lane) + " (thread " + std::to_string(lane.thread) + ")";
}

/// "shared load of 4 bytes".
inline std::string size_text(const char* action, int bytes)
{
    return std::string(action) + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Bytes at address 0 where no program has memory: its own code begins after them.
inline constexpr std::uintptr_t unmapped_bytes = 0x400000;

/// How far an address lies from null, before or after it.
inline std::uintptr_t distance_from_null(const void* address)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at < 0 - at ? at : 0 - at;
}
/// " at byte 36 of a null pointer".
inline std::string null_text(const void* address)
{
    return " at byte " + std::to_string(reinterpret_cast<std::intptr_t>(address)) + " of a null pointer";
}

/// How reports name the waves of a cluster, which are numbered block after block.
class wave_names
{
public:
    wave_names() = default;
    /// Names the waves of `count` blocks.
    wave_names(const block_state* blocks, int count, int waves_of_block)
        : blocks_(blocks), count_(count), waves_of_block_(waves_of_block)
    {}

    int waves() const { return count_ * waves_of_block_; }
    int rank_of(int wave) const { return wave / waves_of_block_; }

    /// "wave 3", with its block if there are several.
    std::string of(int wave) const { return count_ == 1 ? "wave " + std::to_string(wave) : with_block(wave); }
    std::string with_block(int wave) const
    {
        if (wave >= waves())
            return "asynchronous work of block " + position(blocks_[0].id);
        return "block " + position(blocks_[rank_of(wave)].id) + ", wave " + std::to_string(wave % waves_of_block_);
    }
    std::string of(int wave, int lane) const
    {
        return of(wave) + (lane < max_lanes ? ", lane " + std::to_string(lane) : ", several lanes");
    }
    std::string of(const lane_state& lane) const { return of(lane.wave->timeline, lane.lane); }

private:
    const block_state* blocks_ = nullptr;
    int count_ = 1;
    int waves_of_block_ = 1;
};

} // namespace detail
} // namespace tegula::emulator
