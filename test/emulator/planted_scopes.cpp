// Planted bugs of barriers and arrivals that order less than they seem to: shared memory alone, lanes that go on, peers.
#include "planted_hopper.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/target.hpp>

using namespace planted;
using tegula::thread_scope;

namespace {

const std::vector<std::string> race = {"races with the write of", "races with the read of",
                                       "races with the atomic addition of"};

/// Two waves of an AMD chip.
template <class Target>
struct amd_ground : ground
{
    amd_ground()
    {
        config.chip = &tegula::chip_of<Target>;
        config.block_threads = 2 * Target::wave_size;
        refill();
    }
};

bool first_wave() { return emu::wave_id() == 0; }

/// A barrier for all memory, or for shared memory alone.
template <class Target>
void meet(bool all)
{
    if (all)
        Target::block_barrier();
    else
        Target::shared_barrier();
}

template <class Target>
void exchange_through_global_memory()
{
    amd_ground<Target> g;
    expect("one wave stores, the other loads", g, race, [](ground& m, bool right) {
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        meet<Target>(right);
        if (!first_wave() && load(m.to(emu::lane_id())) != 5.f)
            emu::fail("the store is not there", "");
    });
    expect("one wave loads, the other stores", g, race, [](ground& m, bool right) {
        if (first_wave())
            load(m.to(emu::lane_id()));
        meet<Target>(right);
        if (!first_wave())
            store(m.to(emu::lane_id()), 5.f);
    });
    expect("both store", g, race, [](ground& m, bool right) {
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        meet<Target>(right);
        if (!first_wave())
            store(m.to(emu::lane_id()), 6.f);
    });
    expect("a sum, then a load", g, race, [](ground& m, bool right) {
        emu::atomic_add(&m.total, 1.f);
        meet<Target>(right);
        if (emu::thread_id() == 40)
            load(&m.total);
    });
    expect("two barriers of shared memory", g, race, [](ground& m, bool right) {
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        meet<Target>(false);
        meet<Target>(right);
        if (!first_wave())
            load(m.to(emu::lane_id()));
    });
    expect("a barrier of all memory that comes too early", g, race, [](ground& m, bool right) {
        if (!right)
            meet<Target>(true);
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        if (right)
            meet<Target>(true);
        meet<Target>(false);
        if (!first_wave())
            load(m.to(emu::lane_id()));
    });
    expect("an index in shared memory, and what it names in global memory", g, race, [](ground& m, bool right) {
        if (emu::thread_id() == 0) {
            store(m.to(9), 5.f);
            put<int>(0, 9);
        }
        meet<Target>(right);
        load(m.to(take<int>(0)));
    });
    expect("fences around a barrier of shared memory", g, race, [](ground& m, bool right) {
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        Target::template thread_fence<thread_scope::block>();
        meet<Target>(false);
        if (right)
            Target::template thread_fence<thread_scope::block>();
        if (!first_wave())
            load(m.to(emu::lane_id()));
    });
    // It does order this.
    g.refill();
    expect_fine(run(g.config, [&] {
        put<int>(emu::thread_id(), 1);
        meet<Target>(false);
        take<int>(emu::thread_id() ^ Target::wave_size);
        meet<Target>(false);
        put<int>(emu::thread_id() ^ Target::wave_size, 2);
        meet<Target>(true);
        take<int>(emu::thread_id());
    }));
}

} // namespace

TEST_CASE("barriers of shared memory alone, and what waves exchange through global memory", "[emulator]")
{
    exchange_through_global_memory<tegula::arch::gfx942>();
    exchange_through_global_memory<tegula::arch::gfx1100>();
    exchange_through_global_memory<tegula::arch::gfx1201>();
    exchange_through_global_memory<tegula::arch::gfx1250>();
}

TEST_CASE("a barrier of direct loads orders shared memory alone", "[emulator]")
{
    using target = tegula::arch::gfx950;
    amd_ground<target> g;
    expect("a store to global memory before it", g, race, [](ground& m, bool right) {
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        if (right)
            target::block_barrier();
        target::direct_barrier<0>();
        if (!first_wave())
            load(m.to(emu::lane_id()));
    });
    expect("the source of a direct load", g, race, [](ground& m, bool right) {
        if (first_wave())
            store(m.to(emu::lane_id()), 5.f);
        target::direct_barrier<0>();
        if (right)
            target::block_barrier();
        if (!first_wave())
            target::load_direct({m.out.data(), 4096}, static_cast<std::uint32_t>(16 * emu::lane_id()),
                                emu::shared_memory());
        target::direct_barrier<0>();
    });
}

TEST_CASE("a cluster barrier of gfx1250 orders shared memory alone", "[emulator]")
{
    using target = tegula::arch::gfx1250;
    amd_ground<target> g;
    g.config.grid = g.config.cluster = {2, 1, 1};
    expect("a store to global memory before it", g, race, [](ground& m, bool right) {
        if (target::cluster_rank() == 0)
            store(m.to(emu::thread_id()), 5.f);
        if (right)
            target::thread_fence<thread_scope::cluster>();
        target::cluster_barrier();
        if (right)
            target::thread_fence<thread_scope::cluster>();
        if (target::cluster_rank() == 1)
            load(m.to(emu::thread_id()));
    });
    expect("fences of the block around it", g, race, [](ground& m, bool right) {
        if (target::cluster_rank() == 0)
            load(m.to(emu::thread_id()));
        if (right)
            target::thread_fence<thread_scope::device>();
        else
            target::thread_fence<thread_scope::block>();
        target::cluster_barrier();
        target::thread_fence<thread_scope::device>();
        if (target::cluster_rank() == 1)
            store(m.to(emu::thread_id()), 5.f);
    });
}

TEST_CASE("lanes of a wave that arrives and goes on", "[emulator]")
{
    using namespace hopper;
    ground g;
    g.config.chip = &tegula::chip::sm_80;
    g.config.block_threads = 64;
    const auto arrive = [] {
        if (first_wave())
            emu::named_barrier_arrive(1, 64);
        else
            emu::named_barrier(1, 64);
    };
    expect("a lane reads what another of its wave stored before", g, race, [&](ground& m, bool right) {
        store(m.to(emu::thread_id()), 5.f);
        arrive();
        if (right)
            emu::wave_barrier();
        if (first_wave())
            load(m.to(emu::lane_id() ^ 1));
    });
    expect("the same through shared memory", g, race, [&](ground&, bool right) {
        put<int>(emu::thread_id(), 1);
        arrive();
        if (right)
            emu::wave_barrier();
        put<int>(emu::thread_id() ^ 1, 2);
    });
    expect("and for those that wait what the wave did behind its arrival", g, race, [&](ground& m, bool right) {
        if (first_wave() && right)
            store(m.to(emu::lane_id()), 5.f);
        arrive();
        if (first_wave() && !right)
            store(m.to(emu::lane_id()), 5.f);
        if (!first_wave())
            load(m.to(emu::lane_id()));
    });
    hopper_ground h;
    h.config = two_blocks();
    h.refill();
    expect("half of a cluster's barrier", h, race, [](ground&, bool right) {
        put<int>(thread(), 1);
        cluster_arrive();
        if (right)
            target::wave_barrier();
        if (wave() == 0)
            take<int>(thread() ^ 1);
        cluster_wait();
    });
}

TEST_CASE("arrivals at another block's mbarrier", "[emulator]")
{
    using namespace hopper;
    hopper_ground g;
    g.config = two_blocks();
    g.refill();
    // Block 1 does something and arrives; block 0 waits and looks.
    const auto tell = [](mbarrier_scope scope) {
        if (scope == mbarrier_scope::cluster)
            mbarrier_arrive<mbarrier_scope::cluster>(address_in_peer(barrier(), 0), 0);
        else
            mbarrier_arrive_at(barrier(), 0);
    };
    const auto wait = [](mbarrier_scope scope) {
        if (scope == mbarrier_scope::cluster)
            mbarrier_wait<mbarrier_scope::cluster>(barrier(), 0);
        else
            mbarrier_wait(barrier(), 0);
    };
    const auto peers_word = [] {
        int value = 0;
        emu::load_shared<4>(&value, in_peer(shared<int>(thread()), 1));
        return value;
    };
    const auto frame = [](const auto& first, const auto& second) {
        begin(1, 64);
        cluster_barrier();
        if (cluster_rank() == 1)
            first();
        else
            second();
        cluster_barrier();
    };
    constexpr auto cluster = mbarrier_scope::cluster;
    constexpr auto block = mbarrier_scope::block;
    expect("a store to its shared memory, and an arrival of the scope of a block", g, race, [&](ground&, bool right) {
        frame(
            [&] {
                put<int>(thread(), 7);
                tell(right ? cluster : block);
            },
            [&] {
                wait(cluster);
                if (peers_word() != 7)
                    emu::fail("the store is not there", "");
            });
    });
    expect("and a wait of the scope of a block", g, race, [&](ground&, bool right) {
        frame(
            [&] {
                put<int>(thread(), 7);
                tell(cluster);
            },
            [&] {
                wait(right ? cluster : block);
                peers_word();
            });
    });
    expect("a store to the waiting block's shared memory", g, race, [&](ground&, bool right) {
        frame(
            [&] {
                const int value = 7;
                emu::store_shared<4>(in_peer(shared<int>(thread()), 0), &value);
                tell(right ? cluster : block);
            },
            [&] {
                wait(cluster);
                take<int>(thread());
            });
    });
    expect("a store of another lane, which a barrier of the block handed on", g, race, [&](ground&, bool right) {
        frame(
            [&] {
                put<int>(thread(), 7);
                target::block_barrier();
                tell(right ? cluster : block);
            },
            [&] {
                wait(cluster);
                int value = 0;
                emu::load_shared<4>(&value, in_peer(shared<int>(thread() ^ 33), 1));
            });
    });
    expect("a store to global memory, by a release of shared memory", g, race, [&](ground& m, bool right) {
        frame(
            [&] {
                store(m.to(thread()), 7.f);
                if (right)
                    target::thread_fence<thread_scope::cluster>();
                tell(cluster);
            },
            [&] {
                wait(cluster);
                if (right)
                    target::thread_fence<thread_scope::cluster>();
                load(m.to(thread()));
            });
    });
    // That reads are over it tells in any case.
    g.refill();
    expect_fine(run(g.config, [&] {
        frame(
            [&] {
                take<int>(thread());
                load(g.to(thread()));
                tell(block);
            },
            [&] {
                wait(block);
                const int value = 7;
                emu::store_shared<4>(in_peer(shared<int>(thread()), 1), &value);
                store(g.to(thread()), 7.f);
            });
    }));
}
