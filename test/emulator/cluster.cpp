// Clusters: ranks, the barrier, shared memory of peers, multicast, and blocks that leave too early.
#include "hopper.hpp"

using namespace hopper;

namespace {

/// Both blocks load half a tile each and give it to both; tile after tile through two stages.
struct multicast_pipeline
{
    static constexpr int rounds = 5;
    static constexpr int stages = 2;
    std::vector<float> in = counting(rounds * 512);
    std::vector<float> out = std::vector<float>(2 * rounds * 512);
    tensor_map map{};
    emu::run_config config = two_blocks();

    // Steps that a test leaves out or changes
    bool drain = true;
    bool signal_peer = true;
    bool fence = true;

    multicast_pipeline()
    {
        map = emu::describe_tensor_map(matrix_of(in.data(), rounds * 16, 32, 8, 32, swizzle_mode::bytes_128));
        config.memory.read(in.data(), in.size() * 4, "in").write(out.data(), out.size() * 4, "out");
    }

    void operator()()
    {
        if (target::thread_id() == 0) {
            for (int s = 0; s < stages; ++s) {
                mbarrier_init(barrier(s), 1);
                mbarrier_init(barrier(stages + s), signal_peer ? 2 : 1);
            }
            if (fence)
                fence_mbarrier_init();
        }
        cluster_barrier();
        if (target::wave_id() == 0) {
            if (elect_one())
                produce();
        } else {
            for (int i = 0; i < rounds; ++i)
                consume(i);
        }
    }
    void produce()
    {
        for (int i = 0; i < rounds + (drain ? stages : 0); ++i) {
            const int s = i % stages;
            mbarrier_wait(barrier(stages + s), i / stages % 2 ^ 1);
            if (i >= rounds)
                continue;
            mbarrier_arrive_expect(barrier(s), 2048);
            const int half = cluster_rank();
            tensor_load_multicast(target::shared_memory() + s * 2048 + half * 1024, map,
                                  array<int, 2>{0, i * 16 + half * 8}, barrier(s), 3);
        }
    }
    void consume(int i)
    {
        const int s = i % stages;
        mbarrier_wait(barrier(s), i / stages % 2);
        for (int row = 0; row < 16; ++row) {
            const int chunk = target::lane_id() / 4 ^ row % 8;
            const float x = take<float>(s * 512 + row * 32 + chunk * 4 + target::lane_id() % 4);
            emu::store_global<4>(
                &out[static_cast<std::size_t>((emu::block_id().x * rounds + i) * 512 + row * 32 + target::lane_id())],
                &x);
        }
        target::wave_barrier();
        if (target::lane_id() < (signal_peer ? 2 : 1))
            mbarrier_arrive_at(barrier(stages + s), target::lane_id());
    }
    emu::launch_result run()
    {
        return emu::launch(config, [this] { (*this)(); });
    }
};

} // namespace

TEST_CASE("blocks know their place in cluster and grid", "[emulator]")
{
    emu::run_config config = one_block();
    config.grid = {4, 6, 2};
    config.cluster = {2, 3, 1};
    std::vector<int> seen(48 * 2, -1);
    config.memory.write(seen.data(), seen.size() * 4, "seen");
    expect_fine(emu::launch(config, [&] {
        const emu::extent3 id = emu::block_id();
        const int number = id.x + 4 * (id.y + 6 * id.z);
        if (target::thread_id() == 0) {
            const int values[2] = {cluster_rank(), cluster_blocks()};
            emu::store_global<4>(&seen[static_cast<std::size_t>(number * 2)], &values[0]);
            emu::store_global<4>(&seen[static_cast<std::size_t>(number * 2 + 1)], &values[1]);
        }
    }));
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 4; ++x) {
                const auto number = static_cast<std::size_t>(x + 4 * (y + 6 * z));
                CHECK(seen[number * 2] == x % 2 + 2 * (y % 3));
                CHECK(seen[number * 2 + 1] == 6);
            }
}

TEST_CASE("grids and chips that clusters do not fit", "[emulator]")
{
    emu::run_config config = two_blocks();
    config.grid = {3, 1, 1};
    CHECK(emu::launch(config, [] {}).status.message() ==
          std::string("emulator: a grid of 3 x 1 x 1 blocks is not a whole number of clusters of 2 x 1 x 1"));
    config = two_blocks();
    config.chip = &chip::sm_80;
    CHECK(emu::launch(config, [] {}).status.message() ==
          std::string("emulator: a cluster of 2 blocks; sm_80 has no clusters"));
    config = two_blocks();
    config.cluster = {32, 1, 1};
    config.grid = {32, 1, 1};
    CHECK(emu::launch(config, [] {}).status.message() ==
          std::string("emulator: a cluster of 32 x 1 x 1 blocks; it must have 1 to 16"));
}

TEST_CASE("tiles that two blocks load for each other", "[emulator]")
{
    multicast_pipeline p;
    p.config.checks = GENERATE(true, false);
    expect_fine(p.run());
    for (std::size_t i = 0; i < p.out.size(); ++i)
        REQUIRE(p.out[i] == p.in[i % p.in.size()]);
}

TEST_CASE("a block that leaves while its peer still signals it", "[emulator]")
{
    multicast_pipeline p;
    p.drain = false;
    expect_misuse(p.run(), {"while block (", "may still reach into its shared memory", "before it returns"});
    // Whoever comes later finds it gone.
    expect_misuse(emu::launch(two_blocks(),
                              [] {
                                  make_barriers(1, 1);
                                  cluster_barrier();
                                  if (cluster_rank() == 1)
                                      return;
                                  named_barrier(1, 64);
                                  named_barrier(1, 64);
                                  if (target::thread_id() == 0)
                                      mbarrier_arrive_at(barrier(), 1);
                              }),
                  {"shared memory of block (1, 0, 0)"});
}

TEST_CASE("a stage that is not asked of the peer", "[emulator]")
{
    multicast_pipeline p;
    p.signal_peer = false;
    const emu::launch_result result = p.run();
    INFO(result.report);
    CHECK(!result.status.ok());
}

TEST_CASE("mbarriers that peers use before a fence made them visible", "[emulator]")
{
    multicast_pipeline p;
    p.fence = false;
    expect_misuse(p.run(), {"whose initialisation no fence made visible"});
    expect_misuse(emu::launch(two_blocks(),
                              [] {
                                  make_barriers(1, 1);
                                  if (target::thread_id() == 0)
                                      mbarrier_arrive_at(barrier(), 1 - cluster_rank());
                              }),
                  {"mbarrier arrive", " of block ("});
}

TEST_CASE("shared memory of a peer", "[emulator]")
{
    const auto kernel = [](bool before, bool after) {
        return [before, after] {
            const int t = target::thread_id();
            put<int>(t, 100 * cluster_rank() + t);
            if (before)
                cluster_barrier();
            int* mine = shared<int>(t);
            int theirs = 0;
            emu::load_shared<4>(&theirs, in_peer(mine, 1 - cluster_rank()));
            if (theirs != 100 * (1 - cluster_rank()) + t)
                emu::fail("not the peer's value", "");
            emu::store_shared<4>(in_peer(mine + 64, 1 - cluster_rank()), &theirs);
            if (after) {
                cluster_barrier();
                if (take<int>(64 + t) != 100 * cluster_rank() + t)
                    emu::fail("not the value that came back", "");
            }
        };
    };
    expect_fine(emu::launch(two_blocks(), kernel(true, true)));
    expect_misuse(emu::launch(two_blocks(), kernel(false, true)),
                  {"shared load of 4 bytes at shared memory byte 0, which"});
    expect_misuse(emu::launch(two_blocks(), kernel(true, false)), {"reach into its shared memory"});
    expect_misuse(emu::launch(two_blocks(), [] { in_peer(shared<int>(), 2); }),
                  {"an address in a block that the cluster does not have"});
}

TEST_CASE("a relaxed arrival releases fenced mbarriers and nothing else", "[emulator]")
{
    const auto kernel = [](bool fence, bool store) {
        return [fence, store] {
            if (target::thread_id() == 0) {
                mbarrier_init(barrier(), 1);
                if (fence)
                    fence_mbarrier_init();
            }
            if (store)
                put<int>(target::thread_id(), 5);
            cluster_arrive_relaxed();
            cluster_wait();
            int theirs = 0;
            if (store)
                emu::load_shared<4>(&theirs, in_peer(shared<int>(target::thread_id()), 1 - cluster_rank()));
            if (target::thread_id() == 0) {
                mbarrier_arrive_at(barrier(), 1 - cluster_rank());
                mbarrier_wait(barrier(), 0);
            }
        };
    };
    expect_fine(emu::launch(two_blocks(), kernel(true, false)));
    CHECK_FALSE(emu::launch(two_blocks(), kernel(false, false)).status.ok());
    expect_misuse(emu::launch(two_blocks(), kernel(true, true)), {"shared load of 4 bytes"});
}

TEST_CASE("a race between blocks", "[emulator]")
{
    expect_misuse(emu::launch(two_blocks(),
                              [] {
                                  int value = cluster_rank();
                                  if (target::thread_id() == 0)
                                      emu::store_shared<4>(in_peer(shared<int>(), 0), &value);
                                  cluster_barrier();
                              }),
                  {"races with the write of block (", "put a cluster barrier between"});
}

TEST_CASE("the two halves of the cluster barrier", "[emulator]")
{
    expect_fine(emu::launch(two_blocks(), [] {
        for (int i = 0; i < 3; ++i) {
            cluster_arrive();
            target::block_barrier();
            cluster_wait();
        }
    }));
    expect_misuse(emu::launch(two_blocks(), [] { cluster_wait(); }), {"cluster_wait without cluster_arrive before it"});
    expect_misuse(emu::launch(two_blocks(),
                              [] {
                                  cluster_arrive();
                                  cluster_arrive();
                              }),
                  {"cluster_arrive again without cluster_wait between"});
    // A wave that has returned is not waited for, one that waits elsewhere is.
    expect_fine(emu::launch(two_blocks(), [] {
        if (target::wave_id() == 0)
            cluster_barrier();
    }));
    expect_misuse(emu::launch(two_blocks(),
                              [] {
                                  if (cluster_rank() == 0)
                                      cluster_barrier();
                                  else {
                                      make_barriers(1, 1);
                                      mbarrier_wait(barrier(), 0);
                                  }
                              }),
                  {"deadlock: block (0, 0, 0), wave 0 waits at cluster_wait;",
                   "block (1, 0, 0), wave 1 waits, lanes 0-31 "
                   "at the mbarrier at byte 16128"});
}

TEST_CASE("a mask with blocks that the cluster does not have", "[emulator]")
{
    multicast_pipeline p;
    expect_misuse(emu::launch(p.config,
                              [&] {
                                  make_barriers(1, 1);
                                  cluster_barrier();
                                  if (target::thread_id() == 0)
                                      tensor_load_multicast(target::shared_memory(), p.map, array<int, 2>{0, 0},
                                                            barrier(), 4);
                              }),
                  {"bulk load to blocks 4 of a cluster of 2"});
}
