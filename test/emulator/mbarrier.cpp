// mbarriers: phases, what they order, and every way to use them wrongly.
#include "hopper.hpp"

using namespace hopper;

namespace {

/// 1 KiB of `in` through shared memory to `out`, round after round: wave 0 loads, wave 1 reads.
struct pipeline
{
    static constexpr int rounds = 7;
    static constexpr int stages = 2;
    std::vector<float> in = counting(rounds * 256);
    std::vector<float> out = std::vector<float>(rounds * 256);
    emu::run_config config = one_block();

    // Steps that a test leaves out or changes
    bool wait_full = true;
    bool wait_empty = true;
    bool flip = true;
    bool release_early = false;
    bool meet = false; // between the first load and the first read
    int expected = 1024;

    pipeline() { config.memory.read(in.data(), in.size() * 4, "in").write(out.data(), out.size() * 4, "out"); }

    void operator()()
    {
        make_barriers(2 * stages, 1); // full, then empty
        if (target::wave_id() == 0) {
            const bool elected = elect_one();
            for (int i = 0; i < rounds; ++i) {
                if (elected)
                    produce(i);
                if (meet && i == 0)
                    target::block_barrier();
            }
        } else {
            for (int i = 0; i < rounds; ++i)
                consume(i);
        }
    }
    void produce(int i)
    {
        const int s = i % stages;
        if (wait_empty)
            mbarrier_wait(barrier(stages + s), i / stages % 2 ^ 1);
        mbarrier_arrive_expect(barrier(s), expected);
        bulk_load(shared<float>(s * 256), in.data() + i * 256, 1024, barrier(s));
    }
    void consume(int i)
    {
        const int s = i % stages;
        if (meet && i == 0)
            target::block_barrier();
        if (wait_full)
            mbarrier_wait(barrier(s), flip ? i / stages % 2 : 0);
        if (release_early && target::lane_id() == 0)
            mbarrier_arrive(barrier(stages + s));
        for (int j = target::lane_id(); j < 256; j += 32) {
            const float x = take<float>(s * 256 + j);
            emu::store_global<4>(out.data() + i * 256 + j, &x);
        }
        target::wave_barrier();
        if (!release_early && target::lane_id() == 0)
            mbarrier_arrive(barrier(stages + s));
    }
    emu::launch_result run()
    {
        return emu::launch(config, [this] { (*this)(); });
    }
};

} // namespace

TEST_CASE("a ring of mbarriers hands over tile after tile", "[emulator]")
{
    pipeline p;
    p.config.checks = GENERATE(true, false);
    const emu::launch_result result = p.run();
    expect_fine(result);
    CHECK(p.out == p.in);
    CHECK(result.counters.bulk_loads == pipeline::rounds);
    CHECK(result.counters.bulk_load_bytes == pipeline::rounds * 1024);
}

TEST_CASE("reading what a bulk load has in flight", "[emulator]")
{
    pipeline p;
    p.wait_full = false;
    p.meet = true;
    expect_misuse(p.run(), {"shared load of 4 bytes at shared memory byte 0, which a bulk load of wave 0, lane 0 at "
                            "test/emulator/mbarrier.cpp:",
                            " has in flight until phase 0 (parity 0) of the mbarrier at byte 16128 is waited for\n",
                            "wave 1, lane 0", "wait at the mbarrier before touching the bytes"});
}

TEST_CASE("waiting in the wrong phase", "[emulator]")
{
    // The reader starts with the parity of one who waits for room, and goes on before anything was loaded.
    pipeline p;
    const auto kernel = [&] {
        make_barriers(1, 1);
        if (target::wave_id() == 1)
            mbarrier_wait(barrier(), 1);
        target::block_barrier();
        if (target::thread_id() == 0) {
            mbarrier_arrive_expect(barrier(), 1024);
            bulk_load(shared<float>(), p.in.data(), 1024, barrier());
        }
        target::block_barrier();
        if (target::wave_id() == 1)
            take<float>(target::lane_id());
    };
    expect_misuse(
        emu::launch(p.config, kernel),
        {"phase 0 (parity 0) of the mbarrier at byte 16128 is waited for; the lane waited in the wrong phase, "
         "for phase -1 (parity 1)",
         "flip the parity each time round"});
    // The reader does not flip it: it gives stages back that it has not got, twice in one phase of the writer's.
    pipeline same;
    same.flip = false;
    expect_misuse(same.run(),
                  {"phase 1 (parity 1) of the mbarrier at byte 16144 completes before wave 0, lane 0 has seen "
                   "phase 0 (parity 0): its wait is left in the wrong phase"});
    expect_misuse(emu::launch(p.config,
                              [&] {
                                  make_barriers(1, 1);
                                  mbarrier_wait(barrier(), 2);
                              }),
                  {"mbarrier wait with parity 2"});
}

TEST_CASE("a wait by parity for the phase after one that others wait for", "[emulator]")
{
    // One stage, whose second tile is wave 2's: wave 1 waits for the third by the parity of the first.
    const bool tells = GENERATE(true, false);
    const std::vector<float> in = counting(3 * 256);
    emu::run_config config = one_block();
    config.block_threads = 96;
    config.memory.read(in.data(), in.size() * 4, "in");
    const auto result = emu::launch(config, [&] {
        make_barriers(5, 1);
        mbarrier *const full = barrier(0), *const empty = barrier(1), *const copied = barrier(2),
                        *const turn = barrier(3), *const arrived = barrier(4);
        const auto arrive = [](mbarrier* at) {
            target::wave_barrier();
            if (target::lane_id() == 0)
                mbarrier_arrive(at);
        };
        const auto read = [&](int tile) {
            mbarrier_wait(full, tile % 2);
            if (tile == 1 && tells)
                arrive(arrived);
            for (int j = target::lane_id(); j < 256; j += 32)
                CHECK(take<float>(j) == in[static_cast<std::size_t>(tile * 256 + j)]);
            if (tile == 0)
                arrive(turn);
            arrive(empty);
        };
        if (target::wave_id() == 0) {
            for (int tile = 0; tile < 3 && target::lane_id() == 0; ++tile) {
                mbarrier_wait(empty, tile % 2 ^ 1);
                mbarrier_arrive_expect(full, 1024);
                bulk_load(shared<float>(0), in.data() + tile * 256, 1024, full);
                if (tile == 1)
                    mbarrier_arrive(copied);
            }
        } else if (target::wave_id() == 1) {
            read(0);
            mbarrier_wait(copied, 0); // the second copy has begun, and may be under way
            if (tells)
                mbarrier_wait(arrived, 0);
            read(2);
        } else {
            mbarrier_wait(turn, 0);
            read(1);
        }
    });
    if (tells)
        expect_fine(result);
    else
        expect_misuse(result, {"mbarrier wait for phase 2 (parity 0) of the mbarrier at byte 16128",
                               "does not know whether phase 1 (parity 1) is complete"});
}

TEST_CASE("a stage that is released before it was read, or not waited for", "[emulator]")
{
    pipeline early;
    early.release_early = true;
    expect_misuse(early.run(), {"races with the read of wave 1"});
    pipeline never;
    never.wait_empty = false;
    expect_misuse(never.run(), {"in flight"});
}

TEST_CASE("bytes that are expected and never come", "[emulator]")
{
    pipeline p;
    p.expected = 2048;
    expect_misuse(p.run(),
                  {"deadlock: wave 0 waits, lane 0 at the mbarrier at byte 16144 for phase 0 (parity 0) with 1 "
                   "of 1 arrivals and 0 bytes to come; wave 1 waits, lanes 0-31 at the mbarrier at byte 16128 "
                   "for phase 0 (parity 0) with 0 of 1 arrivals and 1024 bytes to come"});
}

TEST_CASE("transactions past what an mbarrier counts", "[emulator]")
{
    expect_misuse(
        emu::launch(one_block(),
                    [] {
                        make_barriers(1, 1);
                        if (target::thread_id() == 0) {
                            mbarrier_expect(barrier(), 1048560);
                            mbarrier_expect(barrier(), 16);
                        }
                    }),
        {"the transaction count of the mbarrier at byte 16128 would be 1048576 bytes in phase 0 (parity 0); the "
         "limit is 1048575 either way"});
}

TEST_CASE("more arrivals than an mbarrier takes", "[emulator]")
{
    expect_misuse(emu::launch(one_block(),
                              [] {
                                  make_barriers(1, 2);
                                  if (target::thread_id() == 0)
                                      emu::mbarrier_arrive(barrier(), 3);
                              }),
                  {"3 arrivals at the mbarrier at byte 16128, whose phase 0 (parity 0) takes 2 more of 2"});
    expect_misuse(emu::launch(one_block(), [] { mbarrier_init(barrier(), 0); }), {"mbarrier init for 0 arrivals"});
}

TEST_CASE("mbarriers that are not there, or not yet", "[emulator]")
{
    expect_misuse(emu::launch(one_block(), [] { mbarrier_arrive(barrier()); }),
                  {"mbarrier arrive at shared memory byte 16128, which is no initialised mbarrier"});
    expect_misuse(emu::launch(one_block(),
                              [] {
                                  if (target::thread_id() == 0)
                                      mbarrier_init(barrier(), 1);
                                  mbarrier_wait(barrier(), 1);
                              }),
                  {"mbarrier wait of the mbarrier at byte 16128 races with its initialisation", "wave 0, lane 1"});
    expect_misuse(emu::launch(one_block(),
                              [] {
                                  make_barriers(1, 64);
                                  if (target::thread_id() == 0) {
                                      mbarrier_invalidate(barrier());
                                      mbarrier_arrive(barrier());
                                  }
                              }),
                  {"which is no initialised mbarrier"});
    expect_misuse(emu::launch(one_block(),
                              [] {
                                  make_barriers(1, 64);
                                  put<float>(16128 / 4, 1.f);
                              }),
                  {"shared store of 4 bytes at shared memory byte 16128, which holds an mbarrier"});
    pipeline p;
    expect_misuse(emu::launch(p.config,
                              [&] {
                                  if (target::thread_id() == 0) {
                                      mbarrier_init(barrier(), 1);
                                      mbarrier_arrive_expect(barrier(), 1024);
                                      bulk_load(shared<float>(), p.in.data(), 1024, barrier());
                                  }
                              }),
                  {"bulk load of the mbarrier at byte 16128, whose initialisation no fence made visible",
                   "fence_mbarrier_init()"});
}

TEST_CASE("what an mbarrier orders", "[emulator]")
{
    // Every lane hands over its own: a barrier of 64 threads.
    const auto all = [](bool wait) {
        return [wait] {
            make_barriers(1, 64);
            const int t = target::thread_id();
            for (int round = 0; round < 3; ++round) {
                put<int>(round * 64 + t, t);
                mbarrier_arrive(barrier());
                if (wait)
                    mbarrier_wait(barrier(), round % 2);
                if (take<int>(round * 64 + (t + 33) % 64) != (t + 33) % 64)
                    emu::fail("another lane's value is not there", "");
            }
        };
    };
    expect_fine(emu::launch(one_block(), all(true)));
    expect_misuse(emu::launch(one_block(), all(false)), {"which nobody wrote"});

    // One lane hands over what its wave wrote, which it may only after the wave has met; and no store after it.
    const auto one = [](bool met, bool late) {
        return [met, late] {
            make_barriers(1, 1);
            if (target::wave_id() == 0) {
                put<int>(target::lane_id(), 1);
                if (met)
                    target::wave_barrier();
                if (target::lane_id() == 31)
                    mbarrier_arrive(barrier());
                if (late && target::lane_id() == 31)
                    put<int>(31, 2);
            } else {
                mbarrier_wait(barrier(), 0);
                take<int>(target::lane_id());
            }
        };
    };
    expect_fine(emu::launch(one_block(), one(true, false)));
    expect_misuse(emu::launch(one_block(), one(false, false)), {"races with the write of wave 0, lane 0"});
    expect_misuse(emu::launch(one_block(), one(true, true)), {"races with the write of wave 0, lane 31"});
}

TEST_CASE("a deadlock names mbarriers and barriers", "[emulator]")
{
    expect_misuse(emu::launch(one_block(),
                              [] {
                                  make_barriers(1, 3);
                                  if (target::wave_id() == 0)
                                      target::block_barrier();
                                  else if (target::lane_id() < 2)
                                      mbarrier_wait(barrier(), 0);
                                  else
                                      target::wave_barrier();
                              }),
                  {"deadlock: wave 0 waits at block_barrier; wave 1 waits, lanes 0-1 at the mbarrier at byte 16128 for "
                   "phase 0 (parity 0) with 3 of 3 arrivals and 0 bytes to come, the others in wave_barrier"});
}

TEST_CASE("a barrier that some waves only arrive at", "[emulator]")
{
    const auto kernel = [](bool arrive) {
        return [arrive] {
            if (target::wave_id() == 0) {
                put<int>(target::lane_id(), 5);
                if (arrive)
                    named_barrier_arrive(1, 64);
            } else {
                named_barrier(1, 64);
                take<int>(target::lane_id());
            }
        };
    };
    expect_fine(emu::launch(one_block(), kernel(true)));
    expect_misuse(emu::launch(one_block(), kernel(false)), {"deadlock", "named_barrier 1 for 1 more of 2 waves"});
    expect_misuse(emu::launch(one_block(),
                              [] {
                                  if (target::wave_id() == 0) {
                                      named_barrier_arrive(1, 64);
                                      named_barrier_arrive(1, 64);
                                  }
                              }),
                  {"named_barrier 1 is reached again by a wave that it has counted already"});
}

TEST_CASE("chips without mbarriers", "[emulator]")
{
    emu::run_config config = one_block();
    config.chip = &chip::sm_80;
    expect_misuse(emu::launch(config, [] { mbarrier_init(barrier(), 1); }),
                  {"the chip has no mbarriers with transactions"});
}
