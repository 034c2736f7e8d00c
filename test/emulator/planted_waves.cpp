// Planted bugs of what whole waves do: values that are one for all lanes, instructions that every wave of a group takes part
// in, loops that never end, locks that lanes take from each other.
#include "planted_hopper.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/emulator/interruption.hpp>

using namespace planted;

namespace {

float load_buffer(const float* base, std::uint32_t bytes)
{
    float4 v;
    emu::load_buffer<16>(&v, base, bytes, 0);
    return v.x[0];
}

} // namespace

TEST_CASE("values that vary among the lanes that come by", "[emulator]")
{
    ground g;
    expect_pairs(g, {{"half of the wave",
                      {"uniform varies: "},
                      [](ground&, bool right) {
                          if (emu::lane_id() < 32)
                              emu::uniform(right ? 7 : emu::lane_id() / 30);
                      }},
                     {"one of three lanes",
                      {"uniform varies: "},
                      [](ground&, bool right) {
                          if (emu::lane_id() % 20 == 3)
                              emu::uniform(right || emu::lane_id() != 43 ? 7 : 8);
                          emu::block_barrier();
                      }},
                     {"a round of many, in half of the wave",
                      {"uniform varies: "},
                      [](ground&, bool right) {
                          for (int i = 0; i < 9 && emu::lane_id() % 2 == 0; ++i)
                              emu::uniform(!right && i == 7 && emu::lane_id() == 12 ? 80 : i);
                      }},
                     {"each branch has its own",
                      {"uniform varies: "},
                      [](ground&, bool right) {
                          if (emu::lane_id() < 9)
                              emu::uniform(1);
                          else
                              emu::uniform(right || emu::lane_id() < 50 ? 2 : 3);
                      }},
                     {"the base of a buffer", {"the base or the length of a buffer varies"}, [](ground& m, bool right) {
                          if (emu::lane_id() < 11)
                              load_buffer(m.in.data() + (right ? 0 : 4 * emu::lane_id()), 64);
                      }}});
    // Lanes in different rounds of a loop.
    expect_fine(run(g.config, [] {
        for (int i = 0; i < 3; ++i)
            if (emu::lane_id() < 2 && (i == emu::lane_id() || i == emu::lane_id() + 1))
                emu::uniform(i);
    }));
}

TEST_CASE("direct loads whose place or buffer varies, or that lies elsewhere", "[emulator]")
{
    using target = tegula::arch::gfx950;
    ground g;
    g.config.chip = &tegula::chip::gfx950;
    g.config.block_threads = 64;
    expect_pairs(
        g,
        {{"the place",
          {"the place of a direct load varies"},
          [](ground& m, bool right) {
              const int lane = emu::lane_id();
              target::load_direct({m.in.data(), 4096}, static_cast<std::uint32_t>(16 * lane),
                                  emu::shared_memory() + (right || lane < 32 ? 0 : 1024));
              target::direct_barrier<0>();
          }},
         {"the place of half of the wave",
          {"the place of a direct load varies"},
          [](ground& m, bool right) {
              const int lane = emu::lane_id();
              if (lane < 16)
                  target::load_direct({m.in.data(), 4096}, static_cast<std::uint32_t>(16 * lane),
                                      emu::shared_memory() + (right ? 0 : 16 * lane));
              target::direct_barrier<0>();
          }},
         {"the base of the buffer",
          {"the base or the length of a buffer varies"},
          [](ground& m, bool right) {
              const int lane = emu::lane_id();
              target::load_direct({m.in.data() + (right ? 0 : 4 * lane), 1024},
                                  static_cast<std::uint32_t>(right ? 16 * lane : 0), emu::shared_memory());
              target::direct_barrier<0>();
          }},
         {"the end of the buffer", {"buffer of 4096 bytes at byte 64 of in, out of bounds"}, [](ground& m, bool right) {
              target::load_direct({m.in.data() + 16, right ? 4032u : 4096u},
                                  static_cast<std::uint32_t>(16 * emu::lane_id()), emu::shared_memory());
              target::direct_barrier<0>();
          }}});
}

TEST_CASE("what every lane of a wave takes part in", "[emulator]")
{
    ground g;
    g.config.chip = &tegula::chip::sm_80;
    expect_pairs(g, {{"half of the wave",
                      {"uniform is reached by lanes 0-15 of the wave alone"},
                      [](ground&, bool right) {
                          if (right || emu::lane_id() < 16)
                              emu::uniform(5);
                          emu::block_barrier();
                      }},
                     {"a branch each",
                      {"uniform is reached by lanes 0-15 of the wave alone", "uniform is reached by lanes 16-31"},
                      [](ground&, bool right) {
                          if (right || emu::lane_id() < 16)
                              emu::uniform(5);
                          else
                              emu::uniform(5);
                      }},
                     {"a round more", {"uniform is reached by lane 4 of the wave alone"}, [](ground&, bool right) {
                          for (int i = 0; i < (right || emu::lane_id() != 4 ? 3 : 4); ++i)
                              emu::uniform(i);
                      }}});
    // A wave may do without.
    expect_fine(run(g.config, [] {
        if (emu::wave_id() == 1)
            emu::uniform(5);
    }));
}

TEST_CASE("setmaxnreg by part of a warpgroup", "[emulator]")
{
    using namespace hopper;
    hopper_ground g;
    g.config.block_threads = 256;
    g.config.shared_bytes = 1024;
    expect_pairs(g, {{"three of four waves",
                      {"setmaxnreg 0 times by wave 2, and 1 times by wave 0 of its warpgroup"},
                      [](ground&, bool right) {
                          if (right || wave() != 2)
                              decrease_registers<40>();
                      }},
                     {"one of four",
                      {"setmaxnreg 0 times by wave 5, and 1 times by wave 4 of its warpgroup"},
                      [](ground&, bool right) {
                          if (wave() == 4 || (right && wave() > 4))
                              decrease_registers<40>();
                      }},
                     {"three of four do it again",
                      {"setmaxnreg 1 times by wave 3, and 2 times by wave 0 of its warpgroup"},
                      [](ground&, bool right) {
                          decrease_registers<40>();
                          if (wave() / 4 == 1 || right || wave() != 3)
                              increase_registers<56>();
                      }}});
}

#if TEGULA_EMULATOR_SIGNALS // not with a sanitizer, which has handlers of its own
TEST_CASE("loops of barriers and votes that never end", "[emulator]")
{
    ground g;
    // Right kernels go round a few hundred times.
    const auto expect_again = [](ground& at, const pair& p) {
        at.config.patience = 0.05;
        for (const int order : {0, 2}) {
            INFO(p.name << ", order " << order);
            at.config.order = order;
            at.refill();
            expect_misuse(run(at.config, [&] { p.kernel(at, false); }), {"the wave comes here again and again"});
            at.refill();
            expect_fine(run(at.config, [&] { p.kernel(at, true); }));
        }
    };
    const pair pairs[] = {{"a flag that nobody sets, behind a barrier",
                           {},
                           [](ground& m, bool right) {
                               int round = 0;
                               do {
                                   emu::block_barrier();
                               } while (load(m.to(0)) == 2.f && !(right && ++round == 300));
                           }},
                          {"a vote that is never lost",
                           {},
                           [](ground&, bool right) {
                               int round = 0;
                               while (emu::ballot(!right || ++round < 300) != 0)
                                   ;
                           }},
                          {"a counter in shared memory", {}, [](ground&, bool right) {
                               put<int>(emu::thread_id(), 0);
                               for (int i = 0; !right || i < 300; ++i) {
                                   put<int>(emu::thread_id(), take<int>(emu::thread_id()) + 1);
                                   emu::block_barrier();
                               }
                           }}};
    for (const pair& p : pairs)
        expect_again(g, p);
    hopper_ground h;
    expect_again(h, {"an mbarrier that turns for nothing", {}, [](ground& m, bool right) {
                         begin(1, 64);
                         for (int i = 0; (!right || i < 300) && load(m.to(0)) == 2.f; ++i) {
                             hopper::mbarrier_arrive(hopper::barrier());
                             hopper::mbarrier_wait(hopper::barrier(), i % 2);
                         }
                     }});
    // A loop that goes on to other places may take its time.
    g.config.order = 0;
    g.config.patience = 0.01;
    g.refill();
    expect_fine(run(g.config, [&] {
        for (int i = 0; i < 4096; ++i) {
            load(g.in.data() + i % 1024);
            load(g.to(i / 1024));
            emu::block_barrier();
        }
    }));
}
#endif

namespace {

/// A lock in shared or in global memory, taken by comparing or by exchanging, by all lanes of all waves.
template <bool Shared, bool Compares>
void locked_by_all(ground& m, bool right)
{
    int* const lock = Shared ? shared<int>() : reinterpret_cast<int*>(m.to(0));
    if (emu::thread_id() == 0) {
        const int zero = 0;
        if (Shared)
            put<int>(0, 0);
        else
            emu::store_global<4>(lock, &zero);
    }
    emu::block_barrier();
    const auto change = [&](const auto& how, tegula::call_site where = tegula::call_site::here()) {
        return Shared ? emu::shared_atomic(lock, how, where) : emu::global_atomic(lock, how, where);
    };
    const auto take_it = [&] { return change([](int old) { return Compares && old != 0 ? old : 1; }) == 0; };
    const auto work = [&] {
        emu::thread_fence(tegula::thread_scope::block);
        store(&m.total, load(&m.total) + 1.f);
        emu::thread_fence(tegula::thread_scope::block);
        change([](int) { return 0; });
    };
    if (!right) {
        while (!take_it())
            ;
        work();
        return;
    }
    bool done = false;
    while (emu::ballot(!done) != 0)
        if (!done && take_it()) {
            work();
            done = true;
        }
}

} // namespace

TEST_CASE("a lock that lanes of one wave take from each other", "[emulator]")
{
    ground g;
    for (const tegula::chip_info* chip : {&tegula::chip::gfx942, &tegula::chip::gfx1201}) {
        g.config.chip = chip;
        g.config.block_threads = 2 * chip->wave_size;
        const std::vector<std::string> texts = {" of its own wave changes memory behind the loop"};
        expect("shared, compared", g, texts, locked_by_all<true, true>);
        expect("shared, exchanged", g, texts, locked_by_all<true, false>);
        expect("global, compared", g, texts, locked_by_all<false, true>);
        expect("global, exchanged", g, texts, locked_by_all<false, false>);
    }
    // Lanes of NVIDIA's GPUs go on by themselves.
    g.config.chip = &tegula::chip::sm_80;
    for (const int order : orders) {
        g.config.order = order;
        g.refill();
        expect_fine(run(g.config, [&] { locked_by_all<false, true>(g, false); }));
        CHECK(g.total == static_cast<float>(g.config.block_threads));
    }
    // Lanes that count and look at what they counted take nothing from each other.
    g.config.chip = &tegula::chip::gfx942;
    g.config.block_threads = 128;
    g.config.order = 0;
    g.refill();
    expect_fine(run(g.config, [&] {
        if (emu::thread_id() == 0)
            put<int>(0, 0);
        emu::block_barrier();
        for (int round = 1; round <= 3; ++round) {
            emu::shared_atomic(shared<int>(), [](int old) { return old + 1; });
            while (emu::shared_atomic(shared<int>(), [](int old) { return old; }) < round * 128)
                ;
        }
    }));
}

namespace {

/// Each lane of each wave takes a ticket.
template <bool Shared>
void tickets_of_all(ground& m, bool right)
{
    int* const next = Shared ? shared<int>() : reinterpret_cast<int*>(m.to(0));
    if (emu::thread_id() < 2) {
        const int zero = 0;
        if (Shared)
            put<int>(emu::thread_id(), 0);
        else
            emu::store_global<4>(next + emu::thread_id(), &zero);
    }
    emu::block_barrier();
    const auto plus = [&](int* at, int n, tegula::call_site where = tegula::call_site::here()) {
        const auto change = [n](int old) { return old + n; };
        return Shared ? emu::shared_atomic(at, change, where) : emu::global_atomic(at, change, where);
    };
    const auto work = [&] {
        emu::thread_fence(tegula::thread_scope::block);
        store(&m.total, load(&m.total) + 1.f);
        emu::thread_fence(tegula::thread_scope::block);
        plus(next + 1, 1);
    };
    const int mine = plus(next, 1);
    if (!right) {
        while (plus(next + 1, 0) != mine)
            ;
        work();
        return;
    }
    bool done = false;
    while (emu::ballot(!done) != 0)
        if (!done && plus(next + 1, 0) == mine) {
            work();
            done = true;
        }
}

} // namespace

TEST_CASE("tickets that lanes of one wave take", "[emulator]")
{
    ground g;
    for (const tegula::chip_info* chip : {&tegula::chip::gfx942, &tegula::chip::gfx1201}) {
        g.config.chip = chip;
        g.config.block_threads = 2 * chip->wave_size;
        const std::vector<std::string> texts = {" of its own wave changes memory behind the loop"};
        expect("shared", g, texts, tickets_of_all<true>);
        expect("global", g, texts, tickets_of_all<false>);
    }
    g.config.chip = &tegula::chip::sm_80;
    for (const int order : orders) {
        g.config.order = order;
        g.refill();
        expect_fine(run(g.config, [&] { tickets_of_all<false>(g, false); }));
        CHECK(g.total == static_cast<float>(g.config.block_threads));
        g.refill();
        expect_fine(run(g.config, [&] { tickets_of_all<true>(g, false); }));
    }
}
