// More planted bugs that only sm_90a has: masks of lanes, stages of a ring, copies of both proxies.
#include "planted_hopper.hpp"

using namespace hopper;
using namespace planted;

namespace {

const std::vector<std::string> race = {"races with the write of", "races with the read of"};

/// Thread 0 stores 64 floats of shared memory to `to`.
void put_back(float* to, bool waits)
{
    if (thread() != 0)
        return;
    bulk_store(to, shared<float>(), 256);
    bulk_commit();
    if (waits)
        bulk_wait<0>();
    else
        bulk_wait_read<0>();
}
void fill_and_fence(bool fence = true)
{
    put<float>(thread(), 9.f);
    if (fence)
        fence_proxy_async();
    target::block_barrier();
}
void copy_in(const float* from, int bytes = 256)
{
    if (thread() != 0)
        return;
    mbarrier_arrive_expect(barrier(), bytes);
    bulk_load(shared<float>(), from, bytes, barrier());
}

} // namespace

TEST_CASE("pairs: readers of one element, by 1 to 32 lanes", "[emulator]")
{
    hopper_ground g;
    for (int readers = 1; readers <= 32; ++readers) {
        INFO(readers << " lanes read");
        const auto kernel = [readers](ground&, bool right) {
            begin(1, readers);
            if (wave() == 0 && lane() < readers) {
                if (right || lane() != readers - 1)
                    take<int>(0);
                mbarrier_arrive(barrier());
                if (!right && lane() == readers - 1)
                    take<int>(0);
            } else if (thread() == 40) {
                mbarrier_wait(barrier(), 0);
                put<int>(0, 2);
            }
        };
        expect("one of them reads behind its arrival", g, race, kernel);
        expect("one of them arrives for another", g, race, [readers](ground&, bool right) {
            begin(1, readers);
            if (wave() == 0 && lane() < readers) {
                take<int>(0);
                if (right)
                    mbarrier_arrive(barrier());
            }
            if (!right && thread() == 32) // a lane that did not wait for the readers
                emu::mbarrier_arrive(barrier(), readers);
            if (thread() == 40) {
                mbarrier_wait(barrier(), 0);
                put<int>(0, 2);
            }
        });
    }
}

TEST_CASE("pairs: what lanes and masks of lanes know", "[emulator]")
{
    hopper_ground g;
    expect_pairs(g, {{"half of a wave waits", race,
                      [](ground&, bool right) {
                          begin(1, 32);
                          if (wave() == 0) {
                              put<int>(lane(), 5);
                              mbarrier_arrive(barrier());
                              return;
                          }
                          if (lane() < 16)
                              mbarrier_wait(barrier(), 0);
                          int x = 0;
                          emu::shuffle(&x, &x, 4, 0);
                          if (lane() == (right ? 15 : 16))
                              take<int>(3);
                      }},
                     {"one arrives for all, who did not meet", race,
                      [](ground&, bool right) {
                          begin(1, 1);
                          if (wave() == 0) {
                              put<int>(lane(), 5);
                              if (right)
                                  target::wave_barrier();
                              if (lane() == 31)
                                  mbarrier_arrive(barrier());
                              return;
                          }
                          mbarrier_wait(barrier(), 0);
                          take<int>(lane());
                      }},
                     {"a wait for the phase before", race,
                      [](ground&, bool right) {
                          begin(1, 32);
                          if (wave() == 0) {
                              put<int>(lane(), 5);
                              mbarrier_arrive(barrier());
                              return;
                          }
                          mbarrier_wait(barrier(), right ? 0 : 1);
                          take<int>(lane());
                      }},
                     {"a ring of one stage whose reader gives it back too early", race,
                      [](ground&, bool right) {
                          begin(2, 32);
                          for (int round = 0; round < 3; ++round) {
                              if (wave() == 0) {
                                  mbarrier_wait(barrier(1), (round & 1) ^ 1);
                                  put<int>(lane(), round);
                                  mbarrier_arrive(barrier(0));
                              } else {
                                  mbarrier_wait(barrier(0), round & 1);
                                  if (!right)
                                      mbarrier_arrive(barrier(1));
                                  take<int>(lane());
                                  if (right)
                                      mbarrier_arrive(barrier(1));
                              }
                          }
                      }},
                     {"a test that is not looked at", race,
                      [](ground&, bool right) {
                          begin(1, 32);
                          if (wave() == 0) {
                              put<int>(lane(), 5);
                              mbarrier_arrive(barrier());
                              return;
                          }
                          while (!mbarrier_test(barrier(), 0) && right)
                              ;
                          take<int>(lane());
                      }},
                     {"global memory behind another lane's wait", race, [](ground& m, bool right) {
                          begin(1, 32);
                          if (wave() == 0) {
                              store(m.to(lane()), 5.f);
                              mbarrier_arrive(barrier());
                              return;
                          }
                          if (right || lane() == 1)
                              mbarrier_wait(barrier(), 0);
                          load(m.to(lane()));
                      }}});
}

TEST_CASE("pairs: bulk copies and both proxies", "[emulator]")
{
    hopper_ground g;
    const std::vector<std::string> fence = {"without a proxy fence behind it"};
    const std::vector<std::string> flight = {"has in flight", "races with", "without a proxy fence", "is still reading",
                                             "nobody wrote"};
    expect_pairs(g, {{"a bulk store of what has no fence", fence,
                      [](ground& m, bool right) {
                          fill_and_fence(right);
                          put_back(m.to(0), true);
                      }},
                     {"a fence by another lane than the one that stored", fence,
                      [](ground& m, bool right) {
                          put<float>(thread(), 9.f);
                          if (right || thread() == 0)
                              fence_proxy_async();
                          target::block_barrier();
                          put_back(m.to(0), true);
                      }},
                     {"a fence before the store", fence,
                      [](ground& m, bool right) {
                          if (!right)
                              fence_proxy_async();
                          put<float>(thread(), 9.f);
                          if (right)
                              fence_proxy_async();
                          target::block_barrier();
                          put_back(m.to(0), true);
                      }},
                     {"a bulk store without a barrier behind the fences", flight,
                      [](ground& m, bool right) {
                          put<float>(thread(), 9.f);
                          fence_proxy_async();
                          barrier_if(right);
                          put_back(m.to(0), true);
                      }},
                     {"shared memory that a bulk store still reads", flight,
                      [](ground& m, bool right) {
                          fill_and_fence();
                          if (thread() == 0) {
                              bulk_store(m.to(0), shared<float>(), 256);
                              bulk_commit();
                              if (right)
                                  bulk_wait_read<0>();
                          }
                          target::block_barrier();
                          put<float>(thread(), 1.f);
                      }},
                     {"a bulk load into what others still read", flight,
                      [](ground& m, bool right) {
                          begin(1, 1);
                          take<int>(thread());
                          fence_proxy_async();
                          barrier_if(right);
                          copy_in(m.in.data());
                          mbarrier_wait(barrier(), 0);
                      }},
                     {"a bulk load read before its phase", flight,
                      [](ground& m, bool right) {
                          make_barriers(1, 1);
                          copy_in(m.in.data());
                          if (right || wave() == 1)
                              mbarrier_wait(barrier(), 0);
                          take<float>(thread());
                          mbarrier_wait(barrier(), 0);
                      }},
                     {"the target of a bulk store, stored to", flight,
                      [](ground& m, bool right) {
                          fill_and_fence();
                          put_back(m.to(0), right);
                          barrier_if(right);
                          if (thread() == 5)
                              store(m.to(5), 1.f);
                      }},
                     {"the target of a bulk store, read by another wave", flight,
                      [](ground& m, bool right) {
                          fill_and_fence();
                          put_back(m.to(0), true);
                          barrier_if(right);
                          if (wave() == 1)
                              load(m.to(0));
                      }},
                     {"the target of a bulk store, added to", flight,
                      [](ground& m, bool right) {
                          fill_and_fence();
                          put_back(m.to(0), right);
                          target::block_barrier();
                          emu::atomic_add(m.to(3), 1.f);
                      }},
                     {"a bulk load of what a bulk store writes", flight,
                      [](ground& m, bool right) {
                          make_barriers(1, 1);
                          fill_and_fence();
                          if (thread() == 0) {
                              bulk_store(m.to(0), shared<float>(), 256);
                              bulk_commit();
                              if (right)
                                  bulk_wait<0>();
                              mbarrier_arrive_expect(barrier(), 256);
                              bulk_load(shared<float>(1024), m.to(0), 256, barrier());
                          }
                          mbarrier_wait(barrier(), 0);
                          take<float>(1024 + thread());
                      }},
                     {"a bulk load of a workspace that nobody wrote",
                      {"nobody wrote"},
                      [](ground& m, bool right) {
                          make_barriers(1, 1);
                          store(m.work.data() + thread(), 1.f);
                          fence_proxy_async_global();
                          target::block_barrier();
                          copy_in(m.work.data(), right ? 256 : 512);
                          mbarrier_wait(barrier(), 0);
                      }},
                     {"a bulk load of a sum that is not finished", flight,
                      [](ground& m, bool right) {
                          make_barriers(1, 1);
                          emu::atomic_add(m.to(thread()), 1.f);
                          if (right)
                              fence_proxy_async_global();
                          barrier_if(right);
                          copy_in(m.to(0));
                          mbarrier_wait(barrier(), 0);
                          if (right && take<float>(thread()) != 3.f)
                              emu::fail("the sum is not there", "");
                      }},
                     {"a bulk load of a sum without a proxy fence", fence,
                      [](ground& m, bool right) {
                          make_barriers(1, 1);
                          emu::atomic_add(m.to(thread()), 1.f);
                          if (right)
                              fence_proxy_async_global();
                          target::block_barrier();
                          copy_in(m.to(0));
                          mbarrier_wait(barrier(), 0);
                      }},
                     {"a bulk store over a sum without a proxy fence", fence,
                      [](ground& m, bool right) {
                          emu::atomic_add(m.to(thread()), 1.f);
                          if (right)
                              fence_proxy_async_global();
                          fill_and_fence();
                          put_back(m.to(0), true);
                      }},
                     {"a bulk store of sums in shared memory without a proxy fence", fence,
                      [](ground& m, bool right) {
                          put<float>(thread(), 0.f);
                          fence_proxy_async();
                          target::block_barrier();
                          emu::atomic_add(shared<float>(thread() ^ 32), 1.f);
                          if (right || thread() != 9)
                              fence_proxy_async();
                          target::block_barrier();
                          put_back(m.to(0), true);
                      }},
                     {"a copy by a lane into what a bulk load writes", flight, [](ground& m, bool right) {
                          make_barriers(1, 1);
                          copy_in(m.in.data());
                          if (right)
                              mbarrier_wait(barrier(), 0);
                          if (thread() == 3) {
                              emu::async_copy<16>(shared<float4>(3), m.in.data());
                              emu::async_commit();
                              emu::async_wait<0>();
                          }
                          mbarrier_wait(barrier(), 0);
                      }}});
}

TEST_CASE("pairs: blocks of a cluster", "[emulator]")
{
    hopper_ground g;
    g.config.grid = g.config.cluster = {2, 1, 1};
    const std::vector<std::string> any = {"races with", "which nobody wrote", "has in flight", "of the cluster"};
    expect_pairs(g, {{"shared memory of the peer, without the cluster's barrier", any,
                      [](ground&, bool right) {
                          put<int>(thread(), 4);
                          if (right)
                              cluster_barrier();
                          else
                              target::block_barrier();
                          int x;
                          emu::load_shared<4>(&x, emu::in_peer(shared<int>(thread()), 1 - cluster_rank()));
                          cluster_barrier();
                      }},
                     {"global memory that the peer adds to", any,
                      [](ground& m, bool right) {
                          emu::atomic_add(m.to(cluster_rank()), 1.f);
                          if (right)
                              cluster_barrier();
                          load(m.to(1 - cluster_rank()));
                      }},
                     {"one half of the cluster's barrier", any, [](ground& m, bool right) {
                          store(m.to(64 * cluster_rank() + thread()), 1.f);
                          emu::cluster_arrive();
                          if (!right)
                              load(m.to(64 * (1 - cluster_rank()) + thread()));
                          emu::cluster_wait();
                          load(m.to(64 * (1 - cluster_rank()) + thread()));
                      }}});
}
