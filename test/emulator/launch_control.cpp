// Cluster launch control: clusters that take over others, in every order, and every way to ask wrongly.
#include "hopper.hpp"

#include <tegula/arch/nvidia/launch_control.hpp>

#include <algorithm>

using namespace hopper;

namespace {

constexpr int clusters = 11;

/// Each cluster of `Blocks` blocks adds 1 to the place of its own, and of every cluster that it takes over.
template <int Blocks>
struct persistent
{
    std::vector<int> out = std::vector<int>(clusters * Blocks);
    emu::run_config config = one_block();

    // Steps that a test leaves out or changes
    bool wait = true;
    bool expect = true;
    bool stop = true;
    bool leave_early = false;
    bool next_slot = true;

    persistent()
    {
        config.chip = &chip::sm_100a;
        config.grid = {clusters * Blocks, 1, 1};
        config.cluster = {Blocks, 1, 1};
        config.resident = 3;
        config.memory.write(out.data(), out.size() * 4, "out");
    }

    static cancel_response* response(int i) { return reinterpret_cast<cancel_response*>(emu::shared_memory()) + i; }

    void operator()()
    {
        make_barriers(2, 1);
        if (Blocks > 1)
            cluster_barrier();
        int cluster = emu::block_id().x / Blocks;
        for (int turn = 0;; ++turn) {
            const int slot = turn % 2;
            if (target::thread_id() == 0) {
                emu::atomic_add(&out[static_cast<std::size_t>(cluster * Blocks + emu::block_id().x % Blocks)], 1);
                if (expect)
                    mbarrier_arrive_expect(barrier(slot), 16);
                if (Blocks == 1 || cluster_rank() == 0)
                    try_cancel<Blocks>(response(slot), barrier(slot));
            }
            if (leave_early && cluster_rank() == 1)
                return;
            if (wait)
                mbarrier_wait(barrier(slot), turn / 2 % 2);
            const canceled_cluster next = read_response(response(next_slot ? slot : slot ^ 1));
            if (Blocks > 1)
                cluster_barrier(); // every block has read
            else
                target::block_barrier();
            if (!next.granted && (stop || turn > 8))
                return;
            cluster = next.first_block / Blocks;
        }
    }
    emu::launch_result run()
    {
        std::fill(out.begin(), out.end(), 0);
        return emu::launch(config, [this] { (*this)(); });
    }
};

} // namespace

TEMPLATE_TEST_CASE_SIG("every cluster's work is done once, whoever does it", "[emulator]", ((int Blocks), Blocks), 1, 2)
{
    persistent<Blocks> p;
    p.config.checks = GENERATE(true, false);
    p.config.cpu_threads = GENERATE(1, 3);
    std::int64_t in_random_orders = 0;
    for (const int order : {0, -1, 1, 2, 3}) {
        INFO("order " << order);
        p.config.order = order;
        p.config.resident = 3;
        const emu::launch_result some = p.run();
        expect_fine(some);
        CHECK(std::count(p.out.begin(), p.out.end(), 1) == clusters * Blocks);
        if (order <= 0) // no request is refused while clusters wait
            CHECK(some.counters.canceled_clusters == clusters - 3);
        else
            in_random_orders += some.counters.canceled_clusters;
        p.config.resident = 0;
        const emu::launch_result all = p.run();
        expect_fine(all);
        CHECK(std::count(p.out.begin(), p.out.end(), 1) == clusters * Blocks);
        CHECK(all.counters.canceled_clusters == 0);
    }
    CHECK(in_random_orders > 0);
    CHECK(in_random_orders < 3 * (clusters - 3)); // some are, and what they did not get starts by itself
}

TEST_CASE("two clusters that write one place, of which one was taken over", "[emulator]")
{
    persistent<1> p;
    p.config.resident = 1;
    int* const out = p.out.data();
    const emu::launch_result result = emu::launch(p.config, [&] {
        make_barriers(1, 1);
        const int one = 1;
        if (target::thread_id() != 0)
            return;
        emu::store_global<4>(out, &one);
        if (emu::block_id().x > 0)
            return;
        mbarrier_arrive_expect(barrier(), 16);
        try_cancel(p.response(0), barrier());
        mbarrier_wait(barrier(), 0);
        emu::store_global<4>(out + read_response(p.response(0)).first_block, &one); // 1, which then does not start
    });
    expect_misuse(result, {"writes bytes 0 to 3 of out, which block (0, 0, 0)"});
}

TEST_CASE("launch control used wrongly", "[emulator]")
{
    persistent<1> alone;
    alone.wait = false;
    expect_misuse(alone.run(), {"nobody wrote"}); // another wave runs first
    alone.config.order = -1;
    expect_misuse(alone.run(), {"in flight until phase 0"});
    alone = {};
    alone.expect = false;
    expect_misuse(alone.run(), {"deadlock"});
    alone = {};
    alone.stop = false;
    expect_misuse(alone.run(), {"try_cancel by a block that has read a refusal", "ask no more"});
    alone = {};
    alone.next_slot = false;
    expect_misuse(alone.run(), {"nobody wrote"});

    persistent<2> pair;
    pair.leave_early = true;
    expect_misuse(pair.run(), {"in the shared memory of block (1, 0, 0), which has left the cluster"});

    const auto one_lane = [](const auto& kernel) {
        emu::run_config config = one_block();
        config.chip = &chip::sm_100a;
        return emu::launch(config, [&] {
            put<int>(target::thread_id(), 1);
            make_barriers(1, 1);
            if (target::thread_id() == 0)
                kernel();
        });
    };
    const auto response = [](int i) { return persistent<1>::response(i); };
    expect_misuse(one_lane([&] { static_cast<void>(read_response(response(0))); }),
                  {"query_cancel of 16 bytes that are no response", "wait at the mbarrier"});
    expect_misuse(one_lane([&] {
                      mbarrier_arrive_expect(barrier(), 16);
                      try_cancel(reinterpret_cast<cancel_response*>(emu::shared_memory() + 1032), barrier());
                  }),
                  {"multiple of 16"});
    expect_misuse(one_lane([&] {
                      mbarrier_arrive_expect(barrier(), 16);
                      try_cancel(response(0), barrier());
                  }),
                  {"without a proxy fence"});
    expect_misuse(one_lane([&] { try_cancel(response(1 << 16), barrier()); }), {"outside the shared memory"});
}

TEST_CASE("chips and numbers that launch control does not fit", "[emulator]")
{
    emu::run_config config = one_block();
    config.resident = 2;
    CHECK(emu::launch(config, [] {}).status.message() ==
          std::string("emulator: 2 resident clusters; sm_90a has no launch control, give 0"));
    config.resident = -1;
    CHECK(emu::launch(config, [] {}).status.message() ==
          std::string("emulator: -1 resident clusters; give 1 or more, or 0 for all"));
    config.resident = 0;
    expect_misuse(emu::launch(config, [] { try_cancel(persistent<1>::response(0), barrier()); }),
                  {"the chip has no cluster launch control"});
}
