#pragma once

#include <cstddef>
#include <cstdint>
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

/// The ranges of one launch. Few, so that looking one up is a walk.
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

} // namespace tegula::emulator
