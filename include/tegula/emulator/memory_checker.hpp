#pragma once

#include <tegula/emulator/access_log.hpp>
#include <tegula/emulator/global_traffic.hpp>
#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/emulator/shared_checker.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// Judges every memory access of a block and counts it. A verdict is null when the access is fine.
class memory_checker
{
public:
    void begin_launch(const chip_info& chip, const memory_ranges* ranges, int threads, const wave_names& names)
    {
        chip_ = &chip;
        ranges_ = ranges;
        logs_.resize(max_waves);
        for (access_log& log : logs_)
            log.begin_launch(chip);
        shared_.begin_launch(names);
        copies_.resize(static_cast<std::size_t>(threads));
    }

    /// `readers`: timelines that read this block's shared memory.
    void begin_block(const block_state& block, int readers)
    {
        shared_.begin_block(block, readers);
        for (access_log& log : logs_)
            log.begin_block();
        for (lane_copies& lane : copies_) {
            lane.groups = 0;
            lane.pending.clear();
        }
    }

    shared_checker& shared() { return shared_; }
    block_traffic& traffic() { return traffic_; }

    void flush(const wave_state& wave, lane_state* lanes, counters& to)
    {
        log_of(wave).flush(lanes, wave.lanes, to, [this](const access_log::record& r) {
            if (r.access == memory_access::global_load || r.access == memory_access::global_store ||
                r.access == memory_access::async_read)
                remember(r);
        });
    }

    const fault* check(lane_state& me, const knowledge& known, memory_access access, const void* address, int bytes,
                       bool active)
    {
        access_log& log = log_of(*me.wave);
        if (!active) {
            log.note(me, access, bytes, 0, false);
            return nullptr;
        }
        const bool shared = access == memory_access::shared_load || access == memory_access::shared_store;
        const bool store = access == memory_access::global_store || access == memory_access::shared_store;
        if (const fault* f = shared
                                 ? shared_.access(me, known, store, address, bytes)
                                 : check_global(me, store ? traffic_kind::write : traffic_kind::read, address, bytes))
            return f;
        log.note(me, access, bytes, shared ? shared_offset(address) : counted_at_, true);
        return nullptr;
    }

    const fault* check_addition(lane_state& me, const void* address)
    {
        return check_global(me, traffic_kind::atomic, address, 4);
    }

    /// Global memory it reads, writes or adds to, `bytes` in a row.
    const fault* check_bulk_global(traffic_kind kind, const void* address, std::size_t bytes, const char* action)
    {
        const int found = ranges_->find(address, bytes);
        if (found < 0)
            return blame(size_text(action, static_cast<int>(bytes)) + outside(address),
                         "let the tensor map describe memory that the launch was given");
        const memory_range& range = (*ranges_)[found];
        const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                                 static_cast<const std::byte*>(range.begin));
        if (!range.writable && kind != traffic_kind::read)
            return blame(size_text(action, static_cast<int>(bytes)) + " at byte " + std::to_string(at) + " of " +
                             range.name + ", which is read-only",
                         "write to an output, or give the range as writable");
        if (range.writable)
            traffic_.touch(kind, found, at, bytes);
        return nullptr;
    }
    /// Sectors of a range of global memory that has passed the check above.
    std::int64_t sectors(const void* address, int bytes) const
    {
        const auto size = static_cast<std::size_t>(bytes);
        const auto* begin = static_cast<const std::byte*>((*ranges_)[ranges_->find(address, size)].begin);
        const std::int64_t at = static_cast<const std::byte*>(address) - begin;
        const std::int64_t sector = chip_->sector_bytes;
        return (at + bytes - 1) / sector - at / sector + 1;
    }
    /// Whether a kernel may write to the global memory that holds the address.
    bool is_writable(const void* address) const
    {
        const int found = ranges_->find(address, 1);
        return found >= 0 && (*ranges_)[found].writable;
    }
    std::string name_of_global(const void* address) const { return global_place(address); }

    // Asynchronous copies

    const fault* start_copy(lane_state& me, const knowledge& known, void* to, const void* from, int bytes, bool valid)
    {
        if (valid)
            if (const fault* f = check_global(me, traffic_kind::read, from, bytes))
                return f;
        if (const fault* f = shared_.begin_copy(me, known, to, bytes))
            return f;

        lane_copies& mine = copies_[static_cast<std::size_t>(me.thread)];
        pending_copy copy{to, from, bytes, valid, mine.groups, {}, me.label};
        if (valid)
            std::memcpy(copy.source, from, static_cast<std::size_t>(bytes));
        mine.pending.push_back(copy);
        std::memset(to, 0xff, static_cast<std::size_t>(bytes));
        log_of(*me.wave).note(me, memory_access::async_read, bytes, counted_at_, valid);
        log_of(*me.wave).note(me, memory_access::async_write, bytes, shared_offset(to), true);
        return nullptr;
    }

    void commit_copies(lane_state& me) { ++copies_[static_cast<std::size_t>(me.thread)].groups; }

    const fault* finish_copies(lane_state& me, const knowledge& known, int groups_in_flight)
    {
        lane_copies& mine = copies_[static_cast<std::size_t>(me.thread)];
        std::size_t done = 0;
        for (; done < mine.pending.size() && mine.pending[done].group < mine.groups - groups_in_flight; ++done) {
            const pending_copy& copy = mine.pending[done];
            const auto bytes = static_cast<std::size_t>(copy.bytes);
            if (!copy.valid) {
                std::memset(copy.to, 0, bytes);
            } else if (std::memcmp(copy.source, copy.from, bytes) != 0) {
                me.label = copy.label;
                return blame("the source of an async copy, " + global_place(copy.from) +
                                 ", was changed while the copy was in flight",
                             "write the source only after async_wait");
            } else {
                std::memcpy(copy.to, copy.source, bytes);
            }
            shared_.end_copy(me, known, copy.to, copy.bytes);
        }
        mine.pending.erase(mine.pending.begin(), mine.pending.begin() + static_cast<std::ptrdiff_t>(done));
        return nullptr;
    }

private:
    struct pending_copy
    {
        void* to;
        const void* from;
        int bytes;
        bool valid;
        int group;
        unsigned char source[16]; // what it was when the copy started
        element_label label;
    };
    struct lane_copies
    {
        int groups = 0; // committed so far
        std::vector<pending_copy> pending;
    };

    access_log& log_of(const wave_state& wave) { return logs_[static_cast<std::size_t>(wave.index)]; }

    std::uint64_t shared_offset(const void* address) const
    {
        return static_cast<std::uint64_t>(shared_.offset_of(address));
    }

    const fault* blame(std::string what, std::string remedy)
    {
        fault_ = {std::move(what), std::move(remedy)};
        return &fault_;
    }

    std::string global_place(const void* address) const
    {
        const int i = ranges_->find(address, 1);
        if (i < 0)
            return "global memory";
        const memory_range& range = (*ranges_)[i];
        return std::string("byte ") +
               std::to_string(static_cast<const std::byte*>(address) - static_cast<const std::byte*>(range.begin)) +
               " of " + range.name;
    }

    const fault* check_global(const lane_state&, traffic_kind kind, const void* address, int bytes)
    {
        static constexpr const char* actions[] = {"global load", "global store", "atomic_add"};
        const char* action = actions[static_cast<int>(kind)];
        const auto size = static_cast<std::size_t>(bytes);
        const int found = ranges_->find(address, size);
        if (found < 0)
            return blame(size_text(action, bytes) + outside(address), "mask the access, or give the launch the range");
        const memory_range& range = (*ranges_)[found];
        const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                                 static_cast<const std::byte*>(range.begin));
        counted_at_ = (static_cast<std::uint64_t>(found) << range_shift) + at;
        if (reinterpret_cast<std::uintptr_t>(address) % size != 0)
            return blame(size_text(action, bytes) + " at byte " + std::to_string(at) + " of " + range.name +
                             ", misaligned: the address is not a multiple of " + std::to_string(bytes),
                         "align the pointer and the row length, or use narrower accesses");
        if (!range.writable)
            return kind == traffic_kind::read ? nullptr
                                              : blame(size_text(action, bytes) + " at byte " + std::to_string(at) +
                                                          " of " + range.name + ", which is read-only",
                                                      "write to an output, or give the range as writable");
        if (kind == traffic_kind::atomic)
            traffic_.touch(kind, found, at, size);
        return nullptr;
    }

    /// What other blocks must not touch too. A wave at a time, since its lanes mostly touch neighbours.
    void remember(const access_log::record& r)
    {
        const traffic_kind kind = r.access == memory_access::global_store ? traffic_kind::write : traffic_kind::read;
        for (std::uint64_t rest = r.active; rest != 0; rest &= rest - 1) {
            const std::uint64_t at = r.address[__builtin_ctzll(rest)];
            const auto range = static_cast<int>(at >> range_shift);
            if ((*ranges_)[range].writable)
                traffic_.touch(kind, range, at & ((std::uint64_t{1} << range_shift) - 1),
                               static_cast<std::size_t>(r.bytes));
        }
    }

    /// Where an address that no range holds lies, seen from the nearest range.
    std::string outside(const void* address) const
    {
        if (ranges_->size() == 0)
            return ", but the launch was given no global memory";
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        std::uintptr_t best = ~std::uintptr_t{0};
        std::string text;
        for (int i = 0; i < ranges_->size(); ++i) {
            const memory_range& range = (*ranges_)[i];
            const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
            const std::uintptr_t distance = at < begin                 ? begin - at
                                            : at - begin < range.bytes ? 0
                                                                       : at - begin - range.bytes;
            if (distance >= best)
                continue;
            best = distance;
            text = " at byte " + std::to_string(static_cast<std::intptr_t>(at - begin)) + " of " + range.name +
                   ", out of bounds: it has " + std::to_string(range.bytes) + " bytes";
        }
        return text;
    }

    const chip_info* chip_ = nullptr;
    const memory_ranges* ranges_ = nullptr;
    shared_checker shared_;
    std::vector<access_log> logs_;
    std::vector<lane_copies> copies_;
    block_traffic traffic_;
    // Place of the last global access in the log, range and offset: sectors are counted as if every range began at one,
    // whatever the allocator did.
    static constexpr int range_shift = 48;
    std::uint64_t counted_at_ = 0;
    fault fault_;
};

} // namespace tegula::emulator::detail
