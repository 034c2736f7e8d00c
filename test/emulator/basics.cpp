// Guarantees to a kernel: numbering, barriers, exchange, waves meeting, deferred additions.
#include "support.hpp"

#include <stdexcept>

TEST_CASE("every thread of every block runs once and knows its place", "[emulator]")
{
    emu::run_config config = two_waves();
    config.grid = {3, 2, 2};
    config.block_threads = 96; // a whole wave and half of one
    std::vector<int> seen(3 * 2 * 2 * 96);
    config.memory.write(seen.data(), seen.size() * sizeof(int), "seen");
    expect_fine(run(config, [&] {
        const emu::extent3 b = emu::block_id();
        const int block = (b.z * 2 + b.y) * 3 + b.x;
        const int value = 1 + emu::thread_id() + 1000 * emu::wave_id() + 100000 * emu::lane_id();
        emu::store_global<4>(&seen[static_cast<std::size_t>(block * 96 + emu::thread_id())], &value);
    }));
    for (int i = 0; i < static_cast<int>(seen.size()); ++i) {
        const int thread = i % 96;
        REQUIRE(seen[static_cast<std::size_t>(i)] == 1 + thread + 1000 * (thread / 64) + 100000 * (thread % 64));
    }
}

TEST_CASE("a block reverses an array through shared memory", "[emulator]")
{
    const bool checks = GENERATE(true, false);
    emu::run_config config = two_waves();
    config.checks = checks;
    std::vector<int> in(128), out(128);
    for (int i = 0; i < 128; ++i)
        in[static_cast<std::size_t>(i)] = 3 * i;
    config.memory.read(in.data(), 512, "in").write(out.data(), 512, "out");
    expect_fine(run(config, [&] {
        const int t = emu::thread_id();
        int value = 0;
        emu::load_global<4>(&value, &in[static_cast<std::size_t>(t)]);
        put(t, value);
        emu::block_barrier();
        value = take<int>(127 - t);
        emu::store_global<4>(&out[static_cast<std::size_t>(t)], &value);
    }));
    for (int i = 0; i < 128; ++i)
        REQUIRE(out[static_cast<std::size_t>(i)] == 3 * (127 - i));
}

TEST_CASE("a wave operation sees the arguments of all lanes and runs once a wave", "[emulator]")
{
    struct arguments
    {
        int mine;
        int sum;
    };
    emu::run_config config = two_waves();
    std::vector<int> sums(128);
    int calls = 0;
    const emu::launch_result result = run(config, [&] {
        for (int round = 0; round < 3; ++round) {
            arguments a{emu::thread_id() + round, 0};
            emu::wave_operation("sum", emu::operation_kind::matrix, a, [&](arguments* const* lanes, int count) {
                ++calls;
                int sum = 0;
                for (int i = 0; i < count; ++i)
                    sum += lanes[i]->mine;
                for (int i = 0; i < count; ++i)
                    lanes[i]->sum = sum;
            });
            sums[static_cast<std::size_t>(emu::thread_id())] = a.sum;
        }
    });
    expect_fine(result);
    CHECK(calls == 6);
    CHECK(result.counters.mma_instructions == 6);
    CHECK(sums[5] == 64 * 63 / 2 + 2 * 64);
    CHECK(sums[127] == 64 * 64 + 64 * 63 / 2 + 2 * 64);
}

TEST_CASE("shuffles exchange values of any size", "[emulator]")
{
    struct big
    {
        int words[40];
    };
    std::vector<int> got(128), wide(128);
    const emu::launch_result result = run(two_waves(), [&] {
        const int lane = emu::lane_id();
        const int mine = emu::thread_id() * 7;
        int other = 0;
        emu::shuffle(&other, &mine, 4, lane ^ 5);
        got[static_cast<std::size_t>(emu::thread_id())] = other;
        big b{};
        b.words[39] = mine;
        emu::shuffle(&b, &b, sizeof(b), 63 - lane); // in place
        wide[static_cast<std::size_t>(emu::thread_id())] = b.words[39];
    });
    expect_fine(result);
    for (int t = 0; t < 128; ++t) {
        REQUIRE(got[static_cast<std::size_t>(t)] == (t ^ 5) * 7);
        REQUIRE(wide[static_cast<std::size_t>(t)] == (t / 64 * 64 + 63 - t % 64) * 7);
    }
    CHECK(result.counters.shuffles == 2 + 2 * 3); // 160 bytes go in three parts
}

TEST_CASE("additions arrive at the end, in the order of blocks", "[emulator]")
{
    // 2^25 swallows single ones: only the order of blocks gives this sum.
    float total = 0;
    int count = 0;
    emu::run_config config = two_waves();
    config.grid = {8, 1, 1};
    config.block_threads = 64;
    config.cpu_threads = GENERATE(1, 4);
    config.memory.write(&total, 4, "total").write(&count, 4, "count");
    expect_fine(run(config, [&] {
        if (emu::lane_id() == 0)
            emu::atomic_add(&total, emu::block_id().x == 1 ? 33554432.f : 1.f);
        emu::atomic_add(&count, 1);
    }));
    CHECK(total == 33554432.f);
    CHECK(count == 512);
}

TEST_CASE("named barriers let part of the waves meet", "[emulator]")
{
    emu::run_config config = two_waves();
    config.block_threads = 192;
    std::vector<int> out(192);
    expect_fine(run(config, [&] {
        const int t = emu::thread_id();
        put(t, t);
        if (emu::wave_id() < 2) {
            emu::named_barrier(1, 128);
            out[static_cast<std::size_t>(t)] = take<int>(t ^ 64);
        }
    }));
    CHECK(out[3] == 67);
    CHECK(out[67] == 3);
}

TEST_CASE("an empty grid runs nothing", "[emulator]")
{
    emu::run_config config = two_waves();
    config.grid = {4, 0, 1};
    bool ran = false;
    expect_fine(run(config, [&] { ran = true; }));
    CHECK(!ran);
}

TEST_CASE("a configuration the chip cannot have is refused", "[emulator]")
{
    emu::run_config config = two_waves();
    config.block_threads = 1025;
    CHECK(contains(run(config, [] {}).status.message(), "gfx942 takes 1 to 1024"));
    config = two_waves();
    config.shared_bytes = 65537;
    CHECK(contains(run(config, [] {}).status.message(), "65537 bytes of shared memory a block; gfx942 has 65536"));
    config = two_waves();
    config.chip = nullptr;
    CHECK(run(config, [] {}).status.code() == tegula::status_code::invalid_argument);
    config = two_waves();
    config.grid = {1, -1, 1};
    CHECK(run(config, [] {}).status.code() == tegula::status_code::invalid_argument);
    config = two_waves();
    expect_fine(run(config, [&] {
        if (run(two_waves(), [] {}).status.code() != tegula::status_code::invalid_argument)
            emu::fail("a launch inside a launch was taken", "");
    }));
}

TEST_CASE("an exception in a kernel becomes a report", "[emulator]")
{
    expect_misuse(run(two_waves(),
                      [] {
                          if (emu::thread_id() == 70)
                              throw std::runtime_error("no such tile");
                      }),
                  {"no such tile", "wave 1, lane 6 (thread 70)"});
    expect_misuse(run(two_waves(), [] { throw 1; }), {"a C++ exception left the kernel"});
}

TEST_CASE("a kernel may stop itself", "[emulator]")
{
    expect_misuse(run(two_waves(), [] { emu::fail("row 3 is empty", "fill it"); }),
                  {"row 3 is empty", "fill it", "lane 0"});
}

TEST_CASE("a report names the launch if it has a name", "[emulator]")
{
    emu::run_config config = two_waves();
    for (const auto& [name, begin] : {std::pair{"softmax", "kernel softmax on gfx942, block (0, 0, 0), wave 0"},
                                      std::pair{emu::run_config{}.kernel_name, "kernel on gfx942, block (0, 0, 0)"}}) {
        config.kernel_name = name;
        const emu::launch_result result = run(config, [] { emu::fail("row 3 is empty", "fill it"); });
        CHECK(!result);
        CHECK(contains(result.report, std::string("who:    ") + begin));
    }
}
