// Launches: blocks and warps take turns in an order that the seed chooses; lanes of a warp that part run apart until
// they meet again.

#include "decode.hpp"

#include <algorithm>
#include <cstring>

namespace ptx {

namespace {

std::string where(const warp& w, const instruction& i)
{
    const block& b = *w.of;
    return w.in().program.line_of(*i.source) + ", " + i.source->text() + ", block (" + std::to_string(b.id[0]) + "," +
           std::to_string(b.id[1]) + "," + std::to_string(b.id[2]) + ") warp " + std::to_string(w.index);
}

} // namespace

struct scheduler
{
    machine& m;
    std::uint32_t next_cluster = 0;
    std::vector<std::uint32_t> order; ///< of clusters
    std::size_t residents = 1;
    int slice = 0; ///< most instructions of a turn; 0: until it cannot go on
    enum class turns { ascending, descending, shuffled } turn = turns::shuffled;

    explicit scheduler(machine& machine) : m(machine) {}

    // One warp

    /// Chooses the lanes that go on: those furthest behind, so that the ones ahead are met again.
    bool choose_group(warp& w) const
    {
        w.current = -1;
        for (int pass = 0; pass < 2 && w.current < 0; ++pass)
            for (std::size_t i = 0; i < w.groups.size(); ++i) {
                const group& g = w.groups[i];
                if (g.state != group::kind::running || (pass == 0 && g.yielded))
                    continue;
                if (w.current < 0 || g.pc < w.groups[static_cast<std::size_t>(w.current)].pc)
                    w.current = static_cast<int>(i);
            }
        return w.current >= 0;
    }

    /// Joins groups that are at the same place; gatherers are woken by whoever joins them.
    static void join_groups(warp& w)
    {
        for (std::size_t i = 0; i < w.groups.size(); ++i)
            for (std::size_t j = w.groups.size() - 1; j > i; --j) {
                group &a = w.groups[i], &b = w.groups[j];
                if (a.pc != b.pc || a.state == group::kind::parked || b.state == group::kind::parked)
                    continue;
                a.mask |= b.mask;
                a.state = group::kind::running;
                a.yielded = a.yielded && b.yielded;
                w.groups.erase(w.groups.begin() + static_cast<std::ptrdiff_t>(j));
                w.current = -1;
            }
    }

    static lane_mask members_of(warp& w, const instruction& i, lane_mask mask)
    {
        if (i.aligned)
            return w.live;
        if (i.members >= 0)
            return static_cast<lane_mask>(w.value(i.members)[std::countr_zero(mask)]) & w.live;
        return i.fixed_members & w.live;
    }

    void end_lanes(warp& w, lane_mask mask)
    {
        block& b = *w.of;
        cluster& c = *b.of;
        if (w.in_flight > 0 || !w.open_wgmma.empty())
            throw fault("the thread ends with a wgmma in flight");
        each_lane(mask, [&](int lane) {
            std::uint64_t& arrival = w.cluster_arrival[static_cast<std::size_t>(lane)];
            if (arrival == c.cluster_generation + 1)
                --c.cluster_arrived;
            arrival = 0;
            for (const auto& g : w.committed[static_cast<std::size_t>(lane)])
                if (!g.empty() && m.reports(level::pedantic))
                    throw fault("the thread ends with a cp.async under way");
        });
        w.live &= ~mask;
        b.running -= std::popcount(mask);
        c.running -= std::popcount(mask);
        ++m.progress;
        for (named_barrier& barrier : b.barriers)
            m.check_barrier(b, barrier);
        m.check_cluster_barrier(c);
        if (b.running == 0 && !b.tensors.allocations.empty())
            throw fault("the block ends with " + std::to_string(b.tensors.allocations.front().count) +
                        " columns of tensor memory allocated");
        for (const tensor_pipe& pipe : m.pipes)
            if (b.running == 0 && pipe.of->of == &b && !pipe.operations.empty())
                throw fault("the block ends while the tensor core still works for it");
        if (b.running == 0)
            std::erase_if(m.pipes, [&](const tensor_pipe& pipe) { return pipe.of->of == &b; });
        if (b.running == 0)
            for (const bulk_operation& o : m.bulk)
                if (o.issued_by == &b && (o.group == -1 || o.read))
                    throw fault("the block ends while a bulk copy still needs its shared memory");
    }

    static void check_wgmma_registers(warp& w, const instruction& i)
    {
        for (const int r : i.reads)
            if (w.uses[static_cast<std::size_t>(r)] == register_use::accumulator)
                throw fault("a register is read that a wgmma in flight accumulates into; wgmma.wait_group is missing");
        for (const int r : i.writes)
            if (w.uses[static_cast<std::size_t>(r)] != register_use::none)
                throw fault("a register is written that a wgmma in flight uses; wgmma.wait_group is missing");
    }

    /// Executes one instruction of the current group. False: the warp's turn is over.
    bool step(warp& w)
    {
        if (w.current < 0 && !choose_group(w))
            return false;
        const auto at = static_cast<std::size_t>(w.current);
        const int pc = w.groups[at].pc;
        const lane_mask lanes_here = w.groups[at].mask;
        const instruction& i = m.code[static_cast<std::size_t>(pc)];
        lane_mask mask = lanes_here;
        try {
            if (i.guard >= 0) {
                mask = 0;
                each_lane(lanes_here, [&](int lane) {
                    if (w.poisoned(i.guard)[lane] != 0)
                        throw fault("the predicate of @ has no value in lane " + std::to_string(lane));
                    mask |= static_cast<lane_mask>((w.value(i.guard)[lane] & 1) != i.guard_negated) << lane;
                });
            }
            ++m.time;
            ++m.executed;
            ++m.counts_by_pc[static_cast<std::size_t>(pc)];
            if (i.is_exit)
                return leave(w, at, mask);
            if (i.target >= 0)
                return branch(w, at, i, mask);
            if (mask == 0) {
                ++w.groups[at].pc;
                return meet(w);
            }
            if ((i.aligned || i.members >= 0 || i.fixed_members != 0) && !gather(w, at, i, mask))
                return true;
            if (w.in_flight > 0)
                check_wgmma_registers(w, i);
            const outcome result = i.run(w, mask);
            for (const auto* list : {&i.reads, &i.writes})
                for (const int r : *list)
                    w.accessed_in[static_cast<std::size_t>(r)] = w.fences;
            return settle(w, at, mask, result);
        } catch (const fault& e) {
            throw fault(where(w, i) + ": " + e.what());
        }
    }

    /// True where all lanes that must execute the instruction together are here.
    bool gather(warp& w, std::size_t at, const instruction& i, lane_mask mask)
    {
        const lane_mask members = members_of(w, i, mask);
        if ((mask & members) == members) {
            if (!i.aligned && (mask & ~members) != 0)
                throw fault("lanes execute it that are not in its mask");
            return true;
        }
        if (mask != w.groups[at].mask)
            throw fault("a guard keeps lanes from an instruction that they must execute together");
        w.groups[at].state = group::kind::gathering;
        w.current = -1;
        join_groups(w);
        if (choose_group(w))
            return false;
        for (const group& g : w.groups)
            if (g.state == group::kind::parked)
                return false; // it may come when it is let go
        throw fault("lanes " + hex(mask) + " wait for lanes " + hex(members & ~mask) +
                    ", which are elsewhere or have ended");
    }

    bool leave(warp& w, std::size_t at, lane_mask mask)
    {
        group& g = w.groups[at];
        g.mask &= ~mask;
        ++g.pc;
        if (g.mask == 0)
            w.groups.erase(w.groups.begin() + static_cast<std::ptrdiff_t>(at));
        w.current = -1;
        end_lanes(w, mask);
        // Those that gather may wait for these no longer.
        for (group& other : w.groups)
            if (other.state == group::kind::gathering)
                other.state = group::kind::running;
        return true;
    }

    bool branch(warp& w, std::size_t at, const instruction& i, lane_mask taken)
    {
        group& g = w.groups[at];
        const lane_mask stays = g.mask & ~taken;
        if (stays == 0) {
            g.pc = i.target;
        } else {
            ++g.pc;
            if (taken != 0) {
                g.mask = stays;
                w.groups.push_back({i.target, taken, group::kind::running, false});
            }
        }
        return meet(w);
    }

    /// After a step: with several groups, joins those that met and goes on with the one furthest behind.
    bool meet(warp& w)
    {
        if (w.groups.size() > 1) {
            join_groups(w);
            w.current = -1;
        }
        return true;
    }

    bool settle(warp& w, std::size_t at, lane_mask mask, outcome result)
    {
        group& g = w.groups[at];
        if (result == outcome::next || result == outcome::yielded) {
            ++g.pc;
            g.yielded = result == outcome::yielded;
            meet(w);
            if (result == outcome::next)
                return true;
            w.current = -1;
            return false;
        }
        w.current = -1;
        if (result == outcome::retry)
            return false;
        if (mask != g.mask) { // lanes that a guard keeps away go on
            const group rest{g.pc + 1, g.mask & ~mask, group::kind::running, false};
            g.mask = mask;
            g.state = group::kind::parked;
            w.groups.push_back(rest);
        } else {
            g.state = group::kind::parked;
        }
        for (named_barrier& barrier : w.of->barriers)
            m.check_barrier(*w.of, barrier);
        return true;
    }

    // All

    void choose_policy()
    {
        const std::uint64_t seed = m.options.seed;
        m.random.seed(seed);
        m.when = seed % 3 == 0 ? completion::late : seed % 3 == 1 ? completion::early : completion::random;
        turn = seed / 3 % 3 == 0 ? turns::ascending : seed / 3 % 3 == 1 ? turns::descending : turns::shuffled;
        slice = seed % 4 == 3 ? 1 + static_cast<int>(m.pick(40)) : 0;
        residents = 1 + m.pick(3);
        const std::uint32_t count =
            m.options.grid[0] * m.options.grid[1] * m.options.grid[2] / m.options.cluster_blocks();
        for (std::uint32_t i = 0; i < count; ++i)
            order.push_back(i);
        if (turn == turns::descending)
            std::reverse(order.begin(), order.end());
        else if (turn == turns::shuffled)
            std::shuffle(order.begin(), order.end(), m.random);
    }

    /// Gives a warp its turn. True where it executed something other than a wait that failed.
    void run_warp(warp& w)
    {
        for (group& g : w.groups)
            g.yielded = false;
        w.current = -1;
        for (int n = 0; slice == 0 || n < slice; ++n) {
            if (m.options.limit != 0 && m.executed > m.options.limit)
                throw fault("the launch takes more than " + std::to_string(m.options.limit) + " instructions");
            if ((n & 4095) == 4095) // a loop that waits without saying so
                return;
            if (!step(w))
                return;
            if (m.when == completion::random && (m.time & 63) == 0)
                m.complete_bulk(false);
        }
    }

    [[noreturn]] void report_deadlock() const
    {
        std::string text = "nothing goes on:";
        int shown = 0;
        for (const auto& c : m.resident)
            for (const auto& b : c->blocks)
                for (const warp& w : b->warps)
                    for (const group& g : w.groups)
                        if (shown++ < 12) {
                            const instruction& i = m.code[static_cast<std::size_t>(g.pc)];
                            text += "\n  " + where(w, i) + ", lanes " + hex(g.mask) +
                                    (g.state == group::kind::parked ? ", waits" : "");
                        }
        if (shown > 12)
            text += "\n  and " + std::to_string(shown - 12) + " more";
        throw fault(text);
    }

    void run()
    {
        choose_policy();
        m.next_launch = [this] {
            return next_cluster < order.size() ? static_cast<std::int64_t>(order[next_cluster++]) : -1;
        };
        // Formulas of checks compute for a million instructions without getting on; short turns make rounds of few.
        const int most_idle_rounds = 400 + (slice > 0 ? 100000 / slice : 0);
        int idle_rounds = 0;
        while (next_cluster < order.size() || !m.resident.empty()) {
            while (m.resident.size() < residents && next_cluster < order.size())
                start_cluster(m, order[next_cluster++]);
            const std::uint64_t progress = m.progress, ended = m.resident.size();
            std::vector<warp*> warps;
            for (const auto& c : m.resident)
                for (const auto& b : c->blocks)
                    for (warp& w : b->warps)
                        if (w.live != 0)
                            warps.push_back(&w);
            if (turn == turns::descending)
                std::reverse(warps.begin(), warps.end());
            else if (turn == turns::shuffled)
                std::shuffle(warps.begin(), warps.end(), m.random);
            for (warp* w : warps)
                run_warp(*w);
            std::erase_if(m.resident, [](const auto& c) { return c->running == 0; });
            if (m.progress != progress || m.resident.size() != ended) {
                idle_rounds = 0;
                continue;
            }
            // Nobody got on: what is under way completes one by one; without any it is a deadlock, after the chance of
            // waits that fail by luck and of long computations.
            if (m.complete_bulk(true))
                continue;
            if (++idle_rounds > most_idle_rounds)
                report_deadlock();
        }
        while (m.complete_bulk(true)) {
        }
    }
};

void machine::load(const std::string& source)
{
    program = parse(source);
    for (const variable& v : program.variables) {
        if (v.space != "global" && v.space != "const")
            continue;
        std::vector<std::uint8_t> bytes(std::max<std::uint64_t>(v.bytes, 1));
        for (std::size_t i = 0; i < v.initial.size(); ++i)
            std::memcpy(bytes.data() + i * v.element_bytes, &v.initial[i], v.element_bytes);
        globals[v.name] = memory.add(v.name, bytes.data(), bytes.size(), v.space == "global");
    }
}

void machine::launch(const std::string& kernel_name, const std::vector<std::uint8_t>& arguments,
                     const launch_options& o)
{
    const auto found = program.functions.find(kernel_name);
    if (found == program.functions.end() || !found->second.is_entry)
        throw fault("no kernel " + kernel_name);
    options = o;
    for (std::size_t i = 0; i < 3; ++i)
        if (o.cluster[i] == 0 || o.grid[i] % o.cluster[i] != 0)
            throw fault("a grid of " + std::to_string(o.grid[i]) + " blocks in clusters of " +
                        std::to_string(o.cluster[i]) + " along dimension " + std::to_string(i));
    if (kernel != &found->second) {
        kernel = &found->second;
        assemble(*this, *kernel);
    }
    if (const auto limit = kernel->directives.find("maxntid"); limit != kernel->directives.end()) {
        std::uint64_t most = 1;
        for (const std::uint64_t x : limit->second)
            most *= x;
        if (std::uint64_t{o.block[0]} * o.block[1] * o.block[2] > most)
            throw fault("more threads than .maxntid");
    }
    if (arguments.size() != parameters->bytes.size())
        throw fault("the kernel takes " + std::to_string(parameters->bytes.size()) + " bytes of parameters, not " +
                    std::to_string(arguments.size()));
    parameters->bytes = arguments;
    std::fill(parameters->states.begin(), parameters->states.end(), byte_state::valid);
    parameters->writable = false;
    resident.clear();
    bulk.clear();
    pipes.clear();
    unreleased_maps.clear();
    time = 1;
    executed = progress = 0;
    counts_by_pc.assign(code.size(), 0);
    held.clear();
    if (o.behind)
        hold_memory();
    scheduler(*this).run();
    if (!held.empty())
        throw fault("the grid ends without griddepcontrol.wait, and the launch in front of it may still run");
    for (std::size_t i = 0; i < code.size(); ++i)
        if (counts_by_pc[i] != 0)
            counts[code[i].source->text()] += counts_by_pc[i];
}

} // namespace ptx
