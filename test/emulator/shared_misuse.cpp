// Shared memory: what nobody wrote, races between waves and inside one, bounds, alignment; each beside its mended twin.
#include "support.hpp"

TEST_CASE("reading shared memory that nobody wrote", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          const int t = emu::thread_id();
                          if (t != 9)
                              put<float>(t, 1.f);
                          emu::block_barrier();
                          const tegula::index_t x[] = {2, t};
                          emu::set_element("a_tile", x, 2);
                          take<float>(t);
                      }),
                  {"shared load of 4 bytes at shared memory byte 36, which nobody wrote",
                   "block (0, 0, 0), wave 0, lane 9 (thread 9)", "element (2, 9) of a_tile"});
    expect_fine(run(two_waves(), [] {
        put<float>(emu::thread_id(), 1.f);
        emu::block_barrier();
        take<float>(emu::thread_id());
    }));
}

TEST_CASE("atomic additions to shared memory", "[emulator]")
{
    const auto count = [](bool cleared, bool barrier) {
        return run(two_waves(), [=] {
            const auto bins = reinterpret_cast<int*>(emu::shared_memory());
            if (cleared && emu::thread_id() < 4)
                put<int>(emu::thread_id(), 10);
            emu::block_barrier();
            emu::atomic_add(&bins[emu::thread_id() % 4], 1); // lanes and waves at the same bytes, in any order
            if (barrier)
                emu::block_barrier();
            if (take<int>(emu::thread_id() % 4) != 10 + emu::block_threads() / 4 && barrier)
                emu::fail("a wrong sum", "");
        });
    };
    expect_fine(count(true, true));
    expect_misuse(count(false, true), {"atomic_add of 4 bytes at shared memory byte", "which nobody wrote"});
    expect_misuse(count(true, false), {"races with the"});
    expect_misuse(run(two_waves(),
                      [] {
                          const auto bins = reinterpret_cast<std::byte*>(emu::shared_memory());
                          put<int>(emu::thread_id(), 1);
                          emu::block_barrier();
                          emu::atomic_add(reinterpret_cast<int*>(bins + 2), 1);
                      }),
                  {"atomic_add of 4 bytes at shared memory byte 2, misaligned"});
}

TEST_CASE("a block does not see what the block before it wrote", "[emulator]")
{
    emu::run_config config = two_waves();
    config.grid = {2, 1, 1};
    expect_misuse(run(config,
                      [] {
                          if (emu::block_id().x == 0)
                              put<int>(emu::thread_id(), 1);
                          emu::block_barrier();
                          take<int>(emu::thread_id());
                      }),
                  {"which nobody wrote", "block (1, 0, 0)"});
}

TEST_CASE("a read that races with another wave's write", "[emulator]")
{
    const auto kernel = [](bool barrier) {
        return [barrier] {
            const int t = emu::thread_id();
            put<int>(t, t);
            if (barrier)
                emu::block_barrier();
            take<int>(t ^ 64);
        };
    };
    // Wave 1 is the one that finds the other's value there.
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::wave_id() == 0)
                              put<int>(emu::lane_id(), 1);
                          else
                              take<int>(emu::lane_id());
                      }),
                  {"races with the write of wave 0, lane 0", "wave 1, lane 0", "put block_barrier()"});
    CHECK(!run(two_waves(), kernel(false)).status.ok());
    expect_fine(run(two_waves(), kernel(true)));
}

TEST_CASE("a wave barrier does not order two waves", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::wave_id() == 0)
                              put<int>(emu::lane_id(), 1);
                          emu::wave_barrier();
                          if (emu::wave_id() == 1)
                              take<int>(emu::lane_id());
                      }),
                  {"races with the write of wave 0"});
}

TEST_CASE("a write that races with another wave's read", "[emulator]")
{
    // The classic missing second barrier: wave 1, last at the barrier, reads first; wave 0 already writes again.
    const auto kernel = [](bool barrier) {
        return [barrier] {
            const int t = emu::thread_id();
            put<int>(t, t);
            emu::block_barrier();
            if (t >= 64)
                take<int>(t - 64);
            if (barrier)
                emu::block_barrier();
            if (t < 64)
                put<int>(t, 2 * t);
        };
    };
    expect_misuse(run(two_waves(), kernel(false)),
                  {"shared store of 4 bytes at shared memory byte 0 races with the read of wave 1, lane 0",
                   "wave 0, lane 0", "put block_barrier() between the read and this write"});
    expect_fine(run(two_waves(), kernel(true)));
}

TEST_CASE("two waves write the same bytes", "[emulator]")
{
    expect_misuse(run(two_waves(), [] { put<int>(emu::lane_id(), 1); }),
                  {"shared store of 4 bytes", "races with the write of wave 0, lane 0", "wave 1, lane 0"});
    expect_fine(run(two_waves(), [] {
        if (emu::wave_id() == 0)
            put<int>(emu::lane_id(), 1);
        emu::block_barrier();
        if (emu::wave_id() == 1)
            put<int>(emu::lane_id(), 1);
    }));
}

TEST_CASE("lanes of a wave exchange values without wave_barrier", "[emulator]")
{
    const auto kernel = [](bool barrier) {
        return [barrier] {
            const int t = emu::thread_id();
            put<int>(t, t);
            if (barrier)
                emu::wave_barrier();
            take<int>(t ^ 1);
        };
    };
    // Lane 1 reads what lane 0 wrote; lane 0 reads what nobody has written yet.
    expect_misuse(run(two_waves(), kernel(false)), {"which nobody wrote"});
    expect_misuse(run(two_waves(),
                      [] {
                          put<int>(emu::thread_id(), 1);
                          take<int>(emu::thread_id() & ~1);
                      }),
                  {"races with the write of wave 0, lane 0", "wave 0, lane 1", "put wave_barrier()"});
    expect_fine(run(two_waves(), kernel(true)));
}

TEST_CASE("a shuffle does not order shared memory", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          int x = 0;
                          put<int>(emu::thread_id(), 1);
                          emu::shuffle(&x, &x, 4, 0);
                          take<int>(emu::thread_id() ^ 1);
                      }),
                  {"put wave_barrier()"});
}

TEST_CASE("writes after reads and after writes inside a wave", "[emulator]")
{
    const auto before = [] {
        put<int>(emu::thread_id(), 1);
        emu::block_barrier();
    };
    expect_misuse(run(two_waves(),
                      [&] {
                          before();
                          take<int>(emu::thread_id());
                          if (emu::lane_id() == 40)
                              put<int>(emu::thread_id() - 1, 3);
                      }),
                  {"races with the read of wave 1, lane 39", "wave 1, lane 40",
                   "put wave_barrier() between the read and this write"});
    expect_misuse(run(two_waves(),
                      [&] {
                          before();
                          take<int>(64);
                          if (emu::thread_id() == 126) // the last to run behind the barrier
                              put<int>(64, 3);
                      }),
                  {"races with the read of wave 1, lanes 0-61, 63"});
    expect_misuse(run(two_waves(), [&] { put<int>(emu::thread_id() / 2, 1); }),
                  {"races with the write of wave 0, lane 0", "wave 0, lane 1", "or let one lane write"});
    expect_fine(run(two_waves(), [&] {
        before();
        take<int>(emu::thread_id() ^ 2);
        emu::wave_barrier();
        put<int>(emu::thread_id(), 3);
        put<int>(emu::thread_id(), 4);
        take<int>(emu::thread_id());
    }));
}

TEST_CASE("races are found to the byte", "[emulator]")
{
    // Neighbouring bytes of different waves are nobody's clash.
    expect_fine(run(two_waves(), [] {
        put<char>(2 * emu::lane_id() + emu::wave_id(), 'x');
        take<char>(2 * emu::lane_id() + emu::wave_id());
    }));
    // The record of a wide write survives being looked at through a byte.
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::thread_id() == 0)
                              put<float4>(1, {});
                          emu::block_barrier();
                          put<char>(64 + emu::thread_id(), 'x');
                          take<char>(31);
                          take<char>(32);
                      }),
                  {"shared load of 1 byte at shared memory byte 32, which nobody wrote"});
}

TEST_CASE("named barriers order only those who meet", "[emulator]")
{
    emu::run_config config = two_waves();
    config.block_threads = 192;
    expect_misuse(run(config,
                      [] {
                          put<int>(emu::thread_id(), 1);
                          if (emu::wave_id() < 2)
                              emu::named_barrier(1, 128);
                          else
                              take<int>(0);
                      }),
                  {"races with the write of wave 0, lane 0", "wave 2, lane 0"});
}

TEST_CASE("order is handed on from barrier to barrier", "[emulator]")
{
    emu::run_config config = two_waves();
    config.block_threads = 192;
    expect_fine(run(config, [] {
        if (emu::wave_id() == 0)
            put<int>(emu::lane_id(), 1);
        if (emu::wave_id() < 2)
            emu::named_barrier(1, 128);
        if (emu::wave_id() > 0)
            emu::named_barrier(2, 128);
        if (emu::wave_id() == 2)
            take<int>(emu::lane_id());
    }));
}

TEST_CASE("shared memory out of bounds and misaligned", "[emulator]")
{
    expect_misuse(run(two_waves(), [] { put<int>(1000 + emu::thread_id(), 1); }),
                  {"shared store of 4 bytes at shared memory byte 4096, out of bounds: the block has 4096 bytes",
                   "wave 0, lane 24"});
    expect_misuse(run(two_waves(), [] { take<int>(-1); }), {"shared memory byte -4, out of bounds"});
    expect_misuse(run(two_waves(),
                      [] {
                          float4 v{};
                          emu::store_shared<16>(shared<float>(4 * emu::thread_id() + 2), &v);
                      }),
                  {"shared store of 16 bytes at shared memory byte 8, misaligned"});
    expect_fine(run(two_waves(), [] { put<float4>(emu::thread_id(), {}); }));
}

TEST_CASE("with checks off nothing is looked for", "[emulator]")
{
    emu::run_config config = two_waves();
    config.checks = false;
    expect_fine(run(config, [] { take<int>(emu::thread_id()); }));
}
