#pragma once

#include <tegula/core/math.hpp>
#include <tegula/emulator/launch_plan.hpp>
#include <tegula/emulator/memory_checker.hpp>

#include <algorithm>
#include <vector>

namespace tegula::emulator::detail {

/// Blocks that run at the same time, one or a cluster: their waves, lanes and memory, and what each wave knows to have
/// happened. A lane that waits or signals alone acquires and releases for itself. Its wave has acquired that, too, once
/// the wave meets at a barrier or all its lanes have acquired it.
struct cluster_state
{
    const launch_plan* plan = nullptr;
    std::vector<block_state> blocks;
    std::vector<wave_state> waves;               ///< block after block, as timelines count
    std::vector<lane_state> lanes;               ///< wave after wave
    std::vector<knowledge> known;                ///< by wave
    std::vector<std::vector<acquisition>> alone; ///< by wave: acquisitions of single lanes
    std::vector<memory_checker> checkers;
    global_checker global;
    call_sites sites;
    std::vector<std::byte> shared;
    counters totals{};
    wave_names names;
    bool async_proxy = false; ///< the chip has one
    int timelines = 0;

    void begin_launch(const launch_plan& p)
    {
        plan = &p;
        totals = {};
        const auto count = static_cast<std::size_t>(p.cluster_blocks());
        const auto waves_of_block = static_cast<std::size_t>(p.waves_of(p.block_threads));
        const std::size_t pitch =
            round_up(static_cast<std::size_t>(p.shared_bytes), shared_alignment) + (count > 1 ? shared_alignment : 0);
        blocks.assign(count, {});
        waves.assign(count * waves_of_block, {});
        async_proxy = p.has_async_proxy();
        timelines = async_proxy ? max_timelines : static_cast<int>(waves.size());
        known.resize(waves.size());
        alone.resize(waves.size());
        lanes.resize(waves.size() * static_cast<std::size_t>(p.chip->wave_size));
        shared.resize(count * pitch + shared_alignment);
        names = wave_names(blocks.data(), static_cast<int>(count), static_cast<int>(waves_of_block));
        const clash_words words{&names, &sites, reserved_timelines()};
        global.begin_launch(*p.ranges, words);
        global.previous().begin_launch(p.previous);
        const auto past = reinterpret_cast<std::uintptr_t>(shared.data()) % shared_alignment;
        if (checkers.size() < count)
            checkers.resize(count);
        for (std::size_t b = 0; b < count; ++b) {
            blocks[b].grid = p.grid;
            blocks[b].threads = p.block_threads;
            blocks[b].shared = shared.data() + (shared_alignment - past) + b * pitch;
            blocks[b].shared_bytes = p.shared_bytes;
            blocks[b].chip = p.chip;
            blocks[b].cluster = p.cooperative ? extent3{} : p.cluster;
            blocks[b].rank = static_cast<int>(b);
            blocks[b].peers = blocks.data();
            checkers[b].begin_launch(*p.chip, global, sites, p.block_threads, words);
        }
    }

    /// Everything as before the first instruction, all lanes ready.
    void begin_cluster(long number, runtime& run)
    {
        const auto count = static_cast<int>(blocks.size());
        const int waves_of_block = static_cast<int>(waves.size()) / count;
        for (int t = 0; t < static_cast<int>(waves.size()); ++t)
            begin_wave(t, t % waves_of_block, run, blocks[static_cast<std::size_t>(t / waves_of_block)]);
        for (int b = 0; b < count; ++b) {
            block_state& block = blocks[static_cast<std::size_t>(b)];
            block.id = plan->block_of(number, b);
            block.left = false;
            std::memset(block.shared, 0xff, static_cast<std::size_t>(plan->shared_bytes));
            memory_checker& checker = checkers[static_cast<std::size_t>(b)];
            checker.traffic().clear();
            checker.shared().barriers().clear();
            if (plan->checks)
                checker.begin_block(block);
        }
        global.begin_cluster();
    }

    /// The last timelines are those of lanes that issue instructions of the tensor core.
    int reserved_timelines() const { return plan->chip->tensor_columns > 0 ? 8 : 0; }
    lane_state* lanes_of(const wave_state& wave)
    {
        return lanes.data() + static_cast<std::ptrdiff_t>(wave.timeline) * plan->chip->wave_size;
    }
    int number_of(const lane_state& lane) const { return static_cast<int>(&lane - lanes.data()); }
    knowledge& known_to(const lane_state& me) { return known[static_cast<std::size_t>(me.wave->timeline)]; }
    memory_checker& checker_of(const block_state& block) { return checkers[static_cast<std::size_t>(block.rank)]; }
    memory_checker& checker_of(const lane_state& me) { return checker_of(*me.block); }
    /// The block whose shared memory the address lies in, the lane's own first; null outside all of them.
    block_state* holder_of(const lane_state& me, const void* address)
    {
        if (me.block->holds(address))
            return &blocks[static_cast<std::size_t>(me.block->rank)];
        for (block_state& block : blocks)
            if (block.holds(address))
                return &block;
        return nullptr;
    }

    /// The lane's time, which stamps its accesses.
    std::uint32_t time_of(const lane_state& me)
    {
        return std::max(me.time, known_to(me).happened.at(me.wave->timeline));
    }
    /// The lane as checkers see it now, without its line.
    [[gnu::always_inline]] observer observer_of(const lane_state& me)
    {
        const std::vector<acquisition>& own = alone[static_cast<std::size_t>(me.wave->timeline)];
        return {{time_of(me), static_cast<std::uint8_t>(me.wave->timeline), static_cast<std::uint8_t>(me.lane)},
                0,
                &known_to(me),
                own.empty() ? nullptr : &own};
    }
    /// Likewise, with its line.
    observer observer_at_line(const lane_state& me)
    {
        observer seen = observer_of(me);
        seen.site = sites.number_of(me.where);
        return seen;
    }

    /// All lanes of the wave are there: its time is that of the furthest.
    void settle(const wave_state& wave)
    {
        std::uint32_t& time = known[static_cast<std::size_t>(wave.timeline)].happened.at(wave.timeline);
        time = std::max(time, wave.latest);
    }
    /// The wave meets at a barrier: all its lanes know what each does.
    void meet(const wave_state& wave)
    {
        std::vector<acquisition>& own = alone[static_cast<std::size_t>(wave.timeline)];
        for (const acquisition& a : own)
            acquire(wave, a.known);
        own.clear();
        settle(wave);
        ++waves[static_cast<std::size_t>(wave.timeline)].met;
    }
    /// Ends a span of accesses of the whole wave.
    void tick(const wave_state& wave)
    {
        settle(wave);
        ++known[static_cast<std::size_t>(wave.timeline)].happened.at(wave.timeline);
    }
    /// Ends a span of accesses of the lane.
    void tick(lane_state& me)
    {
        me.time = time_of(me) + 1;
        me.wave->latest = std::max(me.wave->latest, me.time);
    }

    /// Releases to `to` what the lane has acquired, and what its wave did before it last met.
    void release_acquired(const lane_state& me, knowledge& to)
    {
        const int wave = me.wave->timeline;
        std::uint32_t& present = known_to(me).happened.at(wave);
        --present;
        to.join(known_to(me));
        ++present;
        for (const acquisition& a : alone[static_cast<std::size_t>(wave)])
            if ((a.lanes & me.bit()) != 0)
                to.join(a.known);
    }
    /// Releases to `to` what the lane did so far, and what its wave did before it last met.
    void release(lane_state& me, knowledge& to)
    {
        const int wave = me.wave->timeline;
        // This covers all accesses of the wave before the present span, and the lane's own within the span.
        release_acquired(me, to);
        to.happened.join_lanes(wave, me.bit(), time_of(me));
        to.happened.complete_lanes(wave, me.wave->all);
        tick(me);
    }
    /// Releases all lanes of a wave that goes on without meeting: none of them learns what the others did.
    void release(const wave_state& wave, knowledge& to)
    {
        knowledge& mine = known[static_cast<std::size_t>(wave.timeline)];
        std::uint32_t& present = mine.happened.at(wave.timeline);
        --present;
        to.join(mine);
        ++present;
        for (const acquisition& a : alone[static_cast<std::size_t>(wave.timeline)])
            to.join(a.known);
        lane_state* const own = lanes_of(wave);
        for (int l = 0; l < wave.lanes; ++l) {
            to.happened.join_lanes(wave.timeline, own[l].bit(), time_of(own[l]));
            tick(own[l]);
        }
        to.happened.complete_lanes(wave.timeline, wave.all);
    }
    /// The time that all lanes of the wave have reached.
    std::uint32_t least_time(const wave_state& wave)
    {
        const lane_state* const own = lanes_of(wave);
        std::uint32_t least = time_of(own[0]);
        for (int l = 1; l < wave.lanes; ++l)
            least = std::min(least, time_of(own[l]));
        return least;
    }
    /// The lane has acquired `from` alone, from no object that others of its wave acquire with it.
    void acquire(const lane_state& me, const knowledge& from)
    {
        std::vector<acquisition>& own = alone[static_cast<std::size_t>(me.wave->timeline)];
        for (acquisition& a : own)
            if (a.source == acquisition::several && a.lanes == me.bit())
                return a.known.join(from);
        own.push_back({acquisition::several, 0, me.bit(), from});
    }
    /// The lane has waited for a phase of the mbarrier with serial number `source`, and acquires `from`.
    void acquire(lane_state& me, const knowledge& from, std::int64_t source, std::int64_t phase)
    {
        std::vector<acquisition>& own = alone[static_cast<std::size_t>(me.wave->timeline)];
        for (acquisition& a : own) {
            if (a.source != source || a.phase != phase)
                continue;
            a.lanes |= me.bit();
            if (a.lanes == me.wave->all) {
                acquire(*me.wave, a.known);
                std::swap(a, own.back());
                own.pop_back();
            }
            return;
        }
        if (own.size() >= most_acquisitions)
            for (acquisition& a : own)
                if (a.lanes == me.bit()) {
                    a.known.join(from);
                    a.source = acquisition::several;
                    return;
                }
        own.push_back({source, phase, me.bit(), from});
    }
    /// The lane's stores so far are visible to the asynchronous proxy, for lanes that acquire what it releases.
    void fence_proxy(lane_state& me, bool global)
    {
        vector_clock& fenced = global ? known_to(me).fenced_global : known_to(me).fenced;
        fenced.join_lanes(me.wave->timeline, me.bit(), time_of(me));
        fenced.complete_lanes(me.wave->timeline, me.wave->all);
        tick(me);
    }

private:
    void acquire(const wave_state& wave, const knowledge& from)
    {
        knowledge& mine = known[static_cast<std::size_t>(wave.timeline)];
        const std::uint32_t present = mine.happened.at(wave.timeline);
        mine.join(from);
        mine.happened.at(wave.timeline) = std::max(present, from.happened.at(wave.timeline) + 1);
    }

    static constexpr std::size_t most_acquisitions = 8; ///< per wave; above it, those of one lane become one
    static constexpr std::size_t shared_alignment = 1024;

    void begin_wave(int timeline, int index, runtime& run, const block_state& block)
    {
        wave_state& wave = waves[static_cast<std::size_t>(timeline)];
        const int wave_size = plan->chip->wave_size;
        wave = {};
        wave.index = index;
        wave.timeline = timeline;
        wave.lanes = wave.missing = std::min(wave_size, plan->block_threads - index * wave_size);
        wave.all = wave.ready = ~std::uint64_t{0} >> (max_lanes - wave.lanes);
        knowledge& mine = known[static_cast<std::size_t>(timeline)];
        mine.reset(timelines, async_proxy);
        mine.happened.at(timeline) = 1;
        alone[static_cast<std::size_t>(timeline)].clear();
        for (int l = 0; l < wave.lanes; ++l) {
            lane_state& lane = lanes_of(wave)[l];
            lane = {};
            lane.checks = lane.watched = plan->checks;
            lane.lane = l;
            lane.thread = index * wave_size + l;
            lane.wave = &wave;
            lane.block = &block;
            lane.run = &run;
        }
    }
};

} // namespace tegula::emulator::detail
