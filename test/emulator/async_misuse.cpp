// Asynchronous copies: they arrive at the wait, and nobody touches either end before it.
#include "support.hpp"

namespace {

struct fixture
{
    std::vector<float> in = std::vector<float>(1024);
    emu::run_config config = two_waves();

    fixture()
    {
        for (int i = 0; i < 1024; ++i)
            in[static_cast<std::size_t>(i)] = static_cast<float>(i);
        config.chip = &tegula::chip::sm_80;
        config.shared_bytes = 16384;
        config.memory.write(in.data(), 4096, "in");
    }
    /// 16 bytes a thread from `in` to part `slot` of shared memory.
    void copy(int slot = 0, bool valid = true)
    {
        const int t = emu::thread_id();
        emu::async_copy<16>(shared<float4>(slot * 128 + t), in.data() + 4 * t, valid);
    }
};

} // namespace

TEST_CASE("an async copy arrives at its wait", "[emulator]")
{
    fixture f;
    expect_fine(run(f.config, [&] {
        const int t = emu::thread_id();
        f.copy(0);
        emu::async_commit();
        f.copy(1, t % 2 == 0);
        emu::async_commit();
        emu::async_wait<1>();
        if (take<float4>(t).x[3] != static_cast<float>(4 * t + 3))
            emu::fail("the first group is not there", "");
        emu::async_wait<0>();
        emu::block_barrier();
        const int other = 127 - t;
        if (take<float4>(128 + other).x[0] != (other % 2 == 0 ? static_cast<float>(4 * other) : 0.f))
            emu::fail("the second group is not there, or not filled with zeros", "");
    }));
}

TEST_CASE("with checks off an async copy does the same", "[emulator]")
{
    fixture f;
    f.config.checks = false;
    std::vector<float> out(128);
    expect_fine(run(f.config, [&] {
        f.copy(0, emu::thread_id() != 5);
        emu::async_commit();
        emu::async_wait<0>();
        emu::block_barrier();
        out[static_cast<std::size_t>(emu::thread_id())] = take<float4>(emu::thread_id()).x[1];
    }));
    CHECK(out[4] == 17.f);
    CHECK(out[5] == 0.f);
}

TEST_CASE("reading an async copy before its wait", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.copy();
                          emu::async_commit();
                          take<float4>(emu::thread_id());
                      }),
                  {"shared load of 16 bytes at shared memory byte 0, which an async copy of wave 0, lane 0 at "
                   "test/emulator/async_misuse.cpp:",
                   "has in flight", "line:   test/emulator/support.hpp:"});
    // Waiting leaves the newest group in flight.
    expect_misuse(run(f.config,
                      [&] {
                          f.copy(0);
                          emu::async_commit();
                          f.copy(1);
                          emu::async_commit();
                          emu::async_wait<1>();
                          take<float4>(128 + emu::thread_id());
                      }),
                  {"has in flight", "byte 2048"});
    // A copy that was never committed is not waited for.
    expect_misuse(run(f.config,
                      [&] {
                          f.copy();
                          emu::async_wait<0>();
                          take<float4>(emu::thread_id());
                      }),
                  {"has in flight"});
}

TEST_CASE("reading another lane's async copy without a barrier", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.copy();
                          emu::async_commit();
                          emu::async_wait<0>();
                          take<float4>(emu::thread_id() & ~1);
                      }),
                  {"races with the write of wave 0, lane 0", "wave 0, lane 1"});
}

TEST_CASE("writing to either end of an async copy in flight", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config,
                      [&] {
                          f.copy();
                          put<float4>(emu::thread_id(), {});
                          emu::async_commit();
                      }),
                  {"shared store of 16 bytes", "has in flight"});
    expect_misuse(run(f.config,
                      [&] {
                          f.copy();
                          f.copy();
                      }),
                  {"async copy of 16 bytes", "has in flight"});
    expect_misuse(run(f.config,
                      [&] {
                          f.copy();
                          emu::async_commit();
                          const float changed = -1.f;
                          if (emu::thread_id() == 3)
                              emu::store_global<4>(f.in.data() + 12, &changed);
                          emu::async_wait<0>();
                      }),
                  {"global store of 4 bytes at byte 48 of in, which an async copy or a bulk load is still reading",
                   "wave 0, lane 3"});
}

TEST_CASE("an async copy overwrites what others still read", "[emulator]")
{
    fixture f;
    const auto kernel = [&](bool barrier) {
        return [&f, barrier] {
            f.copy();
            emu::async_commit();
            emu::async_wait<0>();
            emu::block_barrier();
            if (emu::wave_id() == 3) // the last to arrive at a barrier is the first to go on
                take<float4>(emu::lane_id());
            if (barrier)
                emu::block_barrier();
            if (emu::wave_id() == 0)
                f.copy();
        };
    };
    expect_misuse(
        run(f.config, kernel(false)),
        {"async copy of 16 bytes at shared memory byte 0 races with the read of wave 3, lane 0", "wave 0, lane 0"});
    expect_fine(run(f.config, kernel(true)));
}

TEST_CASE("async copies out of bounds and misaligned", "[emulator]")
{
    fixture f;
    expect_misuse(run(f.config, [&] { emu::async_copy<16>(shared<float4>(emu::thread_id()), f.in.data() + 1022); }),
                  {"global load of 16 bytes at byte 4088 of in, out of bounds"});
    expect_misuse(run(f.config, [&] { emu::async_copy<16>(shared<float>(1), f.in.data()); }),
                  {"async copy of 16 bytes at shared memory byte 4, misaligned"});
    expect_misuse(run(f.config, [&] { emu::async_copy<16>(shared<float4>(1024), f.in.data()); }),
                  {"async copy of 16 bytes at shared memory byte 16384, out of bounds"});
    // A copy of nothing may point anywhere.
    expect_fine(run(f.config, [&] { emu::async_copy<16>(shared<float4>(emu::thread_id()), nullptr, false); }));
}

TEST_CASE("copies may be in flight when a kernel ends", "[emulator]")
{
    fixture f;
    f.config.grid = {3, 1, 1};
    expect_fine(run(f.config, [&] {
        f.copy();
        emu::async_commit();
    }));
}
