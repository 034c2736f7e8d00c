#pragma once

#include <tegula/emulator/access_log.hpp>
#include <tegula/emulator/copy_instructions.hpp>
#include <tegula/emulator/global_checker.hpp>
#include <tegula/emulator/shared_checker.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// Checks every memory access of a block and counts it. A verdict is null when the access is fine.
class memory_checker
{
public:
    void begin_launch(const chip_info& chip, global_checker& global, call_sites& sites, int threads,
                      const clash_words& words)
    {
        chip_ = &chip;
        global_ = &global;
        sites_ = &sites;
        logs_.resize(max_waves);
        for (access_log& log : logs_)
            log.begin_launch(chip);
        shared_.begin_launch(words);
        copies_.resize(static_cast<std::size_t>(threads * num_copy_queues));
        instructions_.resize(max_waves);
    }

    void begin_block(const block_state& block)
    {
        shared_.begin_block(block);
        for (access_log& log : logs_)
            log.begin_block();
        for (lane_copies& lane : copies_) {
            lane.groups = 0;
            lane.pending.clear();
        }
        for (copy_instructions& of_wave : instructions_)
            of_wave.begin_block();
    }

    shared_checker& shared() { return shared_; }
    block_traffic& traffic() { return traffic_; }

    void flush(const wave_state& wave, lane_state* lanes, counters& to)
    {
        instructions_of(wave).meet();
        log_of(wave).flush(lanes, wave.lanes, to, [this](const access_log::record& r) {
            if (r.access == memory_access::global_load || r.access == memory_access::global_store ||
                r.access == memory_access::async_read)
                remember(r);
        });
    }

    /// `seen` comes without the line and gets it here.
    [[gnu::always_inline]] const fault* check(lane_state& me, observer& seen, memory_access access, const void* address,
                                              int bytes, bool active)
    {
        access_log& log = log_of(*me.wave);
        if (!active) {
            log.note(me, access, bytes, 0, false, *sites_);
            return nullptr;
        }
        if (access == memory_access::shared_load || access == memory_access::shared_store) {
            seen.site = log.note(me, access, bytes, shared_offset(address), true, *sites_);
            return shared_.access(me, seen, access == memory_access::shared_store, address, bytes);
        }
        return check_global(me, seen, access, address, bytes);
    }

    const fault* check_shared_addition(lane_state& me, observer& seen, const void* address)
    {
        seen.site = sites_->number_of(me.where);
        return shared_.atomic(me, seen, address, 4, "atomic_add");
    }
    /// `tells`: see memory_shadow. `held`: null unless for an exchange; becomes whether the place was written before.
    const fault* check_addition(lane_state& me, observer& seen, const void* address, int bytes, const char* action,
                                bool tells = false, bool* held = nullptr)
    {
        seen.site = sites_->number_of(me.where);
        global_place place;
        if (const fault* f = locate(me, seen, traffic_kind::atomic, address, bytes, action, place))
            return f;
        global_->note_traffic(traffic_, traffic_kind::atomic, place, static_cast<std::size_t>(bytes),
                              static_cast<std::uint8_t>(bytes));
        if (held != nullptr)
            return global_->exchange(me, seen, place, bytes, action, tells, *held);
        return global_->access(me, seen, traffic_kind::atomic, place, bytes, action, tells);
    }

    /// Checks `bytes` contiguous bytes of global memory that the copy engine reads, writes or adds to.
    const fault* check_bulk_global(const observer& seen, traffic_kind kind, const void* address, std::size_t bytes,
                                   const char* action, global_place& place)
    {
        if (const fault* f = global_->locate(kind, address, bytes, action,
                                             "let the tensor map describe memory that the launch was given", place))
            return f;
        if (const fault* f = global_->previous().check(seen, kind == traffic_kind::read, address, bytes, action))
            return f;
        if (global_->tracks(place))
            global_->note_traffic(traffic_, kind, place, bytes);
        return nullptr;
    }
    /// Sectors of a range of global memory that has passed the check above.
    std::int64_t sectors(const global_place& place, int bytes) const
    {
        const auto at = static_cast<std::int64_t>(place.at);
        const std::int64_t sector = chip_->sector_bytes;
        return (at + bytes - 1) / sector - at / sector + 1;
    }

    // Asynchronous copies

    const fault* start_copy(lane_state& me, observer& seen, void* to, const void* from, int bytes, bool valid,
                            copy_queue queue, counters& totals)
    {
        global_place source;
        if (valid)
            if (const fault* f = locate(me, seen, traffic_kind::read, from, bytes, "global load", source))
                return f;
        lane_copies& mine = copies_of(me, queue);
        if (queue == copy_queue::lanes) {
            access_log& log = log_of(*me.wave);
            seen.site =
                log.note(me, memory_access::async_read, bytes, valid ? counted_place(source) : 0, valid, *sites_);
            log.note(me, memory_access::async_write, bytes, shared_offset(to), true, *sites_);
        } else {
            // No lane does it. How the tensor data mover writes is not known; it reads each sector of a row once.
            seen.site = sites_->number_of(me.where);
            if (valid)
                totals.global_load_sectors += sectors(source, bytes) - mine.shares_sector(source, chip_->sector_bytes);
        }
        const bool tracked = valid && global_->tracks(source);
        if (tracked)
            if (const fault* f = global_->begin_read(me, seen, source, bytes, "global load", false))
                return f;
        if (const fault* f = shared_.begin_copy(me, seen, to, bytes))
            return f;

        const long instruction = queue == copy_queue::lanes ? instructions_of(*me.wave).note(me, true) : 0;
        pending_copy copy{to, bytes, valid, tracked, mine.groups, instruction, source, {}};
        if (valid)
            std::memcpy(copy.value, from, static_cast<std::size_t>(bytes));
        mine.pending.push_back(copy);
        std::memset(to, 0xff, static_cast<std::size_t>(bytes));
        return nullptr;
    }

    /// Counts the call of a lane that is masked off in a copy, so that its next accesses match those of the others.
    void skip_copy(lane_state& me, int bytes)
    {
        access_log& log = log_of(*me.wave);
        log.note(me, memory_access::async_read, bytes, 0, false, *sites_);
        log.note(me, memory_access::async_write, bytes, 0, false, *sites_);
        instructions_of(*me.wave).note(me, false);
    }

    void commit_copies(lane_state& me, copy_queue queue) { ++copies_of(me, queue).groups; }

    void finish_copies(lane_state& me, observer& seen, int groups_in_flight, copy_queue queue)
    {
        const int groups = copies_of(me, queue).groups - groups_in_flight;
        finish_copies(me, seen, queue, [groups](const pending_copy& copy) { return copy.group < groups; });
    }
    /// Finishes older copies on a chip that counts the copy instructions of a wave: the newest `instructions` stay.
    void finish_older_copies(lane_state& me, observer& seen, int instructions)
    {
        const long first = instructions_of(*me.wave).newest(instructions);
        finish_copies(me, seen, copy_queue::lanes,
                      [first](const pending_copy& copy) { return copy.instruction < first; });
    }

private:
    template <class Done>
    void finish_copies(lane_state& me, observer& seen, copy_queue queue, const Done& is_done)
    {
        lane_copies& mine = copies_of(me, queue);
        seen.site = sites_->number_of(me.where);
        std::size_t done = 0;
        for (; done < mine.pending.size() && is_done(mine.pending[done]); ++done) {
            const pending_copy& copy = mine.pending[done];
            if (copy.tracked)
                global_->end_read(seen, copy.source, copy.bytes);
            std::memcpy(copy.to, copy.value, static_cast<std::size_t>(copy.bytes)); // zeros if it is not valid
            shared_.end_copy(seen, copy.to, copy.bytes);
        }
        mine.pending.erase(mine.pending.begin(), mine.pending.begin() + static_cast<std::ptrdiff_t>(done));
    }

    struct pending_copy
    {
        void* to;
        int bytes;
        bool valid;
        bool tracked; // the source can change
        int group;
        long instruction; // of the wave; see copy_instructions
        global_place source;
        unsigned char value[16]; // of the source when the copy started
    };
    struct lane_copies
    {
        int groups = 0; // committed so far
        std::vector<pending_copy> pending;

        /// Whether `at` continues the row and the sector in which the newest copy of the group ended.
        bool shares_sector(const global_place& at, int sector_bytes) const
        {
            if (pending.empty() || at.at % static_cast<std::size_t>(sector_bytes) == 0)
                return false;
            const pending_copy& last = pending.back();
            return last.valid && last.group == groups && last.source.range == at.range &&
                   last.source.at + static_cast<std::size_t>(last.bytes) == at.at;
        }
    };

    lane_copies& copies_of(const lane_state& me, copy_queue queue)
    {
        return copies_[static_cast<std::size_t>(me.thread * num_copy_queues + static_cast<int>(queue))];
    }

    copy_instructions& instructions_of(const wave_state& wave)
    {
        return instructions_[static_cast<std::size_t>(wave.index)];
    }
    access_log& log_of(const wave_state& wave) { return logs_[static_cast<std::size_t>(wave.index)]; }

    std::uint64_t shared_offset(const void* address) const
    {
        return static_cast<std::uint64_t>(shared_.offset_of(address));
    }
    /// Place of a global access in the log, range and offset: sectors are counted as if every range began at one,
    /// whatever the allocator did.
    static std::uint64_t counted_place(const global_place& place)
    {
        return (static_cast<std::uint64_t>(place.range) << range_shift) + place.at;
    }

    [[gnu::noinline]] const fault* check_global(lane_state& me, observer& seen, memory_access access,
                                                const void* address, int bytes)
    {
        const bool store = access == memory_access::global_store;
        const traffic_kind kind = store ? traffic_kind::write : traffic_kind::read;
        const char* action = store ? "global store" : "global load";
        global_place place;
        if (const fault* f = locate(me, seen, kind, address, bytes, action, place))
            return f;
        seen.site = log_of(*me.wave).note(me, access, bytes, counted_place(place), true, *sites_);
        if (!global_->tracks(place))
            return nullptr;
        const fault* const f = global_->access(me, seen, kind, place, bytes, action);
        if (store && f == nullptr)
            global_->undo().note(address, static_cast<std::size_t>(bytes));
        return f;
    }

    /// Checks bounds, rights and alignment, and against the previous launch.
    const fault* locate(const lane_state& me, const observer& seen, traffic_kind kind, const void* address, int bytes,
                        const char* action, global_place& place)
    {
        const auto size = static_cast<std::size_t>(bytes);
        if (const fault* f = global_->locate(kind, address, size, action,
                                             "mask the access, or give the launch the range", place, &me.label))
            return f;
        if (const fault* f = global_->previous().check(seen, kind == traffic_kind::read, address, size, action))
            return f;
        if (reinterpret_cast<std::uintptr_t>(address) % size == 0)
            return nullptr;
        fault_ = {
            global_->text(action, bytes, place) + ", misaligned: the address is not a multiple of " +
                std::to_string(bytes),
            "align the pointer, the row length and the window's origin, or use narrower accesses: a smaller promise of "
            "the view, or without run-time strides a contiguous stride that is a run-time 1"};
        return &fault_;
    }

    /// Remembers an access to memory that other blocks must not touch too. A wave at a time, since its lanes mostly
    /// touch neighbours.
    void remember(const access_log::record& r)
    {
        const traffic_kind kind = r.access == memory_access::global_store ? traffic_kind::write : traffic_kind::read;
        for (std::uint64_t rest = r.active; rest != 0; rest &= rest - 1) {
            const std::uint64_t at = r.address[__builtin_ctzll(rest)];
            const global_place place{static_cast<int>(at >> range_shift), at & ((std::uint64_t{1} << range_shift) - 1)};
            if (global_->tracks(place))
                global_->note_traffic(traffic_, kind, place, static_cast<std::size_t>(r.bytes));
        }
    }

    static constexpr int range_shift = 48;
    const chip_info* chip_ = nullptr;
    global_checker* global_ = nullptr;
    call_sites* sites_ = nullptr;
    shared_checker shared_;
    std::vector<access_log> logs_;
    std::vector<lane_copies> copies_;
    std::vector<copy_instructions> instructions_; // by wave
    block_traffic traffic_;
    fault fault_;
};

} // namespace tegula::emulator::detail
