// Reports on planted bugs, in every order of lanes and waves. They name both accesses, the element, and a remedy that
// every wave can follow. Other tests have lanes that never end or that the processor stops.
#include "planted.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/emulator/interruption.hpp>
#include <tegula/tensor.hpp>

using namespace planted;

namespace {

using target = tegula::arch::gfx942;
using tile = tegula::coalesced<target, float, 16, 16, 1>;

int thread() { return emu::thread_id(); }

/// The first `rows` rows of 16 of an array of 32.
auto first_rows(const float* data, int rows)
{
    using namespace tegula;
    return make_tensor_view<target, address_space::global>(
        data, make_strided_descriptor(make_tuple(rows, 16), make_tuple(16, constant<1>{}), constant<4>{}), "rows");
}

/// The kernel with the bug is reported with every one of `texts`, the other is fine.
void expect_report(ground& g, const std::vector<std::string>& texts,
                   const std::function<void(ground&, bool right)>& kernel)
{
    for (const int order : orders) {
        INFO("order " << order);
        g.config.order = order;
        g.refill();
        expect_misuse(run(g.config, [&] { kernel(g, false); }), texts);
        g.refill();
        expect_fine(run(g.config, [&] { kernel(g, true); }));
    }
}

} // namespace

TEST_CASE("blocks at one element: wave, lane, line of both, and the element", "[emulator]")
{
    ground g;
    g.config.grid = {2, 1, 1};
    for (const bool writes : {true, false})
        expect_report(g,
                      {"block (1, 0, 0), wave 1, lane 7 (thread 71)",
                       writes
                           ? "the block writes bytes 80 to 83 of out, which block (0, 0, 0), wave 0, lane 20 (thread "
                             "20) writes too at test/emulator/planted.hpp:"
                           : "the block reads bytes 80 to 83 of out, which block (0, 0, 0), wave 0, lane 20 (thread "
                             "20) writes too at test/emulator/planted.hpp:",
                       "  line:   test/emulator/planted", "  where:  element (1, 7) of result", "  remedy: "},
                      [writes](ground& m, bool right) {
                          const int block = emu::block_id().x;
                          const int column = !right && block == 1 && thread() == 71 ? 20 : 128 * block + thread();
                          const tegula::index_t x[] = {block, thread() % 64};
                          emu::set_element("result", x, 2);
                          if (block == 1 && !writes)
                              load(m.to(column));
                          else
                              store(m.to(column), 1.f);
                      });
}

TEST_CASE("the remedy of a race is a barrier that every wave comes through", "[emulator]")
{
    ground g;
    expect("in a branch of one wave", g, {"which nobody wrote yet: wave 0", "races with the write of wave 0"},
           [](ground&, bool right) {
               if (emu::wave_id() == 0)
                   put<int>(emu::lane_id(), 1);
               if (right)
                   emu::block_barrier();
               if (emu::wave_id() == 1)
                   take<int>(emu::lane_id());
           });
    for (const int order : orders) {
        g.config.order = order;
        expect_misuse(run(g.config,
                          [] {
                              if (emu::wave_id() == 0)
                                  put<int>(emu::lane_id(), 1);
                              if (emu::wave_id() == 1)
                                  take<int>(emu::lane_id());
                          }),
                      {"block_barrier() between", "where every wave of the block comes through"});
    }
}

TEST_CASE("rows that a window does not have, though the array has them", "[emulator]")
{
    ground g;
    expect_report(g, {"an access to an element that the view does not have", "  where:  element (", " of rows"},
                  [](ground& m, bool right) {
                      tegula::distributed_tensor<float, tile> in;
                      const auto window =
                          tegula::make_tile_window<tile>(first_rows(m.in.data(), 24), {right ? 8 : 16, 0});
                      tegula::load<tegula::bounds::unchecked>(in, window);
                  });
}

#if TEGULA_EMULATOR_SIGNALS // not with a sanitizer, which has handlers of its own
TEST_CASE("lanes that never end, or that the processor stops, in every order", "[emulator]")
{
    ground g;
    const std::string who = "block (0, 0, 0), wave 1, lane 6 (thread 70)";
    volatile bool for_ever = true;
    volatile int zero = 0, result = 0;
    g.config.patience = 0.1;
    expect_report(g, {"of processor time and met no other lane", who}, [&](ground&, bool right) {
        emu::block_barrier();
        while (thread() == 70 && for_ever && !right)
            ;
    });
    expect_report(g, {"of processor time and met no other lane", who}, [&](ground& m, bool right) {
        while (thread() == 70 && load(m.to(0)) == (right ? 3.f : 2.f)) // nobody changes it
            ;
    });
    expect_report(g, {"(SIGFPE)", who}, [&](ground&, bool right) {
        emu::wave_barrier();
        if (thread() == 70)
            result = 1000 / (zero + (right ? 1 : 0));
    });
    expect_report(g, {"memory at 0x40 is not there (SIGSEGV)", who}, [&](ground&, bool right) {
        if (thread() == 70 && !right)
            *reinterpret_cast<volatile int*>(zero + 64) = 0;
    });
}
#endif

TEST_CASE("the remedy of a race: all waves, and none where a lock is held", "[emulator]")
{
    ground g;
    // Lanes of one wave come first, but the other wave touches the place, too.
    expect_misuse(run(g.config,
                      [] {
                          put<int>(thread(), 1);
                          take<int>((thread() + 1) % 128);
                      }),
                  {"put wave_barrier() between", "or block_barrier() if other waves touch the place, too"});
    g.config.block_threads = 64;
    CHECK(!contains(run(g.config,
                        [] {
                            put<int>(thread(), 1);
                            take<int>((thread() + 1) % 64);
                        })
                        .report,
                    "block_barrier()"));
    g.config.block_threads = 128;
    for (const int order : orders) {
        g.config.order = order;
        const emu::launch_result result = run(g.config, [] {
            if (thread() < 2)
                put<int>(thread(), 0);
            emu::block_barrier();
            if (emu::lane_id() != 0)
                return;
            while (target::shared_compare_exchange(shared<int>(), 0, 1) != 0)
                ;
            put<int>(1, take<int>(1) + 1);
            target::shared_atomic<tegula::atomic_op::exchange>(shared<int>(), 0);
        });
        expect_misuse(result, {"put a thread_fence() behind the one that acquires and before the one that releases"});
        CHECK(!contains(result.report, "block_barrier()"));
    }
}

TEST_CASE("blocks at one element of what was changed in place", "[emulator]")
{
    // Which element a block writes depends on what it read: a second run finds what the first one did.
    ground g;
    g.config.grid = {4, 1, 1};
    g.config.cpu_threads = GENERATE(1, 3);
    std::vector<int> next(512);
    int tickets = 0;
    g.refills = [&](ground& m) {
        for (int i = 0; i < 512; ++i)
            next[static_cast<std::size_t>(i)] = i;
        tickets = 0;
        m.config.memory.write(next.data(), 2048, "next").write(&tickets, 4, "tickets");
    };
    expect_report(
        g,
        {"block (2, 0, 0), wave 1, lane 3 (thread 67)",
         "of out, which block (0, 0, 0), wave 1, lane 3 (thread 67) writes too at test/emulator/planted.hpp:"},
        [&](ground& m, bool right) {
            const int block = emu::block_id().x;
            const int ticket = thread() == 67 ? emu::global_atomic(&tickets, [](int x) { return x + 1; }) : block;
            int* const mine = &next[static_cast<std::size_t>(128 * block + thread())];
            int i = 0;
            emu::load_global<4>(&i, mine);
            const int then = i + 1000000;
            emu::store_global<4>(mine, &then);
            store(m.to(!right && ticket == 2 && thread() == 67 ? i - 256 : i), 1.f);
        });
}

TEST_CASE("a null pointer, and lanes that called no primitive", "[emulator]")
{
    ground g;
    expect_misuse(
        run(g.config, [&] { load(reinterpret_cast<float*>(std::intptr_t{4} * thread())); }),
        {"global load of 4 bytes at byte 0 of a null pointer", "remedy: give the kernel the address of the array"});
    expect_misuse(run(g.config, [&] { store(reinterpret_cast<float*>(std::intptr_t{256} * thread()), 0.f); }),
                  {"at byte 0 of a null pointer"});
    const auto before = reinterpret_cast<float*>(std::intptr_t{-12});
    expect_misuse(run(g.config, [&] { load(before); }), {"at byte -12 of a null pointer"});
#if TEGULA_EMULATOR_SIGNALS
    volatile int zero = 0, result = 0;
    expect_misuse(run(g.config, [&] { result = 1000 / zero; }),
                  {"(SIGFPE)", "line:   the lane had called no primitive"});
    volatile bool for_ever = true;
    g.config.patience = 0.1;
    expect_misuse(run(g.config,
                      [&] {
                          while (for_ever)
                              ;
                      }),
                  {"the lane ran for 0.1 s of processor time"});
#endif
}
