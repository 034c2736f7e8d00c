#pragma once

#include <tegula/chip/bank_conflicts.hpp>
#include <tegula/emulator/call_sites.hpp>
#include <tegula/emulator/counters.hpp>
#include <tegula/emulator/state.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// Merges the accesses of a wave's lanes into instructions: the k-th accesses of all lanes since the wave last met are
/// one instruction, if kind and width agree. Counting happens when the wave meets.
class access_log
{
public:
    void begin_launch(const chip_info& chip)
    {
        chip_ = &chip;
        for (int i = 0; i < widths; ++i) {
            load_rules_[i] = find_bank_rule(chip, access_kind::load, 1 << i);
            store_rules_[i] = find_bank_rule(chip, access_kind::store, 1 << i);
        }
    }
    void begin_block() { used_ = 0; }

    /// A lane this far ahead has to let the others catch up.
    static bool full(const lane_state& lane) { return lane.accesses >= capacity - 1; }

    /// `address`: byte offset in shared memory, or place in global memory. Returns the number of the lane's line.
    std::uint16_t note(lane_state& me, memory_access access, int bytes, std::uint64_t address, bool active,
                       call_sites& sites)
    {
        int i = me.accesses;
        while (i < used_ && !fits(records_[static_cast<std::size_t>(i)], access, bytes))
            ++i;
        if (i == used_) {
            if (static_cast<std::size_t>(used_) == records_.size())
                records_.emplace_back();
            record& r = records_[static_cast<std::size_t>(used_++)];
            r.access = access;
            r.bytes = bytes;
            r.active = 0;
            r.where = me.where;
            r.site = sites.number_of(me.where);
        }
        record& r = records_[static_cast<std::size_t>(i)];
        if (active) {
            r.active |= me.bit();
            r.address[me.lane] = address;
        }
        me.accesses = i + 1;
        return r.where == me.where ? r.site : sites.number_of(me.where);
    }

    /// One access of a wave, put together.
    struct record
    {
        memory_access access{};
        int bytes = 0;
        call_site where{}; // of the first lane
        std::uint16_t site = 0;
        std::uint64_t active = 0;
        std::uint64_t address[max_lanes]; // only those of active lanes
    };

    /// Counts the noted accesses, and calls `look` for each.
    template <class Look>
    void flush(lane_state* lanes, int count, counters& to, const Look& look)
    {
        if (used_ == 0)
            return;
        for (int i = 0; i < used_; ++i) {
            const record& r = records_[static_cast<std::size_t>(i)];
            if (r.active == 0)
                continue;
            account(r, to);
            look(r);
        }
        used_ = 0;
        for (int i = 0; i < count; ++i)
            lanes[i].accesses = 0;
    }

private:
    static constexpr int capacity = 256;
    static constexpr int widths = 5; // 1, 2, 4, 8, 16 bytes

    static bool fits(const record& r, memory_access access, int bytes)
    {
        return r.access == access && r.bytes == bytes;
    }

    void account(const record& r, counters& to)
    {
        switch (r.access) {
        case memory_access::global_load:
            ++to.global_loads;
            to.global_load_sectors += sectors(r);
            break;
        case memory_access::global_store:
            ++to.global_stores;
            to.global_store_sectors += sectors(r);
            break;
        case memory_access::shared_load:
            ++to.shared_loads;
            to.shared_load_conflicts += conflicts(r, load_rules_);
            break;
        case memory_access::shared_store:
            ++to.shared_stores;
            to.shared_store_conflicts += conflicts(r, store_rules_);
            break;
        case memory_access::async_read: // the global half of an asynchronous copy
            to.global_load_sectors += sectors(r);
            break;
        case memory_access::async_write: // its shared half
            ++to.async_copies;
            to.shared_store_conflicts += conflicts(r, store_rules_);
            break;
        }
    }

    int conflicts(const record& r, const bank_rule* rules) const
    {
        return conflict_cycles(rules[__builtin_ctz(static_cast<unsigned>(r.bytes))], chip_->wave_size, r.bytes,
                               r.address, r.active);
    }

    /// Distinct sectors: an open hash table, cleared by giving each call its own number.
    int sectors(const record& r)
    {
        ++call_;
        int count = 0;
        const auto sector_bytes = static_cast<std::uint64_t>(chip_->sector_bytes);
        for (std::uint64_t rest = r.active; rest != 0; rest &= rest - 1) {
            const std::uint64_t sector = r.address[__builtin_ctzll(rest)] / sector_bytes;
            std::size_t slot = static_cast<std::size_t>(sector) % slots;
            while (table_[slot].call == call_ && table_[slot].sector != sector)
                slot = (slot + 1) % slots;
            if (table_[slot].call != call_) {
                table_[slot] = {call_, sector};
                ++count;
            }
        }
        return count;
    }

    static constexpr std::size_t slots = 256;
    struct slot_entry
    {
        std::uint64_t call = 0;
        std::uint64_t sector = 0;
    };

    const chip_info* chip_ = nullptr;
    bank_rule load_rules_[widths]{};
    bank_rule store_rules_[widths]{};
    std::vector<record> records_;
    int used_ = 0;
    std::uint64_t call_ = 0;
    slot_entry table_[slots]{};
};

} // namespace tegula::emulator::detail
