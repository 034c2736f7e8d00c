#pragma once

#include <tegula/emulator/clash_text.hpp>
#include <tegula/emulator/global_shadow.hpp>
#include <tegula/emulator/global_traffic.hpp>
#include <tegula/emulator/previous_launch.hpp>
#include <tegula/emulator/published_order.hpp>
#include <tegula/emulator/write_undo.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace tegula::emulator::detail {

/// Where an access lies: `at` bytes into a range.
struct global_place
{
    int range = -1;
    std::size_t at = 0;
};

/// Checks a cluster's accesses to global memory, and defers its additions. A verdict is null when all is well.
class global_checker : private fault_holder
{
public:
    void begin_launch(const memory_ranges& ranges, const clash_words& words)
    {
        ranges_ = &ranges;
        words_ = words;
        watch_ = {};
        groups_ = range_groups(ranges);
        shadow_.begin_launch(groups_);
    }
    void begin_cluster()
    {
        shadow_.begin_cluster();
        previous_.begin_cluster();
        earlier_ = nullptr;
        additions_.clear();
        indexed_ = 0;
        newest_.clear();
        undo_.clear();
    }
    /// The earlier contents of the bytes that the cluster wrote.
    write_undo& undo() { return undo_; }

    /// From now on accesses must be ordered after those of clusters that have ended. Earlier accesses must be, too; if
    /// one is not, `where` becomes its line.
    const fault* know_earlier(const published_order& earlier, const observer& me, const call_sites& sites,
                              call_site& where)
    {
        const fault* found = nullptr;
        shadow_.for_each_access(
            [&](int group, std::size_t at, std::size_t bytes, shadow_clash clash, const access_sets::entry& e) {
                const global_place place = place_in(group, at);
                if (found != nullptr || place.range < 0)
                    return;
                found = check_earlier(earlier, me, kind_of(clash), place, static_cast<int>(bytes), false,
                                      clash == shadow_clash::write_after_read ? "global load" : "global store");
                if (found != nullptr)
                    where = sites[e.site];
            });
        earlier_ = &earlier;
        return found;
    }
    /// Publishes the last accesses, which come after all others of the cluster.
    void publish(published_order& to, long cluster, const wave_names& names, const call_sites& sites) const
    {
        to.begin();
        shadow_.for_each_access(
            [&](int group, std::size_t at, std::size_t bytes, shadow_clash clash, const access_sets::entry& e) {
                to.add({at, at + bytes, group, kind_of(clash), e.timeline, e.time, e.lanes, cluster, sites[e.site],
                        names.with_block(e.timeline)});
            });
    }

    const memory_ranges& ranges() const { return *ranges_; }
    previous_launch& previous() { return previous_; }
    bool tracks(const global_place& place) const { return groups_[groups_.group_of(place.range)].writable; }
    /// Byte offset of the place in its group.
    std::size_t in_group(const global_place& place) const
    {
        return place.at + static_cast<std::size_t>(static_cast<const std::byte*>((*ranges_)[place.range].begin) -
                                                   groups_[groups_.group_of(place.range)].begin);
    }
    /// The place of a byte of a group, in the range that has it.
    global_place place_in(int group, std::size_t at) const
    {
        const std::byte* const byte = groups_[group].begin + at;
        const int range = ranges_->find(byte, 1);
        return range < 0 ? global_place{-1, 0}
                         : global_place{range, static_cast<std::size_t>(
                                                   byte - static_cast<const std::byte*>((*ranges_)[range].begin))};
    }
    /// Records the block's access to the place.
    void note_traffic(block_traffic& traffic, traffic_kind kind, const global_place& place, std::size_t bytes,
                      std::uint8_t width = 0) const
    {
        traffic.touch(kind, groups_.group_of(place.range), in_group(place), bytes, width);
    }

    /// Finds the range that holds the bytes and allows the access. `label`: the element that is meant, or null.
    const fault* locate(traffic_kind kind, const void* address, std::size_t bytes, const char* action,
                        const char* remedy, global_place& place, const element_label* label = nullptr)
    {
        const bool labelled = label != nullptr && label->tensor != nullptr;
        place.range = ranges_->find(address, bytes);
        if (place.range < 0)
            return comes_from_null(address, labelled && label->data == nullptr)
                       ? blame_null(address, bytes, action)
                       : blame_outside(address, bytes, action, remedy, -1);
        const memory_range& range = (*ranges_)[place.range];
        const void* const tensor = labelled ? label->data : nullptr;
        if (tensor != nullptr && !memory_ranges::holds(range, tensor, 1))
            if (const int home = ranges_->home_of(tensor, address, bytes); home >= 0)
                return blame_outside(address, bytes, action, remedy, home);
        place.at = static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                            static_cast<const std::byte*>(range.begin));
        if (!range.writable && kind != traffic_kind::read)
            return blame(text(action, static_cast<int>(bytes), place) + ", which is read-only",
                         "write to an output, or give the range as writable");
        if (watch_.at >= address && watch_.at < static_cast<const std::byte*>(address) + bytes && kind == watch_.kind)
            return blame(text(action, static_cast<int>(bytes), place), "");
        return nullptr;
    }
    /// From now on an access of that kind to that byte is a fault, so that its lane is found.
    struct watch
    {
        const void* at = nullptr;
        traffic_kind kind{};
    };
    void look_out_for(const watch& w) { watch_ = w; }

    /// An ordinary access of a lane to memory that is tracked. `tells`: see memory_shadow.
    const fault* access(const lane_state& me, const observer& seen, traffic_kind kind, const global_place& place,
                        int bytes, const char* action, bool tells = false)
    {
        if (const fault* f = check_earlier(seen, kind, place, bytes, action))
            return f;
        bool pending = false;
        const shadow_verdict v = for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            const shadow_verdict of_page = kind == traffic_kind::read    ? page.read(at, part, seen)
                                           : kind == traffic_kind::write ? page.write(at, part, seen)
                                                                         : page.add(at, part, seen, tells);
            if (kind != traffic_kind::atomic && of_page.clash == shadow_clash::none)
                pending = page.take_pending(at, part) || pending;
            return of_page;
        });
        if (pending)
            settle_additions(address_of(place), static_cast<std::size_t>(bytes));
        return explain(me, v, place, bytes, action);
    }

    /// An atomic exchange, which may be the first access to the place; `held`: it was not.
    const fault* exchange(const lane_state& me, const observer& seen, const global_place& place, int bytes,
                          const char* action, bool tells, bool& held)
    {
        held = true;
        if (const fault* f = check_earlier(seen, traffic_kind::atomic, place, bytes, action))
            return f;
        const shadow_verdict v = for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            held = page.holds_something(at, part) && held;
            return page.exchange(at, part, seen, tells);
        });
        return explain(me, v, place, bytes, action);
    }

    // Asynchronous accesses: copies of lanes, and the asynchronous proxy.

    const fault* begin_read(const lane_state& me, const observer& seen, const global_place& place, int bytes,
                            const char* action, bool async_proxy)
    {
        if (const fault* f = check_earlier(seen, traffic_kind::read, place, bytes, action))
            return f;
        bool pending = false;
        const shadow_verdict v = for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            const shadow_verdict of_page = page.begin_async_read(at, part, seen, async_proxy);
            if (of_page.clash == shadow_clash::none)
                pending = page.take_pending(at, part) || pending;
            return of_page;
        });
        if (pending)
            settle_additions(address_of(place), static_cast<std::size_t>(bytes));
        return explain(me, v, place, bytes, action);
    }
    void end_read(const observer& arrived, const global_place& place, int bytes)
    {
        for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            page.end_async_read(at, part, arrived);
            return shadow_verdict{};
        });
    }
    const fault* begin_write(const lane_state& me, const observer& seen, const global_place& place, int bytes,
                             const char* action)
    {
        if (const fault* f = check_earlier(seen, traffic_kind::write, place, bytes, action))
            return f;
        bool pending = false;
        const shadow_verdict v = for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            pending = page.take_pending(at, part) || pending;
            return page.begin_copy(at, part, seen, true);
        });
        if (pending)
            settle_additions(address_of(place), static_cast<std::size_t>(bytes));
        return explain(me, v, place, bytes, action);
    }
    void end_write(const observer& arrived, const global_place& place, int bytes)
    {
        for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            page.end_async_copy(at, part, arrived);
            return shadow_verdict{};
        });
    }
    const fault* begin_add(const lane_state& me, const observer& seen, const global_place& place, int bytes,
                           const char* action)
    {
        if (const fault* f = check_earlier(seen, traffic_kind::atomic, place, bytes, action))
            return f;
        return explain(
            me,
            for_pages(place, bytes,
                      [&](memory_shadow& page, long at, int part) { return page.begin_async_add(at, part, seen); }),
            place, bytes, action);
    }
    void end_add(const observer& arrived, const global_place& place, int bytes)
    {
        for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
            page.end_async_add(at, part, arrived);
            return shadow_verdict{};
        });
    }

    // Additions wait for the end of the launch, so that sums do not depend on the order of blocks, unless the cluster
    // looks at them before: then no other may touch them.

    void keep(const deferred_add& addition) { additions_.push_back(addition); }
    std::vector<deferred_add>& additions() { return additions_; }
    /// Applies the cluster's additions to these bytes to memory.
    void settle_additions(const void* address, std::size_t bytes)
    {
        for (; indexed_ < additions_.size(); ++indexed_) {
            std::uint32_t& newest = newest_[chunk_of(additions_[indexed_].to)];
            additions_[indexed_].previous = newest;
            newest = static_cast<std::uint32_t>(indexed_ + 1);
        }
        const auto begin = reinterpret_cast<std::uintptr_t>(address);
        std::vector<std::uint32_t> found;
        for (std::uintptr_t chunk = begin / chunk_bytes; chunk * chunk_bytes < begin + bytes; ++chunk)
            if (const auto of_chunk = newest_.find(chunk); of_chunk != newest_.end())
                for (std::uint32_t i = of_chunk->second; i != 0; i = additions_[i - 1].previous) {
                    const auto to = reinterpret_cast<std::uintptr_t>(additions_[i - 1].to);
                    if (to != 0 && to < begin + bytes &&
                        to + static_cast<std::size_t>(bytes_of(additions_[i - 1].type)) > begin)
                        found.push_back(i - 1);
                }
        std::sort(found.begin(), found.end());
        for (const std::uint32_t i : found) {
            undo_.note(additions_[i].to, static_cast<std::size_t>(bytes_of(additions_[i].type)));
            additions_[i].apply();
            additions_[i].to = nullptr;
        }
    }

    std::string name_of(const global_place& place) const
    {
        return "byte " + std::to_string(place.at) + " of " + (*ranges_)[place.range].name;
    }
    /// "global load of 4 bytes at byte 36 of in".
    std::string text(const char* action, int bytes, const global_place& place) const
    {
        return size_text(action, bytes) + " at " + name_of(place);
    }
    /// Describes the place of an address outside all ranges, by the nearest range.
    std::string outside(const void* address) const
    {
        if (ranges_->size() == 0)
            return ", but the launch was given no global memory";
        int nearest = 0;
        for (int i = 1; i < ranges_->size(); ++i)
            if (distance(i, address) < distance(nearest, address))
                nearest = i;
        return outside_of(nearest, address);
    }

private:
    static constexpr std::uintptr_t chunk_bytes = 16;
    static std::uintptr_t chunk_of(const void* address)
    {
        return reinterpret_cast<std::uintptr_t>(address) / chunk_bytes;
    }
    const void* address_of(const global_place& place) const
    {
        return static_cast<const std::byte*>((*ranges_)[place.range].begin) + place.at;
    }

    /// How far the address lies from the range, in bytes.
    std::uintptr_t distance(int range, const void* address) const
    {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        const auto begin = reinterpret_cast<std::uintptr_t>((*ranges_)[range].begin);
        const std::size_t bytes = (*ranges_)[range].bytes;
        return at < begin ? begin - at : at - begin < bytes ? 0 : at - begin - bytes;
    }
    std::string outside_of(int range, const void* address) const
    {
        const memory_range& r = (*ranges_)[range];
        const std::intptr_t at = static_cast<const std::byte*>(address) - static_cast<const std::byte*>(r.begin);
        return " at byte " + std::to_string(at) + " of " + r.name + ", out of bounds: it has " +
               std::to_string(r.bytes) + " bytes";
    }
    /// Whether an address in no range is an index into a null pointer. `expected`: the view's pointer is null; then it
    /// is enough that the address lies nearer to null than to any array.
    bool comes_from_null(const void* address, bool expected) const
    {
        std::uintptr_t nearest = ~std::uintptr_t{0};
        for (int i = 0; expected && i < ranges_->size(); ++i)
            nearest = std::min(nearest, distance(i, address));
        return distance_from_null(address) < (expected ? nearest : unmapped_bytes);
    }
    [[gnu::noinline]] const fault* blame_null(const void* address, std::size_t bytes, const char* action)
    {
        return blame(size_text(action, static_cast<int>(bytes)) + null_text(address),
                     "give the kernel the address of the array, or mask the access", fault_kind::out_of_bounds);
    }
    /// `home`: the range that was meant, -1 if that is not known.
    [[gnu::noinline]] const fault* blame_outside(const void* address, std::size_t bytes, const char* action,
                                                 const char* remedy, int home)
    {
        return blame(size_text(action, static_cast<int>(bytes)) +
                         (home < 0 ? outside(address) : outside_of(home, address)),
                     remedy, fault_kind::out_of_bounds);
    }

    static traffic_kind kind_of(shadow_clash with_write)
    {
        return with_write == shadow_clash::write_after_read ? traffic_kind::read
               : with_write == shadow_clash::with_addition  ? traffic_kind::atomic
                                                            : traffic_kind::write;
    }
    const fault* check_earlier(const observer& seen, traffic_kind kind, const global_place& place, int bytes,
                               const char* action)
    {
        return earlier_ == nullptr ? nullptr : look_earlier(seen, kind, place, bytes, action);
    }
    [[gnu::noinline]] const fault* look_earlier(const observer& seen, traffic_kind kind, const global_place& place,
                                                int bytes, const char* action)
    {
        // After its own atomic operation the cluster is ordered after those of others at the same place.
        bool told = false;
        if (kind != traffic_kind::atomic)
            for_pages(place, bytes, [&](memory_shadow& page, long at, int part) {
                told = told || page.was_told(at, part);
                return shadow_verdict{};
            });
        if (const fault* f = check_earlier(*earlier_, seen, kind, place, bytes, told, action))
            return f;
        const int group = groups_.group_of(place.range);
        const std::size_t first = in_group(place);
        if (groups_[group].uninitialized)
            earlier_->for_each_write(
                group, first, first + static_cast<std::size_t>(bytes), [&](std::size_t begin, std::size_t end) {
                    shadow_.for_pages(group, begin, end - begin, [](memory_shadow& page, long at, int part) {
                        page.note_written(at, part);
                        return shadow_verdict{};
                    });
                });
        return nullptr;
    }
    const fault* check_earlier(const published_order& earlier, const observer& seen, traffic_kind kind,
                               const global_place& place, int bytes, bool behind_atomics, const char* action)
    {
        const std::size_t first = in_group(place);
        const published_order::access* const a = earlier.find_unordered(
            seen, kind, groups_.group_of(place.range), first, first + static_cast<std::size_t>(bytes), behind_atomics);
        if (a == nullptr)
            return nullptr;
        static constexpr const char* names[] = {"read", "write", "atomic operation"};
        const std::string line = line_text(a->where);
        return blame(text(action, bytes, place) + " races with the " + names[static_cast<int>(a->kind)] + " of " +
                         a->who + ", " + lane_list(a->lanes) + (line.empty() ? "" : " at " + line),
                     clash_words::order_of_blocks);
    }

    template <class Act>
    shadow_verdict for_pages(const global_place& place, int bytes, const Act& act)
    {
        const std::size_t at = in_group(place);
        shadow_verdict v = shadow_.for_pages(groups_.group_of(place.range), at, static_cast<std::size_t>(bytes), act);
        v.offset += static_cast<long>(place.at) - static_cast<long>(at);
        return v;
    }

    const fault* explain(const lane_state& me, const shadow_verdict& v, const global_place& place, int bytes,
                         const char* action)
    {
        return v.clash == shadow_clash::none ? nullptr : explain_clash(me, v, place, bytes, action);
    }
    [[gnu::noinline]] const fault* explain_clash(const lane_state& me, const shadow_verdict& v,
                                                 const global_place& place, int bytes, const char* action)
    {
        const std::string what = text(action, bytes, {place.range, static_cast<std::size_t>(v.offset)});
        if (v.clash == shadow_clash::in_flight)
            return blame(what + ", which a bulk store of " + words_.other(v) + " has in flight",
                         "wait for its group in the lane that stored, and not only for its reads, then put a barrier "
                         "before other lanes touch the bytes");
        if (v.clash == shadow_clash::async_reader)
            return blame(what + ", which an async copy or a bulk load is still reading",
                         "write the source only after the copy was waited for");
        fault_ = words_.describe(me, v, what, static_cast<const std::byte*>((*ranges_)[place.range].begin) + v.offset,
                                 bytes);
        if (v.clash == shadow_clash::no_proxy_fence)
            fault_.remedy = "let every lane that writes call fence_proxy_async_global() between its stores and the "
                            "barrier";
        return &fault_;
    }
    const memory_ranges* ranges_ = nullptr;
    range_groups groups_;
    clash_words words_;
    watch watch_;
    global_shadow shadow_;
    previous_launch previous_;
    const published_order* earlier_ = nullptr;
    std::vector<deferred_add> additions_;
    std::size_t indexed_ = 0;                                  // additions that the index holds
    std::unordered_map<std::uintptr_t, std::uint32_t> newest_; // by chunk: 1 + the newest
    write_undo undo_;
};

} // namespace tegula::emulator::detail
