// setmaxnreg: what the warpgroups of a block have in registers, and who waits for whose.

#include "hopper.hpp"

using namespace hopper;

namespace {

/// Three warpgroups, which start with 168 registers a lane: 65536 / 384 in eights.
emu::run_config three_warpgroups()
{
    emu::run_config config = one_block();
    config.block_threads = 384;
    return config;
}

int warpgroup() { return emu::wave_id() / 4; }

} // namespace

TEST_CASE("consumers wait for the registers that the producer gives back", "[emulator]")
{
    int order[3] = {};
    int passed = 0;
    emu::run_config config = three_warpgroups();
    config.checks = false; // the kernel counts in memory of the host
    config.cpu_threads = 1;
    const auto result = run(config, [&] {
        if (warpgroup() == 2)
            decrease_registers<40>();
        else
            increase_registers<232>();
        if (target::thread_id() % 128 == 127)
            order[warpgroup()] = ++passed;
    });
    REQUIRE(result.status.ok());
    CHECK(order[2] == 1); // though it comes last
    CHECK(order[0] + order[1] == 5);
}

TEST_CASE("an increase past the block's registers is a deadlock", "[emulator]")
{
    expect_misuse(run(three_warpgroups(),
                      [] {
                          if (warpgroup() == 0)
                              decrease_registers<40>();
                          else
                              increase_registers<240>();
                      }),
                  {"waits at setmaxnreg.inc for 240 registers a lane: it has 168, and 8 are free",
                   "let other warpgroups decrease theirs first"});
    expect_misuse(run(three_warpgroups(), [] { increase_registers<176>(); }),
                  {"deadlock: wave 0 waits at setmaxnreg.inc for 176 registers a lane: it has 168, and 0 are free"});
}

TEST_CASE("setmaxnreg that goes the wrong way, or not with the whole warpgroup", "[emulator]")
{
    expect_misuse(run(three_warpgroups(), [] { decrease_registers<176>(); }),
                  {"setmaxnreg.dec to 176 registers a lane; it has 168", "or increase"});
    expect_misuse(run(three_warpgroups(), [] { increase_registers<160>(); }),
                  {"setmaxnreg.inc to 160 registers a lane; it has 168", "or decrease"});
    expect_misuse(run(three_warpgroups(),
                      [] {
                          if (emu::wave_id() % 4 == 3)
                              decrease_registers<32>();
                          else
                              decrease_registers<40>();
                      }),
                  {"setmaxnreg.dec to 32 registers, where another wave of the warpgroup asks for 40"});
    expect_misuse(run(three_warpgroups(),
                      [] {
                          if (emu::lane_id() < 16)
                              decrease_registers<40>();
                      }),
                  {"setmaxnreg.dec", "returned from the kernel"});
}
