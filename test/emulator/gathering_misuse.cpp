// Barriers and wave operations that part of the lanes skip, and blocks that cannot go on.
#include "support.hpp"

namespace {

struct nothing
{};

void matrix(const char* name)
{
    nothing mine;
    emu::wave_operation(name, emu::operation_kind::matrix, mine, [](nothing* const*, int) {});
}

} // namespace

TEST_CASE("lanes return while the others wait at a barrier", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::thread_id() == 77)
                              return;
                          emu::block_barrier();
                      }),
                  {"block_barrier", "wave 1, lane", "skip"});
    expect_misuse(
        run(two_waves(),
            [] {
                if (emu::lane_id() > 3)
                    return;
                emu::wave_barrier();
            }),
        {"the lane returned from the kernel while lanes 0-3 of its wave wait in wave_barrier", "wave 0, lane 4"});
    expect_fine(run(two_waves(), [] {
        emu::wave_barrier();
        emu::block_barrier();
        if (emu::thread_id() == 77)
            return;
    }));
}

TEST_CASE("lanes have returned before the others come to an operation", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::lane_id() < 8 || emu::lane_id() == 20)
                              return;
                          matrix("mfma_f32_32x32x8");
                      }),
                  {"mfma_f32_32x32x8 is skipped by part of the wave: lanes 0-7 returned from the kernel"});
}

TEST_CASE("lanes of a wave are in different operations", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::lane_id() < 32)
                              matrix("mfma_a");
                          else
                              matrix("mfma_b");
                      }),
                  {"mfma_b is reached while lanes 0-31 of the wave wait in mfma_a", "wave 0, lane 32"});
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::lane_id() % 2 == 0)
                              emu::wave_barrier();
                          emu::block_barrier();
                      }),
                  {"block_barrier is reached while lane 0 of the wave wait in wave_barrier"});
    expect_fine(run(two_waves(), [] {
        if (emu::wave_id() == 0)
            matrix("mfma_a");
        else
            matrix("mfma_b");
    }));
}

TEST_CASE("the same name may have several addresses", "[emulator]")
{
    static const char here[] = "mfma_x";
    static const char there[] = "mfma_x";
    expect_fine(run(two_waves(), [] { matrix(emu::lane_id() % 3 == 0 ? here : there); }));
}

TEST_CASE("a shuffle that part of the lanes skip, or from a lane that is not there", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          int x = 0;
                          if (emu::lane_id() < 16)
                              emu::shuffle(&x, &x, 4, 20);
                      }),
                  {"lanes 0-15 of its wave wait in shuffle at test/emulator/gathering_misuse.cpp:", ", which it skips",
                   "wave 0, lane 16"});
    expect_misuse(run(two_waves(),
                      [] {
                          int x = 0;
                          emu::shuffle(&x, &x, 4, emu::lane_id() + 1);
                      }),
                  {"shuffle reads lane 64, which the wave of 64 lanes does not have", "wave 0, lane 63"});
    emu::run_config config = two_waves();
    config.block_threads = 96;
    expect_misuse(run(config,
                      [] {
                          int x = 0;
                          emu::shuffle(&x, &x, 4, emu::lane_id() ^ 32);
                      }),
                  {"shuffle reads lane 32, which the wave of 32 lanes does not have", "wave 1, lane 0"});
    expect_fine(run(two_waves(), [] {
        int x = 0;
        emu::shuffle(&x, &x, 4, emu::lane_id() ^ 32);
    }));
}

TEST_CASE("a matrix instruction needs a whole wave", "[emulator]")
{
    emu::run_config config = two_waves();
    config.block_threads = 96;
    expect_misuse(run(config, [] { matrix("mfma_a"); }),
                  {"mfma_a in a wave of 32 lanes; the instruction takes 64", "wave 1"});
}

TEST_CASE("a wave skips the block barrier", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::wave_id() == 0)
                              emu::block_barrier();
                      }),
                  {"deadlock: wave 0 waits at block_barrier; wave 1 returned from the kernel"});
}

TEST_CASE("waves wait at different barriers", "[emulator]")
{
    expect_misuse(
        run(two_waves(),
            [] {
                if (emu::wave_id() == 0)
                    emu::named_barrier(1, 128);
                else
                    emu::named_barrier(2, 128);
            }),
        {"deadlock: wave 0 waits at named_barrier 1 for 1 more of 2 waves; wave 1 waits at named_barrier 2 for 1 "
         "more of 2 waves"});
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::wave_id() == 0)
                              emu::block_barrier();
                          else
                              emu::named_barrier(3, 128);
                      }),
                  {"wave 0 waits at block_barrier; wave 1 waits at named_barrier 3"});
}

TEST_CASE("named barriers that cannot be", "[emulator]")
{
    expect_misuse(run(two_waves(), [] { emu::named_barrier(16, 128); }), {"named_barrier 16 does not exist"});
    expect_misuse(run(two_waves(), [] { emu::named_barrier(0, 128); }), {"named_barrier 0 does not exist"});
    expect_misuse(run(two_waves(), [] { emu::named_barrier(1, 100); }), {"named_barrier 1 for 100 threads"});
    expect_misuse(run(two_waves(), [] { emu::named_barrier(1, 192); }), {"named_barrier 1 for 192 threads"});
    expect_misuse(run(two_waves(), [] { emu::named_barrier(1 + emu::lane_id() / 32, 128); }),
                  {"named_barrier 2 is reached while lanes 0-31 of the wave wait in named_barrier 1"});
    emu::run_config config = two_waves();
    config.block_threads = 192;
    expect_misuse(run(config, [] { emu::named_barrier(1, emu::wave_id() == 0 ? 128 : 192); }),
                  {"is reached for 192 threads here and for 128 by another wave"});
}

TEST_CASE("misuse of operations is found with checks off too", "[emulator]")
{
    emu::run_config config = two_waves();
    config.checks = false;
    expect_misuse(run(config,
                      [] {
                          if (emu::wave_id() == 0)
                              emu::block_barrier();
                      }),
                  {"deadlock"});
}
