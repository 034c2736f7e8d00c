#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace tegula::emulator::detail {

/// The contents of global memory before a cluster wrote to it, so that the cluster can run once more on them.
class write_undo
{
public:
    void clear()
    {
        entries_.clear();
        written_ = 0;
        compact_at_ = first_size;
    }

    std::size_t memory_bytes() const { return entries_.capacity() * sizeof(entry); }

    /// Called before the bytes are written.
    void note(const void* address, std::size_t bytes)
    {
        for (std::size_t at = 0; at < bytes; at += sizeof(entry::old)) {
            const std::size_t part = std::min(bytes - at, sizeof(entry::old));
            entry& e = entries_.emplace_back();
            e.to = static_cast<std::byte*>(const_cast<void*>(address)) + at;
            e.number = written_++;
            e.bytes = static_cast<std::uint32_t>(part);
            std::memcpy(e.old, e.to, part);
        }
        if (entries_.size() >= compact_at_)
            compact();
    }

    /// Takes the entries so far, and leaves room for as many again.
    write_undo take()
    {
        write_undo taken = std::move(*this);
        entries_ = {};
        entries_.reserve(taken.entries_.size());
        clear();
        return taken;
    }

    /// Writes the contents back.
    void restore()
    {
        std::sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) { return a.number > b.number; });
        for (const entry& e : entries_)
            std::memcpy(e.to, e.old, e.bytes);
        clear();
    }

private:
    static constexpr std::size_t first_size = 1 << 16;

    struct entry
    {
        std::byte* to;
        std::uint32_t number;
        std::uint32_t bytes;
        std::byte old[16];
    };

    /// Keeps the first of several writes of the same bytes.
    void compact()
    {
        std::sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) {
            return a.to != b.to ? a.to < b.to : a.bytes != b.bytes ? a.bytes < b.bytes : a.number < b.number;
        });
        const auto same = [](const entry& a, const entry& b) { return a.to == b.to && a.bytes == b.bytes; };
        entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
        compact_at_ = std::max(first_size, 2 * entries_.size());
    }

    std::vector<entry> entries_;
    std::uint32_t written_ = 0;
    std::size_t compact_at_ = first_size;
};

} // namespace tegula::emulator::detail
