// PTX ISA: "Parallel Synchronization and Communication Instructions": bar, barrier, bar.warp.sync, barrier.cluster,
// fence, membar, griddepcontrol; "Miscellaneous Instructions": setmaxnreg, nanosleep, trap, brkpt, pmevent.

#include "decode.hpp"

#include <algorithm>
#include <utility>

namespace ptx {

void machine::release(warp& w, lane_mask mask)
{
    for (group& g : w.groups)
        if (g.state == group::kind::parked && (g.mask & mask) != 0) {
            g.state = group::kind::running;
            ++g.pc;
        }
    note_synchronised(w, mask);
}

void machine::note_synchronised(warp& w, lane_mask mask)
{
    each_lane(mask & w.live,
              [&](int lane) { w.of->threads[static_cast<std::size_t>(w.thread(lane))].synchronised = time; });
    ++progress;
}

void machine::check_barrier(block& b, named_barrier& barrier)
{
    int expected = barrier.expected;
    if (expected < 0) { // all threads that have not ended, in whole warps
        expected = 0;
        for (const warp& w : b.warps)
            expected += w.live != 0 ? lanes : 0;
    }
    if (barrier.expected == 0 || barrier.arrived < expected)
        return;
    if (barrier.arrived > expected)
        throw fault(std::to_string(barrier.arrived) + " threads came to a barrier for " + std::to_string(expected));
    named_barrier done;
    std::swap(done, barrier);
    for (const auto& result : done.results)
        result(done.true_count, done.voters);
    for (const auto& [w, mask] : done.waiting) {
        learn(w->clock, done.arriving);
        release(*w, mask);
    }
}

void machine::check_cluster_barrier(cluster& c)
{
    if (c.cluster_arrived == 0 || c.cluster_arrived < c.running)
        return;
    c.cluster_arrived = 0;
    ++c.cluster_generation;
    ++progress;
    learn(c.cluster_complete, c.cluster_arriving);
    std::vector<std::pair<warp*, lane_mask>> waiting;
    std::swap(waiting, c.cluster_waiting);
    for (auto& [w, mask] : waiting) {
        auto& arrival = w->cluster_arrival;
        each_lane(mask, [&](int lane) { arrival[static_cast<std::size_t>(lane)] = 0; });
        learn(w->clock, c.cluster_complete);
        release(*w, mask);
    }
}

void machine::hold_memory()
{
    for (const auto& r : memory.all()) {
        bool variable = false;
        for (const auto& [name, address] : globals)
            variable = variable || address == r->base;
        if (variable)
            continue;
        held.push_back({r.get(), r->writable, r->states});
        r->writable = false;
        std::fill(r->states.begin(), r->states.end(), byte_state::unwritten);
    }
}

void machine::release_memory()
{
    for (held_memory& h : held) {
        h.where->writable = h.writable;
        h.where->states = std::move(h.states);
        ++progress;
    }
    held.clear();
}

namespace {

action next()
{
    return [](warp&, lane_mask) { return outcome::next; };
}

/// "bar.warp.sync".
action warp_barrier(decoder& d)
{
    d.take("sync");
    const source members = d.from(0, 32);
    d.result().members = members.reg;
    d.result().fixed_members = static_cast<lane_mask>(members.constant[0]);
    return [](warp& w, lane_mask mask) {
        w.in().note_synchronised(w, mask);
        return outcome::next;
    };
}

/// "barrier.cluster".
action cluster_barrier(decoder& d)
{
    const bool arrives = d.take_one({"arrive", "wait"}) == "arrive";
    const bool relaxed = d.take_one({"release", "relaxed", "acquire"}) == "relaxed";
    d.result().aligned = d.take("aligned");
    if (arrives)
        return [relaxed](warp& w, lane_mask mask) {
            cluster& c = *w.of->of;
            each_lane(mask, [&](int lane) {
                std::uint64_t& arrival = w.cluster_arrival[static_cast<std::size_t>(lane)];
                if (arrival != 0)
                    throw fault("barrier.cluster.arrive without a wait behind the one before");
                arrival = c.cluster_generation + 1;
                ++c.cluster_arrived;
            });
            hand_over(w, c.cluster_arriving, relaxed);
            ++w.in().progress;
            w.in().check_cluster_barrier(c);
            return outcome::next;
        };
    return [](warp& w, lane_mask mask) {
        cluster& c = *w.of->of;
        lane_mask waits = 0;
        each_lane(mask, [&](int lane) {
            const std::uint64_t arrival = w.cluster_arrival[static_cast<std::size_t>(lane)];
            if (arrival == 0)
                throw fault("barrier.cluster.wait without an arrive");
            waits |= static_cast<lane_mask>(arrival == c.cluster_generation + 1) << lane;
        });
        if (waits != 0) { // all came in one phase, for the phase cannot end before the last of them
            c.cluster_waiting.emplace_back(&w, mask);
            return outcome::parked;
        }
        each_lane(mask, [&](int lane) { w.cluster_arrival[static_cast<std::size_t>(lane)] = 0; });
        learn(w.clock, c.cluster_complete);
        w.in().note_synchronised(w, mask);
        return outcome::next;
    };
}

/// "bar", "barrier": .sync, .arrive, .red.
action block_barrier(decoder& d)
{
    if (d.take("warp"))
        return warp_barrier(d);
    if (d.take("cluster"))
        return cluster_barrier(d);
    d.take("cta");
    const std::string kind = d.take_one({"sync", "arrive", "red"});
    const bool aligned = d.take("aligned") || d.what().opcode == "bar";
    d.result().aligned = aligned;
    const std::string op = d.take_one({"popc", "and", "or"});
    d.take_one({"pred", "u32"});
    const bool reduces = kind == "red";
    std::size_t i = reduces ? 1 : 0;
    const destination to = reduces ? d.to(0) : destination{};
    const source number = d.from(i++, 32);
    const std::size_t rest = d.operands() - i - (reduces ? 1 : 0);
    const bool counted = rest > 0;
    const source count = counted ? d.from(i++, 32) : source{};
    const predicate p = reduces ? d.test(i) : predicate{};
    return [=](warp& w, lane_mask mask) {
        const int first = std::countr_zero(mask);
        const std::uint64_t n = number.checked(w, first, "the number of a barrier");
        if (n >= 16)
            throw fault("barrier " + std::to_string(n) + "; a block has 0 to 15");
        const int expected = counted ? static_cast<int>(count.checked(w, first, "the count of a barrier")) : -1;
        if (counted && (expected <= 0 || expected % lanes != 0))
            throw fault("a barrier for " + std::to_string(expected) + " threads; whole warps are needed");
        named_barrier& b = w.of->barriers[n];
        if (b.expected != 0 && b.expected != expected)
            throw fault("barrier " + std::to_string(n) + " for " + std::to_string(expected) +
                        " threads, others came to it for " + std::to_string(b.expected));
        b.expected = expected;
        b.arrived += aligned ? lanes : std::popcount(mask);
        hand_over(w, b.arriving);
        ++w.in().progress;
        if (reduces) {
            each_lane(mask, [&](int lane) { b.true_count += p.of(w, lane, "the predicate of a barrier"); });
            b.voters += std::popcount(mask);
            warp* own = &w;
            b.results.push_back([=](int yes, int all) {
                const int result = op == "popc" ? yes : op == "and" ? yes == all : yes > 0;
                each_lane(mask, [&](int lane) { to.write(*own, lane, static_cast<std::uint64_t>(result)); });
            });
        }
        if (kind == "arrive") {
            w.in().check_barrier(*w.of, b);
            return outcome::next;
        }
        b.waiting.emplace_back(&w, mask);
        return outcome::parked; // run() looks whether all have come, once the lanes are parked
    };
}

/// "fence", "membar". The machine runs one instruction at a time: a fence orders accesses for races.cpp, and tells proxies
/// apart.
action fence(decoder& d)
{
    const bool init = d.take("mbarrier_init");
    const bool proxy = d.take("proxy");
    const bool async = proxy && d.take("async");
    bool shared = true;
    if (async)
        shared = d.take_one({"global", "shared::cta", "shared::cluster"}) != "global";
    const bool map = proxy && !async && d.take_one({"alias", "tensormap::generic"}) != "alias";
    const std::string order = d.take_one({"sc", "acq_rel", "acquire", "release"});
    const bool acquires = order == "acquire";
    d.take_one({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
    d.take_one({"cta", "cluster", "gpu", "sys", "gl"});
    const bool orders = !init && !proxy;
    if (map && acquires) {
        const address at = d.memory(0, "");
        if (d.constant(1) != 128)
            throw fault("fence.proxy.tensormap of " + std::to_string(d.constant(1)) + " bytes; the size is 128");
        return [=](warp& w, lane_mask mask) {
            each_lane(mask, [&](int lane) { w.of->acquired_maps.insert(at.of(w, lane)); });
            return outcome::next;
        };
    }
    if (map && order == "release")
        return [](warp& w, lane_mask) {
            std::erase_if(w.in().unreleased_maps, [&](const auto& changed) { return changed.second == &w; });
            return outcome::next;
        };
    if (orders)
        return [=](warp& w, lane_mask) {
            order_by_fence(w, order != "release", order != "acquire");
            return outcome::next;
        };
    if (!(async && shared) && !init)
        return next();
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            thread_order& t = w.of->threads[static_cast<std::size_t>(w.thread(lane))];
            t.init_fenced = w.in().time;
            if (init)
                return;
            t.fenced = w.in().time;
            w.of->cleaned_before = std::max(w.of->cleaned_before, t.synchronised);
        });
        return outcome::next;
    };
}

/// "setmaxnreg": an increase waits until others have given registers back; the document does not say that a warp that
/// ends does so.
action set_registers(decoder& d)
{
    const bool increase = d.take_one({"inc", "dec"}) == "inc";
    d.take("sync");
    d.take("u32");
    d.result().aligned = d.take("aligned");
    const int count = static_cast<int>(d.constant(0));
    if (count < 24 || count > 256 || count % 8 != 0)
        throw fault("setmaxnreg " + std::to_string(count) + "; it must be a multiple of 8 from 24 to 256");
    d.in().most_registers = std::max(d.in().most_registers, count);
    return [=](warp& w, lane_mask) {
        if (w.register_limit == 0) // "may have no effect"
            return outcome::next;
        if (increase ? count < w.register_limit : count > w.register_limit)
            throw fault("setmaxnreg to " + std::to_string(count) + " from " + std::to_string(w.register_limit));
        int used = 0;
        for (const warp& other : w.of->warps)
            used += other.register_limit * lanes;
        if (used + (count - w.register_limit) * lanes > 65536)
            return outcome::retry;
        w.register_limit = count;
        ++w.in().progress;
        return outcome::next;
    };
}

/// "nanosleep".
action sleep(decoder& d)
{
    d.take("u32");
    d.from(0, 32);
    return [](warp&, lane_mask) { return outcome::yielded; };
}

/// "trap", "brkpt".
action trap(decoder&)
{
    return [](warp&, lane_mask) -> outcome { throw fault("trap"); };
}

/// "griddepcontrol": launches run one after the other, but one behind another finds its memory only behind a wait.
action grid_control(decoder& d)
{
    if (d.take_one({"wait", "launch_dependents"}) == "launch_dependents")
        return next();
    return [](warp& w, lane_mask) {
        w.in().release_memory();
        return outcome::next;
    };
}

/// "pmevent".
action event(decoder& d)
{
    d.take("mask");
    return next();
}

} // namespace

void add_barriers(decoder_table& table)
{
    table["bar"] = block_barrier;
    table["barrier"] = block_barrier;
    table["fence"] = fence;
    table["membar"] = fence;
    table["setmaxnreg"] = set_registers;
    table["nanosleep"] = sleep;
    table["trap"] = trap;
    table["brkpt"] = trap;
    table["griddepcontrol"] = grid_control;
    table["pmevent"] = event;
}

} // namespace ptx
