#include "memory_operations.hpp"

#include <tegula/host/emulated_device.hpp>

// Two waves and copies in lanes, of a tile of three dimensions; the same of one wave; copies in a second wave. More seeds are
// in test/grid.
TEST_CASE("masked and atomic accesses of random tiles on gfx942", "[tensor]")
{
    check_memory<arch::gfx942, int, 213>();
}
TEST_CASE("masked and atomic accesses of random tiles on gfx1100", "[tensor]")
{
    check_memory<arch::gfx1100, std::int64_t, 214>();
}
TEST_CASE("masked and atomic accesses of random tiles on sm_80", "[tensor]")
{
    check_memory<arch::sm_80, unsigned, 257>();
}

namespace {

/// Each block takes a ticket, adds its number to a sum, and half of them add to the sum without looking.
struct tickets
{
    using target = arch::sm_80;
    static constexpr int block_threads = 32;
    int *next, *taken, *seen;
    float* sum;

    TEGULA_HOST_DEVICE void operator()() const
    {
        const int block = target::block_id()[0];
        if (target::thread_id() != 0)
            return;
        target::atomic_add(sum, 0.5f);
        taken[block] = target::global_atomic<atomic_op::add>(next, 1);
        seen[block] = static_cast<int>(target::global_atomic<atomic_op::add>(sum, 0.25f) * 4);
    }
};

} // namespace

TEST_CASE("what atomic operations of blocks return is the same from run to run", "[tensor]")
{
    constexpr int blocks = 40;
    std::vector<int> next(1), taken(blocks), seen(blocks);
    std::vector<float> sum(1);
    emulated_device device;
    device.config.cpu_threads = 4;
    device.config.memory.write(next.data(), 4, "next").write(taken.data(), blocks * 4, "taken");
    device.config.memory.write(seen.data(), blocks * 4, "seen").write(sum.data(), 4, "sum");
    const status s =
        launch(device, launch_config{.grid = {blocks}}, tickets{next.data(), taken.data(), seen.data(), sum.data()});
    INFO(device.result.report);
    REQUIRE(s.ok());
    for (int i = 0; i < blocks; ++i) {
        CHECK(taken[static_cast<std::size_t>(i)] == i);
        CHECK(seen[static_cast<std::size_t>(i)] == 3 * i + 2); // in quarters, what its own addition gave included
    }
    CHECK(next[0] == blocks);
    CHECK(sum[0] == 0.75f * blocks);
}
