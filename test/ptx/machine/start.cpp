// The state that a cluster begins with: its blocks, their memory, and the registers of its warps. PTX ISA: "Special Registers".

#include "decode.hpp"

#include <algorithm>

namespace ptx {

namespace {

void set_special_registers(warp& w)
{
    machine& m = w.in();
    const launch_options& o = m.options;
    const block& b = *w.of;
    const std::array<std::uint32_t, 3> at = cluster_at(o, b.of->id), &shape = o.cluster;
    const auto rank = static_cast<std::uint32_t>(b.rank);
    int r = 0;
    const auto set = [&](auto f) {
        for (int lane = 0; lane < lanes; ++lane)
            w.value(r)[lane] = static_cast<std::uint64_t>(f(lane));
        std::fill_n(w.poisoned(r), lanes, std::uint8_t{0});
        ++r;
    };
    const auto same = [&](std::uint64_t x) { set([x](int) { return x; }); };
    set([&](int lane) { return static_cast<std::uint32_t>(w.thread(lane)) % o.block[0]; });
    set([&](int lane) { return static_cast<std::uint32_t>(w.thread(lane)) / o.block[0] % o.block[1]; });
    set([&](int lane) { return static_cast<std::uint32_t>(w.thread(lane)) / o.block[0] / o.block[1]; });
    for (const auto* three : {&o.block, &b.id, &o.grid})
        for (const std::uint32_t x : *three)
            same(x);
    set([](int lane) { return lane; });
    same(static_cast<std::uint64_t>(w.index));
    same(b.warps.size());
    for (const std::uint32_t x :
         {at[0], at[1], at[2], o.grid[0] / shape[0], o.grid[1] / shape[1], o.grid[2] / shape[2]})
        same(x);
    for (const std::uint32_t x : {b.id[0] % shape[0], b.id[1] % shape[1], b.id[2] % shape[2], shape[0], shape[1],
                                  shape[2], rank, o.cluster_blocks()})
        same(x);
    set([](int lane) { return 1u << lane; });
    set([](int lane) { return static_cast<std::uint32_t>((std::uint64_t{2} << lane) - 1); });
    set([](int lane) { return (1u << lane) - 1; });
    set([](int lane) { return ~((1u << lane) - 1); });
    set([](int lane) { return ~static_cast<std::uint32_t>((std::uint64_t{2} << lane) - 1); });
    same(o.shared_bytes);
    same(b.shared->bytes.size());
    same(m.pick(4)); // a multiprocessor
    same(4);
    for (int clock = 0; clock < 4; ++clock)
        same(m.time);
    for (const auto& [address, reg] : m.shared_addresses) {
        r = reg;
        same(std::uint64_t{rank} << window::rank_bit | address);
    }
}

/// The registers that a thread of a kernel with setmaxnreg begins with; 0 where no directive limits it, and setmaxnreg has no effect
/// ("setmaxnreg", "Performance-Tuning Directives"). ptxas gives no more than the greatest setmaxnreg asks for.
int registers_of(const machine& m)
{
    const function& kernel = *m.kernel;
    const auto product = [&](const char* name) {
        const auto found = kernel.directives.find(name);
        std::uint64_t all = found == kernel.directives.end() ? 0 : 1;
        for (std::size_t i = 0; all != 0 && i < found->second.size(); ++i)
            all *= found->second[i];
        return all;
    };
    std::uint64_t limit = (product("maxnreg") + 7) / 8 * 8;
    const std::uint64_t threads = std::max(product("maxntid"), product("reqntid"));
    if (const std::uint64_t blocks = product("minnctapersm"); limit == 0 && blocks != 0 && threads != 0)
        limit = 65536 / (blocks * ((threads + lanes - 1) / lanes * lanes)) / 8 * 8;
    return std::min(static_cast<int>(limit), m.most_registers);
}

void start_warp(block& b, int index)
{
    const machine& m = *b.of->of;
    warp& w = b.warps[static_cast<std::size_t>(index)];
    const std::uint32_t threads = m.options.block[0] * m.options.block[1] * m.options.block[2];
    w.of = &b;
    w.index = index;
    w.number = b.rank * static_cast<int>(b.warps.size()) + index;
    const std::size_t all = b.of->blocks.size() * b.warps.size(), own_clock = static_cast<std::size_t>(w.number);
    w.clock.shared.assign(all, 0);
    w.clock.tensor.assign(2 * all, 0);
    w.clock.shared[own_clock] = w.clock.tensor[own_clock] = 1;
    const int own = std::min<int>(lanes, static_cast<int>(threads) - index * lanes);
    w.live = own == lanes ? all_lanes : (lane_mask{1} << own) - 1;
    const std::size_t count = m.registers.size() * lanes;
    w.values.assign(count, 0xdededededededede);
    w.poison.assign(count, 0xff);
    w.uses.assign(m.registers.size(), register_use::none);
    w.accessed_in.assign(m.registers.size(), ~std::uint32_t{0});
    w.carry.fill(no_carry);
    w.register_limit = registers_of(m);
    for (int lane = 0; lane < lanes; ++lane)
        w.local.push_back(std::make_unique<region>("local memory", 0, m.local_bytes));
    set_special_registers(w);
    w.groups = {{0, w.live, group::kind::running, false}};
}

} // namespace

void start_cluster(machine& m, std::uint32_t id)
{
    const launch_options& o = m.options;
    auto c = std::make_unique<cluster>();
    c->of = &m;
    c->id = id;
    const std::array<std::uint32_t, 3> first = first_block(o, id), &shape = o.cluster;
    const std::uint32_t threads = o.block[0] * o.block[1] * o.block[2];
    for (std::uint32_t rank = 0; rank < o.cluster_blocks(); ++rank) {
        auto b = std::make_unique<block>();
        b->of = c.get();
        b->rank = static_cast<int>(rank);
        b->id = {first[0] + rank % shape[0], first[1] + rank / shape[0] % shape[1],
                 first[2] + rank / shape[0] / shape[1]};
        const std::uint64_t size = m.static_shared - window::shared_base + o.shared_bytes;
        b->shared = std::make_unique<region>("shared memory", window::shared_base, size, true);
        b->shared->accesses.written_at.resize(size);
        b->shared->accesses.written_by.resize(size);
        b->shared->accesses.read_at.resize(size * o.cluster_blocks() * ((threads + lanes - 1) / lanes));
        b->threads.resize((threads + lanes - 1) / lanes * lanes);
        b->running = static_cast<int>(threads);
        c->running += b->running;
        b->warps = std::vector<warp>((threads + lanes - 1) / lanes);
        c->blocks.push_back(std::move(b));
    }
    for (auto& b : c->blocks)
        for (std::size_t i = 0; i < b->warps.size(); ++i)
            start_warp(*b, static_cast<int>(i));
    m.resident.push_back(std::move(c));
}

} // namespace ptx
