// Launches that start before the one in front has ended: what they may touch before and behind the wait for it.
#include "hopper.hpp"

#include <tegula/arch/nvidia/dependent_launch.hpp>

using namespace hopper;

namespace {

/// Two blocks of two waves, behind a launch that reads `in` and writes `made`, in every order of lanes and waves.
struct second_launch
{
    std::vector<float> in = counting(64), made = counting(64), out = std::vector<float>(64);
    emu::run_config config = one_block();

    second_launch()
    {
        config.grid = {2, 1, 1};
        config.overlaps_previous = true;
        config.previous.read(in.data(), 256, "in").write(made.data(), 256, "made");
        config.memory.write(in.data(), 256, "x").write(made.data(), 256, "y").write(out.data(), 256, "out");
    }
    /// Each of the first 32 lanes of a block has its own element.
    static int place() { return emu::block_id().x * 32 + target::lane_id(); }
    float* of(std::vector<float>& x) const { return x.data() + place(); }
    static float load(const float* from)
    {
        float value;
        emu::load_global<4>(&value, from);
        return value;
    }
    static void store(float* to, float value) { emu::store_global<4>(to, &value); }

    template <class Kernel>
    void expect(const std::vector<std::string>& texts, const Kernel& kernel)
    {
        for (const int order : {0, -1, 1, 2}) {
            INFO("order " << order);
            config.order = order;
            const emu::launch_result result = emu::launch(config, [&] { kernel(*this); });
            if (texts.empty())
                expect_fine(result);
            else
                expect_misuse(result, texts);
        }
    }
};

} // namespace

TEST_CASE("memory of the launch in front is touched behind the wait", "[emulator]")
{
    second_launch g;
    g.expect({}, [](second_launch& l) { // what it only reads may be read at once
        if (target::wave_id() == 0)
            l.store(l.of(l.out), l.load(l.of(l.in)));
        wait_for_previous_grid();
        if (target::wave_id() == 0)
            l.store(l.of(l.in), l.load(l.of(l.made)));
    });
    g.expect({}, [](second_launch& l) { // one lane waits, and a barrier tells the others
        if (target::thread_id() == 40)
            wait_for_previous_grid();
        target::block_barrier();
        if (target::wave_id() == 0)
            l.store(l.of(l.out), l.load(l.of(l.made)));
        launch_next_grid();
    });
    g.expect({"global load of 4 bytes in made, which the launch before may still be writing",
              "call wait_for_previous_grid() before it"},
             [](second_launch& l) {
                 if (target::wave_id() == 0)
                     l.store(l.of(l.out), l.load(l.of(l.made)));
                 wait_for_previous_grid();
             });
    g.expect({"global store of 4 bytes in in, which the launch before may still be reading"}, [](second_launch& l) {
        if (target::wave_id() == 0)
            l.store(l.of(l.in), 1);
        wait_for_previous_grid();
    });
    g.expect({"in made, which the launch before may still be writing"}, [](second_launch& l) { // nobody told them
        if (target::wave_id() == 1)
            wait_for_previous_grid();
        else
            l.store(l.of(l.out), l.load(l.of(l.made)));
    });
    g.expect({"in made, which the launch before may still be writing"}, [](second_launch& l) {
        launch_next_grid(); // is no wait
        if (target::thread_id() == 0)
            emu::atomic_add(l.of(l.made), 1.f);
        wait_for_previous_grid();
    });
}

TEST_CASE("bulk copies of what the launch in front writes", "[emulator]")
{
    second_launch g;
    const auto copy = [](second_launch& l, bool waits) {
        make_barriers(1, 1);
        if (target::thread_id() == 0) {
            if (waits)
                wait_for_previous_grid();
            mbarrier_arrive_expect(barrier(), 128);
            bulk_load(emu::shared_memory(), l.of(l.made), 128, barrier());
        }
        mbarrier_wait(barrier(), 0);
        if (target::wave_id() == 0) // behind the wait of the lane that copied
            l.store(l.of(l.out), take<float>(target::lane_id()));
        wait_for_previous_grid();
    };
    g.expect({}, [&](second_launch& l) { copy(l, true); });
    g.expect({"bulk load of 128 bytes in made, which the launch before may still be writing"},
             [&](second_launch& l) { copy(l, false); });
}

TEST_CASE("blocks that do not wait, and launches that wait for nobody", "[emulator]")
{
    second_launch g;
    g.expect({"the block returns without wait_for_previous_grid()", "call it in every block"}, [](second_launch&) {
        if (emu::block_id().x == 1)
            wait_for_previous_grid();
    });
    g.config.overlaps_previous = false;
    g.expect({}, [](second_launch& l) {
        if (target::wave_id() == 0)
            l.store(l.of(l.out), l.load(l.of(l.made)));
    });
    g.config.chip = &chip::sm_80;
    expect_misuse(emu::launch(g.config, [] { wait_for_previous_grid(); }),
                  {"the chip has no programmatic dependent launch"});
    g.config.overlaps_previous = true;
    CHECK(emu::launch(g.config, [] {}).status.message() ==
          std::string("emulator: a launch that overlaps the one before; sm_80 has no programmatic dependent launch"));
}
