// Planted bugs that only sm_90a has: what one lane has waited for, asynchronous copies of global memory, its proxies.
#include "planted_hopper.hpp"

using namespace hopper;
using namespace planted;

namespace {

const std::vector<std::string> race = {"races with the write of", "races with the read of"};

/// The lanes of a wave are at one place of the program, and know no more of each other's memory.
void catch_up()
{
    int x = 0;
    emu::shuffle(&x, &x, 4, 0);
}
/// Wave 0 stores a value a lane and hands it over, by all its lanes.
void hand_over()
{
    put<int>(target::lane_id(), 5);
    mbarrier_arrive(barrier());
}

} // namespace

TEST_CASE("a wait of one lane is that lane's", "[emulator]")
{
    hopper_ground g;
    expect("another lane reads", g, race, [](ground&, bool right) {
        begin(1, 32);
        if (target::wave_id() == 0)
            return hand_over();
        if (right || target::lane_id() == 7)
            mbarrier_wait(barrier(), 0);
        catch_up();
        take<int>(target::lane_id());
    });
    expect("the wave reads before it meets", g, race, [](ground&, bool right) {
        begin(1, 32);
        if (target::wave_id() == 0)
            return hand_over();
        if (target::lane_id() == 0)
            mbarrier_wait(barrier(), 0);
        catch_up();
        if (right)
            target::wave_barrier();
        take<int>(target::lane_id());
    });
    expect("another lane hands it on", g, race, [](ground&, bool right) {
        begin(2, 32);
        const int t = target::thread_id();
        if (t < 32)
            return hand_over();
        if (t == 32 || (right && t == 33))
            mbarrier_wait(barrier(0), 0);
        catch_up();
        if (t == 33)
            emu::mbarrier_arrive(barrier(1), 32);
        if (t == 34) {
            mbarrier_wait(barrier(1), 0);
            take<int>(0);
        }
    });
}

TEST_CASE("lanes that arrive at different times", "[emulator]")
{
    hopper_ground g;
    // Lane 1 is further than lane 0, whose second store it does not hand over.
    expect("a store behind the arrival", g, race, [](ground&, bool right) {
        begin(2, 2);
        const int t = target::thread_id();
        if (t == 0) {
            if (right)
                put<int>(0, 1);
            mbarrier_arrive(barrier(0));
            if (!right)
                put<int>(0, 1);
        } else if (t == 1) {
            mbarrier_arrive(barrier(1));
            mbarrier_arrive(barrier(1));
            mbarrier_arrive(barrier(0));
        } else if (t == 32) {
            mbarrier_wait(barrier(0), 0);
            take<int>(0);
        }
    });
    // Readers of one element arrive one by one, some more than once.
    expect("many readers of one element", g, race, [](ground&, bool right) {
        begin(1, 20);
        const int lane = target::lane_id();
        if (target::wave_id() == 0) {
            if (lane < 9)
                take<int>(0);
            if (lane < 20)
                mbarrier_arrive(barrier());
            if (!right && lane == 4)
                take<int>(0);
        } else if (lane == 3) {
            mbarrier_wait(barrier(), 0);
            put<int>(0, 2);
        }
    });
}

TEST_CASE("asynchronous copies and global memory", "[emulator]")
{
    hopper_ground g;
    const auto by_one = [](const auto& body) {
        if (target::thread_id() == 0)
            body();
    };
    const auto load_tile = [](ground& m) {
        mbarrier_arrive_expect(barrier(), 512);
        bulk_load(shared<float>(), m.to(0), 512, barrier());
    };
    expect("a bulk load of what was stored", g, {"wrote without a proxy fence behind it"}, [&](ground& m, bool right) {
        make_barriers(1, 1);
        store(m.to(target::thread_id()), 7.f);
        if (right)
            fence_proxy_async_global();
        else
            fence_proxy_async(); // which is of shared memory
        target::block_barrier();
        by_one([&] { load_tile(m); });
        mbarrier_wait(barrier(), 0);
        if (take<float>(target::thread_id()) != 7.f)
            emu::fail("the store is not there", "");
    });
    expect("a bulk load of what another wave stores", g,
           {"races with the write of", "which an async copy or a bulk load is still reading", "races with the read of",
            "wrote without a proxy fence"},
           [&](ground& m, bool right) {
               make_barriers(1, 1);
               by_one([&] { load_tile(m); });
               if (right)
                   mbarrier_wait(barrier(), 0);
               if (target::wave_id() == 1)
                   store(m.to(target::lane_id()), 7.f);
               mbarrier_wait(barrier(), 0);
           });
    const auto fill = [] {
        put<float>(target::thread_id(), 9.f);
        fence_proxy_async();
        target::block_barrier();
    };
    expect("what a bulk store writes", g, {"which a bulk store of wave 0, lane 0 at "}, [&](ground& m, bool right) {
        fill();
        by_one([&] {
            bulk_store(m.to(0), shared<float>(), 256);
            bulk_commit();
            if (right)
                bulk_wait<0>();
            else
                bulk_wait_read<0>();
        });
        target::block_barrier();
        if (load(m.to(target::thread_id())) != 9.f)
            emu::fail("the store is not there", "");
    });
    expect("a bulk store over what was stored", g, {"wrote without a proxy fence behind it"},
           [&](ground& m, bool right) {
               store(m.to(target::thread_id()), 1.f);
               if (right)
                   fence_proxy_async_global();
               fill();
               by_one([&] {
                   bulk_store(m.to(0), shared<float>(), 256);
                   bulk_commit();
                   bulk_wait<0>();
               });
           });
    const tensor_map map = emu::describe_tensor_map(matrix_of(g.out.data(), 32, 32, 2, 32));
    REQUIRE(g.out.size() == 1024);
    expect("what a bulk add adds to", g, {"which a bulk add is still adding to"}, [&](ground& m, bool right) {
        fill();
        by_one([&] {
            tensor_add(map, array<int, 2>{0, 0}, shared<float>());
            tensor_add(map, array<int, 2>{0, 0}, shared<float>()); // beside it, which is fine
            bulk_commit();
            if (right)
                bulk_wait<0>();
            else
                bulk_wait_read<0>();
        });
        target::block_barrier();
        if (load(m.to(target::thread_id())) != 20.f)
            emu::fail("the sum is not there", "");
    });
}

TEST_CASE("a lane that looks again and again at an mbarrier", "[emulator]")
{
    hopper_ground g;
    expect("nobody arrives", g, {"looks again and again at an mbarrier that does not change"}, [](ground&, bool right) {
        make_barriers(1, 1);
        if (target::wave_id() == 0)
            while (!mbarrier_test(barrier(), 0))
                ;
        else if (right && target::lane_id() == 31)
            mbarrier_arrive(barrier());
    });
}

TEST_CASE("blocks of a cluster through global memory", "[emulator]")
{
    hopper_ground g;
    g.config.grid = g.config.cluster = {2, 1, 1};
    expect("without the cluster's barrier", g, race, [](ground& m, bool right) {
        const int rank = cluster_rank();
        store(m.to(64 * rank + target::thread_id()), 1.f);
        if (right)
            cluster_barrier();
        load(m.to(64 * (1 - rank) + target::thread_id()));
    });
}
