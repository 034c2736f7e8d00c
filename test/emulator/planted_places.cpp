// Planted bugs of what lies where: arrays that overlap, atomic operations of several widths on one place, two calls on one
// line, places that an atomic exchange comes to first, waves that wait for others by atomic operations.
#include "planted.hpp"

#include <tegula/arch/amd/async_copy.hpp>
#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>

using namespace planted;

namespace {

using target = tegula::arch::gfx942;

int lane() { return emu::lane_id(); }
int wave() { return emu::wave_id(); }
int thread() { return emu::thread_id(); }
void barrier_if(bool right)
{
    if (right)
        emu::block_barrier();
}
int shuffled(int x, int source, tegula::call_site where = tegula::call_site::here())
{
    emu::shuffle(&x, &x, 4, source, where);
    return x;
}
template <class T>
T* as(void* at, int i = 0)
{
    return static_cast<T*>(at) + i;
}
int plus_one(int x) { return x + 1; }
long plus_long(long x) { return x + 1; }

} // namespace

TEST_CASE("pairs: arrays of a launch that overlap", "[emulator]")
{
    ground g;
    // Floats [0, 1022) are left, [512, 1536) right, and parts of the same allocation are given to be read.
    std::vector<float> memory(2560, 1.f);
    float* const m = memory.data();
    g.refills = [m](ground& x) {
        x.config.memory = {};
        x.config.memory.write(m, 4096 - 8, "left")
            .write(m + 512, 4096, "right")
            .read(m + 1500, 1024, "tail")
            .read(m + 1900, 128, "apart");
    };
    const std::vector<std::string> race = {"races with the write of wave", "races with the read of wave"};
    const auto wide = [](float* at, bool store) {
        float4 v{};
        store ? emu::store_global<16>(at, &v) : emu::load_global<16>(&v, at);
    };
    /// Lane 3 of one wave does the first, lane 6 of the other the second.
    const auto expect_race = [&](const char* name, const auto& first, const auto& second) {
        expect(name, g, race, [&](ground&, bool right) {
            if (thread() == 3)
                first();
            barrier_if(right);
            if (thread() == 70)
                second();
        });
    };
    expect_race(
        "a store to the first, a load that runs out of it", [&] { store(m + 1020, 1.f); },
        [&] { wide(m + 1020, false); });
    expect_race(
        "a vector across the end of the first, and one in it", [&] { wide(m + 1020, true); },
        [&] { store(m + 1021, 2.f); });
    expect_race(
        "a store to the second, a vector of what is only read", [&] { store(m + 1535, 1.f); },
        [&] {
            float4 v;
            emu::load_global<16>(&v, m + 1532); // of both
            emu::load_global<16>(&v, m + 1536); // to be read alone
        });
    expect_race(
        "a vector across the end of what is writable",
        [&] {
            const double v = 0;
            emu::store_global<8>(m + 1534, &v);
        },
        [&] { load(m + 1534); });
    g.config.grid = {2, 1, 1};
    expect("two blocks, one through each", g, {"which block (0, 0, 0), wave "}, [&](ground&, bool right) {
        if (thread() >= 16)
            return;
        if (emu::block_id().x == 0)
            store(m + 1006 + thread(), 1.f);
        else
            wide(m + (right ? 1024 : 1020) + 4 * thread(), true);
    });
    expect_fine(run(g.config, [&] { load(m + 1900 + (thread() & 31)); }));
}

TEST_CASE("pairs: atomic operations of two widths", "[emulator]")
{
    ground g;
    const std::vector<std::string> widths = {"they are not atomic to each other"};
    expect_pairs(g, {{"32 and 64 bits of shared memory", widths,
                      [](ground&, bool right) {
                          put<int>(thread(), 0);
                          emu::block_barrier();
                          if (wave() == 0)
                              emu::shared_atomic(shared<int>(right ? 5 : 1), plus_one);
                          else
                              emu::shared_atomic(shared<long>(), plus_long);
                      }},
                     {"by lanes of one wave", widths,
                      [](ground&, bool right) {
                          put<int>(thread(), 0);
                          emu::block_barrier();
                          if (thread() == 7)
                              emu::shared_atomic(shared<long>(3), plus_long);
                          if (right)
                              emu::wave_barrier();
                          if (thread() == 9)
                              emu::shared_atomic(shared<int>(7), plus_one);
                      }},
                     {"16 bits and an addition of float", widths,
                      [](ground&, bool right) {
                          put<int>(thread(), 0);
                          emu::block_barrier();
                          emu::atomic_add(shared<float>(wave()), 1.f);
                          barrier_if(right);
                          if (thread() == 100)
                              emu::shared_atomic(shared<short>(2), [](short x) { return x; });
                      }},
                     {"in global memory", widths, [](ground& m, bool right) {
                          if (wave() == 0)
                              emu::atomic_add(as<int>(m.out.data(), right ? 2 : 1), 1);
                          else
                              emu::global_atomic(as<long>(m.out.data()), plus_long);
                      }}});
    g.config.grid = {2, 1, 1};
    expect_pairs(g, {{"of two blocks", {"of two widths are not atomic to each other"}, [](ground& m, bool right) {
                          if (emu::block_id().x == 0)
                              emu::global_atomic(as<long>(m.out.data()), plus_long);
                          else
                              emu::global_atomic(as<int>(m.out.data(), right ? 2 : 0), plus_one);
                      }}});
}

// clang-format off: two calls on one line are what is tested
TEST_CASE("pairs: two calls on one line", "[emulator]")
{
    ground g;
    g.config.block_threads = 256;
    const std::vector<std::string> skipped = {": each is skipped by part of the wave"};
    expect_pairs(g, {
        {"barriers", skipped, [](ground&, bool right) { if (right || lane() < 7) emu::wave_barrier(); else emu::wave_barrier(); }},
        {"block barriers", skipped, [](ground&, bool right) { right || lane() == 63 ? emu::block_barrier() : emu::block_barrier(); }},
        {"shuffles", skipped, [](ground&, bool right) { right || lane() % 2 == 0 ? shuffled(1, 0) : shuffled(2, 0); }},
        {"ballots", skipped, [](ground&, bool right) { if (right || lane() != 12) emu::ballot(true); else emu::ballot(false); }},
        {"votes of lambdas", skipped, [](ground&, bool right) { const auto vote = [](bool x) { return x ? emu::ballot(true) : emu::ballot(false); }; vote(right || lane() > 0); }},
        {"named barriers", skipped, [](ground&, bool right) { if (right || lane() < 32) emu::named_barrier(3, 256); else emu::named_barrier(3, 256); }},
        {"uniform values", {"uniform varies: "}, [](ground&, bool right) { emu::uniform(1); emu::uniform(right ? 2 : lane()); }}});
}
// clang-format on

TEST_CASE("pairs: what an atomic exchange finds", "[emulator]")
{
    ground g;
    expect_pairs(g, {{"the first value of a place nobody wrote",
                      {"of a register that was never written"},
                      [](ground& m, bool right) {
                          const int before =
                              target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(), thread() + 1);
                          const int mine = right ? 0 : before;
                          emu::store_global<4>(m.to(thread()), &mine);
                      }},
                     {"the same of a workspace",
                      {"of a register that was never written"},
                      [](ground& m, bool right) {
                          const float before =
                              target::global_atomic<tegula::atomic_op::exchange>(m.work.data() + 3, 1.f);
                          store(m.to(thread()), right ? 0 : before + 1);
                      }},
                     {"a sum of it",
                      {"which nobody wrote"},
                      [](ground&, bool right) {
                          if (right && thread() == 0)
                              target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(), 0);
                          emu::block_barrier();
                          target::shared_atomic<tegula::atomic_op::add>(shared<int>(), 1);
                      }},
                     {"a plain read behind it",
                      {"races with the atomic addition of", "which nobody wrote"},
                      [](ground&, bool right) {
                          if (thread() == 70)
                              target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(2), 0);
                          barrier_if(right);
                          if (thread() == (right ? 3 : 71))
                              take<int>(2);
                      }}});
}

TEST_CASE("waves that wait for each other by atomic operations, in every order", "[emulator]")
{
    ground g;
    g.config.checks = GENERATE(true, false);
    g.config.block_threads = 256;
    for (const int order : orders) {
        INFO("order " << order);
        g.config.order = order;
        g.config.patience = 5;
        g.refill();
        int flag = 0;
        g.config.memory.write(&flag, 4, "flag");
        // Each wave waits for the one behind it.
        expect_fine(run(g.config, [] {
            if (thread() < 8)
                put<int>(thread(), 0);
            emu::block_barrier();
            if (lane() != 0)
                return;
            while (wave() < 3 && target::shared_atomic<tegula::atomic_op::add>(shared<int>(wave() + 1), 0) == 0)
                ;
            target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(wave()), 1);
        }));
        // A lock, by comparison and by exchange, and a flag in global memory.
        expect_fine(run(g.config, [&] {
            if (thread() < 8)
                put<int>(thread(), 0);
            emu::block_barrier();
            if (lane() == 0) {
                while (target::shared_compare_exchange(shared<int>(), 0, 1) != 0)
                    ;
                target::shared_atomic<tegula::atomic_op::add>(shared<int>(1), 1);
                target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(), 0);
                while (target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(2), 1) != 0)
                    ;
                target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(2), 0);
                if (wave() == 2)
                    target::global_atomic<tegula::atomic_op::exchange>(&flag, 1);
                while (target::global_atomic<tegula::atomic_op::max>(&flag, 0) == 0)
                    ;
            }
            emu::block_barrier();
            if (take<int>(1) != 4)
                emu::fail("a wave is missing", "");
        }));
    }
}

TEST_CASE("pairs: copies that a wave counts, whoever takes part", "[emulator]")
{
    ground g;
    g.config.chip = &tegula::chip::gfx1250;
    g.config.block_threads = 64;
    using copies = tegula::arch::amd::async_copies;
    const auto copy = [](ground& m, int i, bool valid) {
        copies::async_copy<4>(shared<float>(64 * i + thread()), m.in.data() + 64 * i + thread(), valid);
    };
    const std::vector<std::string> flight = {"in flight"};
    expect("the lanes of the newer copies are others", g, flight, [&](ground&, bool right) {
        // Half of the lanes copy first, the others behind them; one may be left.
        copy(g, 0, lane() < 16);
        copy(g, 1, lane() >= 16);
        copies::async_wait_newest<1>();
        if (right ? lane() < 16 : lane() >= 16)
            take<float>(lane() < 16 ? thread() : 64 + thread());
        copies::async_wait<0>();
    });
    expect("copies in a branch", g, flight, [&](ground&, bool right) {
        if (lane() < 4)
            copy(g, 0, true);
        copy(g, 1, true);
        copies::async_wait_newest<1>();
        if (!right)
            take<float>(64 + thread());
        if (lane() < 4)
            take<float>(thread());
        copies::async_wait<0>();
    });
    expect("copies that nobody takes part in count for nothing", g, flight, [&](ground&, bool right) {
        copy(g, 0, true);
        for (int i = 1; i < 4; ++i)
            copy(g, i, lane() == 40); // of no lane
        if (right)
            copy(g, 4, lane() == 3);
        copies::async_wait_newest<1>();
        take<float>(thread());
        copies::async_wait<0>();
    });
}
