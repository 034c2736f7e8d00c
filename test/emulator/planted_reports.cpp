// What reports say of planted bugs, in every order of lanes and waves: both accesses, the element, a remedy that every wave
// can follow; and lanes that never end or that the processor stops.
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
    expect_report(g, {"of processor time and met nobody", who}, [&](ground&, bool right) {
        emu::block_barrier();
        while (thread() == 70 && for_ever && !right)
            ;
    });
    expect_report(g, {"of processor time and met nobody", who}, [&](ground& m, bool right) {
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
