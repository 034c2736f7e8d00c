// PTX ISA: "Data Movement and Conversion Instructions: Asynchronous copy": cp.async, its groups, and
// cp.async.mbarrier.arrive. Bulk copies are in bulk_copies.cpp.

#include "decode.hpp"

#include <algorithm>

namespace ptx {

namespace {

void perform(warp& w, int lane, const cp_async_copy& c)
{
    std::array<std::uint8_t, 16> bytes{};
    std::array<byte_state, 16> states{};
    for (int i = 0; i < c.source_bytes; ++i) {
        const std::size_t o = c.from.offset + static_cast<std::size_t>(i);
        bytes[static_cast<std::size_t>(i)] = c.from.where->bytes[o];
        states[static_cast<std::size_t>(i)] = c.from.where->states[o];
    }
    write_async(c.to, static_cast<std::uint64_t>(c.bytes), bytes.data(), states.data());
    note_write(w, c.to, static_cast<std::uint64_t>(c.bytes));
    region& r = *c.to.where;
    for (int i = 0; i < c.bytes; ++i) { // not of the async proxy
        r.generic_time[c.to.offset + static_cast<std::size_t>(i)] = w.in().time;
        r.generic_thread[c.to.offset + static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(w.thread(lane));
    }
    ++w.in().progress;
}

void finish_groups(warp& w, int lane, std::size_t left)
{
    auto& groups = w.committed[static_cast<std::size_t>(lane)];
    for (; groups.size() > left; groups.pop_front())
        for (const cp_async_copy& c : groups.front())
            perform(w, lane, c);
}

/// "cp.async": the rest of the bytes of the destination, which the source does not have, become 0.
action copy(decoder& d, bool all_levels)
{
    d.take("global");
    d.take_space("");
    d.take("L2::cache_hint");
    d.take_cache_hints();
    const address to = d.memory(0, "shared::cta"), from = d.memory(1, "global");
    const auto bytes = static_cast<int>(d.constant(2));
    if (bytes != 16 && (!all_levels || (bytes != 4 && bytes != 8)))
        throw fault("cp.async of " + std::to_string(bytes) + " bytes");
    source size;
    size.constant.fill(static_cast<std::uint64_t>(bytes));
    if (d.operands() > 3)
        size = d.from(3, 32);
    if (d.operands() > 3 && size.reg >= 0 && d.in().registers[static_cast<std::size_t>(size.reg)].kind == 'p')
        throw fault("cp.async with a predicate is not in the machine");
    return [=](warp& w, lane_mask mask) {
        machine& m = w.in();
        each_lane(mask, [&](int lane) {
            const auto source_bytes = static_cast<int>(size.checked(w, lane, "the size of a copy"));
            if (source_bytes > bytes)
                throw fault("cp.async of " + std::to_string(source_bytes) + " bytes into " + std::to_string(bytes));
            check_alignment(to.of(w, lane), static_cast<std::uint64_t>(bytes));
            cp_async_copy c{to.resolve(w, lane, static_cast<std::uint64_t>(bytes)), {}, bytes, source_bytes};
            if (source_bytes > 0) {
                check_alignment(from.of(w, lane), static_cast<std::uint64_t>(bytes));
                c.from = from.resolve(w, lane, static_cast<std::uint64_t>(source_bytes));
            }
            for (int i = 0; i < bytes; ++i) {
                const std::size_t o = c.to.offset + static_cast<std::size_t>(i);
                const byte_state state = c.to.where->states[o];
                if (state == byte_state::in_flight || state == byte_state::barrier)
                    throw fault("cp.async to byte " + std::to_string(o) + " of shared memory, " + describe(state));
            }
            note_write(w, c.to, static_cast<std::uint64_t>(bytes)); // it may be now, or as late as its wait
            if (m.when == completion::early || (m.when == completion::random && m.pick(2) == 0)) {
                perform(w, lane, c);
                return;
            }
            for (int i = 0; i < bytes; ++i)
                c.to.where->states[c.to.offset + static_cast<std::size_t>(i)] = byte_state::in_flight;
            w.uncommitted[static_cast<std::size_t>(lane)].push_back(c);
        });
        return outcome::next;
    };
}

action commit()
{
    return [](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            auto& open = w.uncommitted[static_cast<std::size_t>(lane)];
            w.committed[static_cast<std::size_t>(lane)].push_back(std::move(open));
            open.clear();
        });
        return outcome::next;
    };
}

action wait(std::size_t left, bool all)
{
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            finish_groups(w, lane, left);
            if (!all)
                return;
            for (const cp_async_copy& c : w.uncommitted[static_cast<std::size_t>(lane)])
                perform(w, lane, c);
            w.uncommitted[static_cast<std::size_t>(lane)].clear();
        });
        return outcome::next;
    };
}

/// "cp.async.mbarrier.arrive": the arrival comes once the copies of the thread so far are done; without .noinc it is
/// counted on top of those the object waits for.
action arrive_after(decoder& d)
{
    const bool counted = d.take("noinc");
    const std::string space = d.take_space("");
    d.take("b64");
    const address at = d.memory(0, space);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const mbarrier_place here = find_mbarrier(w, lane, at);
            if (!counted)
                ++here.object().pending;
            std::vector<cp_async_copy> copies;
            for (auto& group : w.committed[static_cast<std::size_t>(lane)]) {
                copies.insert(copies.end(), group.begin(), group.end());
                group.clear();
            }
            auto& open = w.uncommitted[static_cast<std::size_t>(lane)];
            copies.insert(copies.end(), open.begin(), open.end());
            open.clear();
            bulk_operation o;
            warp* own = &w;
            o.issued_by = w.of;
            o.thread = w.thread(lane);
            o.write = [=] {
                for (const cp_async_copy& c : copies)
                    perform(*own, lane, c);
                arrive(*own, here, 1);
            };
            w.in().bulk.push_back(std::move(o));
        });
        return outcome::next;
    };
}

action copy_family(decoder& d)
{
    const bool reduce = d.take("reduce");
    d.take("async");
    if (d.take("bulk"))
        return d.take("commit_group") || d.take("wait_group") ? decode_bulk_group(d) : decode_bulk_copy(d, reduce);
    if (d.take("commit_group"))
        return commit();
    if (d.take("wait_group"))
        return wait(static_cast<std::size_t>(d.constant(0)), false);
    if (d.take("wait_all"))
        return wait(0, true);
    if (d.take("mbarrier")) {
        d.take("arrive");
        return arrive_after(d);
    }
    const std::string level = d.take_one({"ca", "cg"});
    if (reduce || level.empty())
        throw fault("the machine does not know " + d.what().text());
    return copy(d, level == "ca");
}

} // namespace

void add_copies(decoder_table& table) { table["cp"] = copy_family; }

} // namespace ptx
