// Counters: by the chip's rules, and the same however the launch is run.
#include "support.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

emu::run_config one_wave(const tegula::chip_info& chip)
{
    emu::run_config config = two_waves();
    config.chip = &chip;
    config.block_threads = chip.wave_size;
    config.shared_bytes = 32768;
    return config;
}

} // namespace

TEST_CASE("shared memory conflicts are counted a wave access at a time", "[emulator]")
{
    // Columns of a 32 x 32 float tile: 31 extra cycles a store; rows: none.
    emu::launch_result result = run(one_wave(tegula::chip::sm_80), [] {
        const int lane = emu::lane_id();
        for (int i = 0; i < 4; ++i)
            put<float>(lane * 32 + i, 1.f);
        emu::wave_barrier();
        for (int i = 0; i < 4; ++i)
            take<float>(lane * 32 + i);
        put<float>(2048 + lane, 1.f);
    });
    expect_fine(result);
    CHECK(result.counters.shared_stores == 5);
    CHECK(result.counters.shared_loads == 4);
    CHECK(result.counters.shared_store_conflicts == 4 * 31);
    CHECK(result.counters.shared_load_conflicts == 4 * 31);
    CHECK(result.counters.wave_barriers == 1);
    CHECK(result.counters.shared_bytes == 32768);
}

TEST_CASE("the chip's own phases decide", "[emulator]")
{
    // 16-byte reads of 128-byte rows with the classic swizzle: free on gfx942, two-way on gfx950.
    const auto kernel = [] {
        const int lane = emu::lane_id();
        for (int i = 0; i < 4; ++i)
            put<float4>(lane * 4 + i, {});
        emu::wave_barrier();
        const int row = lane % 32;
        take<float4>(row * 8 + (lane / 32 ^ (row & 7)));
    };
    const emu::launch_result a = run(one_wave(tegula::chip::gfx942), kernel);
    const emu::launch_result b = run(one_wave(tegula::chip::gfx950), kernel);
    expect_fine(a);
    expect_fine(b);
    CHECK(a.counters.shared_load_conflicts == 0);
    CHECK(b.counters.shared_load_conflicts == 4);
}

TEST_CASE("masked lanes keep their place in the count", "[emulator]")
{
    // Lanes 0-7 read one column in the first access, the others in the second.
    const emu::launch_result result = run(one_wave(tegula::chip::sm_80), [] {
        const int lane = emu::lane_id();
        for (int i = 0; i < 8; ++i)
            put<float>(lane * 8 + i, 1.f);
        emu::wave_barrier();
        float value = 0;
        emu::load_shared<4>(&value, shared<float>(lane % 8 * 32), lane < 8);
        emu::load_shared<4>(&value, shared<float>(lane), lane >= 8);
    });
    expect_fine(result);
    CHECK(result.counters.shared_loads == 2);
    CHECK(result.counters.shared_load_conflicts == 7);
}

TEST_CASE("sectors are counted once a wave access", "[emulator]")
{
    std::vector<float> data(4096);
    emu::run_config config = one_wave(tegula::chip::gfx942);
    config.memory.write(data.data(), data.size() * 4, "data");
    const emu::launch_result result = run(config, [&] {
        const int lane = emu::lane_id();
        float4 v{};
        emu::load_global<16>(&v, data.data() + lane * 4); // 1024 bytes in a row: 32 sectors
        emu::load_global<4>(&v, data.data() + lane * 64); // one sector a lane
        emu::load_global<4>(&v, data.data() + 4000);      // one for all
        emu::wave_barrier();
        emu::store_global<4>(data.data() + lane, &v);           // 8
        emu::store_global<4>(data.data() + lane, &v, lane < 4); // 1
        emu::store_global<4>(data.data() + lane, &v, false);    // not issued
    });
    expect_fine(result);
    CHECK(result.counters.global_loads == 3);
    CHECK(result.counters.global_load_sectors == 32 + 64 + 1);
    CHECK(result.counters.global_stores == 2);
    CHECK(result.counters.global_store_sectors == 8 + 1);
}

TEST_CASE("asynchronous copies count on both sides", "[emulator]")
{
    std::vector<float> data(4096);
    emu::run_config config = one_wave(tegula::chip::sm_80);
    config.memory.read(data.data(), data.size() * 4, "data");
    const emu::launch_result result = run(config, [&] {
        const int lane = emu::lane_id();
        emu::async_copy<16>(shared<float4>(lane * 2), data.data() + lane * 4, lane < 16);
        emu::async_commit();
        emu::async_wait<0>();
    });
    expect_fine(result);
    CHECK(result.counters.async_copies == 1);
    CHECK(result.counters.global_load_sectors == 8);
    CHECK(result.counters.shared_store_conflicts == 4);
}

TEST_CASE("long runs between meetings are counted whole", "[emulator]")
{
    const emu::launch_result result = run(two_waves(), [] {
        put<int>(emu::thread_id(), 1);
        for (int i = 0; i < 1000; ++i)
            take<int>(emu::thread_id());
        // Part of the lanes does more, then they meet again.
        if (emu::lane_id() < 3)
            for (int i = 0; i < 700; ++i)
                take<int>(emu::thread_id());
        emu::block_barrier();
    });
    expect_fine(result);
    CHECK(result.counters.shared_loads == 2 * 1700);
    CHECK(result.counters.shared_load_conflicts == 0);
    CHECK(result.counters.barriers == 1);
}

TEST_CASE("results, counters and reports do not depend on the CPU threads", "[emulator]")
{
    struct outcome
    {
        std::vector<float> out;
        emu::counters counters;
        std::string report;
        bool operator==(const outcome&) const = default;
    };
    const auto once = [](int cpu_threads, bool misuse, bool lowest_is_slow = false) {
        outcome o;
        o.out.assign(32 * 128, 0.f);
        float total = 0;
        emu::run_config config = two_waves();
        config.grid = {32, 1, 1};
        config.cpu_threads = cpu_threads;
        config.memory.write(o.out.data(), o.out.size() * 4, "out").write(&total, 4, "total");
        const emu::launch_result result = run(config, [&] {
            const int t = emu::thread_id();
            const int block = emu::block_id().x;
            if (misuse && (block == 9) == lowest_is_slow) // other blocks fail before this one, or after
                for (int i = 0; i < 500; ++i)
                    emu::wave_barrier();
            for (int k = 0; k < 3 + block % 7; ++k) {
                put<float>(t * 5 % 128, static_cast<float>(t + k));
                emu::block_barrier();
                float sum = take<float>(t);
                emu::shuffle(&sum, &sum, 4, emu::lane_id() ^ 3);
                emu::store_global<4>(&o.out[static_cast<std::size_t>(block * 128 + t)], &sum);
                emu::atomic_add(&total, 1.f / static_cast<float>(3 + t + block));
                if (!misuse || block < 9)
                    emu::block_barrier();
            }
        });
        CHECK(result.status.ok() == !misuse);
        o.out.push_back(total);
        if (misuse) // what later blocks wrote before the end is not promised
            o.out.clear();
        else
            o.counters = result.counters;
        o.report = result.report;
        return o;
    };
    const outcome expected = once(1, false);
    const outcome broken = once(1, true);
    const outcome broken_late = once(1, true, true);
    CHECK(contains(broken.report, "block (9, 0, 0)"));
    CHECK(contains(broken_late.report, "block (9, 0, 0)"));
    for (int cpu_threads : {1, 2, 3, 8})
        for (int repeat = 0; repeat < 3; ++repeat) {
            CHECK(once(cpu_threads, false) == expected);
            CHECK(once(cpu_threads, true) == broken);
            CHECK(once(cpu_threads, true, true) == broken_late);
        }
}

TEST_CASE("of two failing blocks the lower is reported, whichever fails first", "[emulator]")
{
    const int first = GENERATE(0, 1);
    emu::run_config config = two_waves();
    config.grid = {2, 1, 1};
    config.cpu_threads = 2;
    std::atomic<int> started{0};
    expect_misuse(run(config,
                      [&] {
                          ++started;
                          while (started < 2) // both blocks are under way
                              std::this_thread::yield();
                          if (emu::block_id().x != first)
                              std::this_thread::sleep_for(std::chrono::milliseconds(30));
                          emu::fail("stopped", "do not");
                      }),
                  {"block (0, 0, 0)"});
}
