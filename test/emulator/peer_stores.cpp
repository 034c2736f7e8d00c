// Asynchronous stores of lanes into the shared memory of a block of the cluster, counted by an mbarrier there.
#include "hopper.hpp"

using namespace hopper;

namespace {

/// Each lane of each block sends 16 bytes to every block, which reads them from the senders in turn. Two rounds use the
/// same places.
struct exchange
{
    static constexpr int threads = 64;
    static constexpr int bytes = 2 * threads * 16; ///< that a block gets in a round

    // Steps that a test leaves out or changes
    bool meet = true; ///< before the first round
    bool wait_for_free = true;
    bool free_early = false; ///< says that its places are free before it has read them
    bool wait_for_words = true;
    bool leave_early = false;
    int expected = bytes;

    static stored_words* place(int sender)
    {
        return reinterpret_cast<stored_words*>(emu::shared_memory()) + sender * threads;
    }
    static int value(int round, int sender, int receiver, int thread)
    {
        return ((round * 2 + sender) * 2 + receiver) * threads + thread;
    }

    void read(int round) const
    {
        const int t = target::thread_id(), rank = cluster_rank();
        for (int sender = 0; sender < 2; ++sender) {
            stored_words got{};
            emu::load_shared<16>(&got, place(sender) + t);
            for (int w = 0; w < 4; ++w)
                if (got[w] != static_cast<std::uint32_t>(value(round, sender, rank, t) + w))
                    emu::fail("not the sender's words", "");
        }
    }
    void say_free(int round) const
    {
        if (round == 0)
            for (int r = 0; r < 2; ++r)
                mbarrier_arrive<mbarrier_scope::cluster>(address_in_peer(barrier(1), r), 0);
    }
    void operator()() const
    {
        mbarrier *const arrived = barrier(0), *const is_free = barrier(1);
        const int t = target::thread_id(), rank = cluster_rank();
        if (t == 0) {
            mbarrier_init(arrived, 1);
            mbarrier_init(is_free, 2 * threads);
            fence_mbarrier_init();
        }
        if (meet) {
            cluster_arrive_relaxed();
            cluster_wait();
        } else {
            target::block_barrier();
        }
        for (int round = 0; round < 2; ++round) {
            if (t == 0)
                mbarrier_arrive_expect(arrived, expected);
            if (round > 0 && wait_for_free)
                mbarrier_wait<mbarrier_scope::cluster>(is_free, 0);
            for (int r = 0; r < 2; ++r) {
                const auto v = static_cast<std::uint32_t>(value(round, rank, r, t));
                store_async(address_in_peer(place(rank), r), t, stored_words{v, v + 1, v + 2, v + 3},
                            address_in_peer(arrived, r));
            }
            if (leave_early)
                return;
            if (wait_for_words)
                mbarrier_wait<mbarrier_scope::cluster>(arrived, round);
            if (free_early)
                say_free(round);
            read(round);
            if (!free_early)
                say_free(round);
        }
        mbarrier_wait(is_free, 0); // its peer's arrivals
    }
    emu::launch_result run(int order = 0) const
    {
        emu::run_config config = two_blocks();
        config.order = order;
        return emu::launch(config, [this] { (*this)(); });
    }
};

} // namespace

TEST_CASE("words that blocks of a cluster store for each other", "[emulator]")
{
    for (int order = -1; order < 4; ++order)
        expect_fine(exchange{}.run(order));
    emu::run_config config = two_blocks();
    config.checks = false;
    expect_fine(emu::launch(config, exchange{}));
}

TEST_CASE("asynchronous stores whose order is wrong", "[emulator]")
{
    SECTION("words that nobody waits for")
    {
        expect_misuse(exchange{.wait_for_words = false}.run(), {"shared load of 16 bytes at shared memory byte"});
    }
    SECTION("places that are stored to while they may be read")
    {
        expect_misuse(exchange{.free_early = true}.run(), {"remote store of 16 bytes", "races with the read of"});
        expect_misuse(exchange{.wait_for_free = false}.run(), {"remote store of 16 bytes"});
    }
    SECTION("a block that leaves before its words arrive")
    {
        expect_misuse(exchange{.leave_early = true}.run(),
                      {"the block returned while a remote store of", "was in flight for phase 0"});
    }
    SECTION("a peer that may not have begun") { CHECK_FALSE(exchange{.meet = false}.run().status.ok()); }
    SECTION("fewer bytes than expected")
    {
        expect_misuse(exchange{.expected = exchange::bytes + 16}.run(), {"deadlock", "16 bytes to come"});
    }
}

TEST_CASE("asynchronous stores to wrong places", "[emulator]")
{
    const auto store = [](int place_rank, int barrier_rank, int past) {
        return [=] {
            make_barriers(1, 1);
            cluster_barrier();
            auto* const place = reinterpret_cast<stored_words*>(emu::shared_memory() + past);
            if (target::thread_id() == 0)
                store_async(address_in_peer(place, place_rank), 0, stored_words{},
                            address_in_peer(barrier(), barrier_rank));
            cluster_barrier();
        };
    };
    expect_misuse(emu::launch(two_blocks(), store(0, 1, 0)), {"not in the shared memory of one block"});
    expect_misuse(emu::launch(two_blocks(), store(1, 1, 8)), {"remote store"});
    expect_misuse(emu::launch(two_blocks(), store(1, 1, 16384)), {"remote store"});
}
