#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tegula::emulator {

/// Global memory a kernel may touch. `name` stands in reports and must outlive the launch.
struct memory_range
{
    const void* begin = nullptr;
    std::size_t bytes = 0;
    const char* name = "";
    bool writable = false;
    bool uninitialized = false; ///< holds nothing before a block of the launch has written it
};

/// The ranges of one launch. They are few, so that a look-up is a linear search.
class memory_ranges
{
public:
    /// Makes [begin, begin + bytes) readable, or writable too. Empty and null ranges are left out.
    memory_ranges& add(const void* begin, std::size_t bytes, const char* name, bool writable)
    {
        if (begin != nullptr && bytes > 0)
            ranges_.push_back({begin, bytes, name, writable, false});
        return *this;
    }
    memory_ranges& read(const void* begin, std::size_t bytes, const char* name)
    {
        return add(begin, bytes, name, false);
    }
    memory_ranges& write(void* begin, std::size_t bytes, const char* name) { return add(begin, bytes, name, true); }
    /// Writable, and holding nothing at first: a block may read only what it has written.
    memory_ranges& workspace(void* begin, std::size_t bytes, const char* name)
    {
        if (begin != nullptr && bytes > 0)
            ranges_.push_back({begin, bytes, name, true, true});
        return *this;
    }

    /// From here on workspaces may be read: a launch before has written them.
    void fill_workspaces()
    {
        for (memory_range& r : ranges_)
            r.uninitialized = false;
    }

    int size() const { return static_cast<int>(ranges_.size()); }
    const memory_range& operator[](int i) const { return ranges_[static_cast<std::size_t>(i)]; }

    /// The range that holds all of [address, address + bytes), or -1. If ranges overlap, a writable one wins.
    int find(const void* address, std::size_t bytes) const
    {
        int found = -1;
        for (int i = 0; i < size(); ++i)
            if (holds((*this)[i], address, bytes)) {
                found = i;
                if ((*this)[i].writable)
                    break;
            }
        return found;
    }

    /// A range that holds the byte at `tensor`, if none that does holds all of [address, address + bytes); else -1.
    int home_of(const void* tensor, const void* address, std::size_t bytes) const
    {
        int home = -1;
        for (int i = 0; i < size(); ++i)
            if (holds((*this)[i], tensor, 1)) {
                if (holds((*this)[i], address, bytes))
                    return -1;
                home = i;
            }
        return home;
    }

    static bool holds(const memory_range& range, const void* address, std::size_t bytes)
    {
        const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        return at >= begin && at - begin <= range.bytes && bytes <= range.bytes - (at - begin);
    }

private:
    std::vector<memory_range> ranges_;
};

namespace detail {

/// Ranges of a launch that overlap, directly or through others, form one group: a byte has one shadow and one owner,
/// whatever range an access was found in.
class range_groups
{
public:
    struct group
    {
        const std::byte* begin;
        std::size_t bytes;
        bool writable;      ///< any of its ranges is
        bool uninitialized; ///< all of them are
    };

    explicit range_groups(const memory_ranges& ranges)
    {
        std::vector<int> order(static_cast<std::size_t>(ranges.size()));
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            return reinterpret_cast<std::uintptr_t>(ranges[a].begin) <
                   reinterpret_cast<std::uintptr_t>(ranges[b].begin);
        });
        group_of_.resize(order.size());
        for (const int i : order) {
            const memory_range& r = ranges[i];
            const auto* begin = static_cast<const std::byte*>(r.begin);
            if (groups_.empty() || begin >= groups_.back().begin + groups_.back().bytes)
                groups_.push_back({begin, 0, false, true});
            group& g = groups_.back();
            g.bytes = std::max(g.bytes, static_cast<std::size_t>(begin - g.begin) + r.bytes);
            g.writable = g.writable || r.writable;
            g.uninitialized = g.uninitialized && r.uninitialized;
            group_of_[static_cast<std::size_t>(i)] = static_cast<int>(groups_.size()) - 1;
        }
    }
    range_groups() : range_groups(memory_ranges{}) {}

    int size() const { return static_cast<int>(groups_.size()); }
    const group& operator[](int i) const { return groups_[static_cast<std::size_t>(i)]; }
    int group_of(int range) const { return group_of_[static_cast<std::size_t>(range)]; }

private:
    std::vector<group> groups_;
    std::vector<int> group_of_; // by range
};

} // namespace detail
} // namespace tegula::emulator
