// Planted bugs of kernels that go in rounds, of barriers that order less than they seem to, and of copies of whole waves.
#include "planted_hopper.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/target.hpp>

using namespace planted;

namespace {

const std::vector<std::string> race = {"races with the", "which nobody wrote", "has in flight", "writes too"};

int tid() { return emu::thread_id(); }
int lid() { return emu::lane_id(); }
int wid() { return emu::wave_id(); }

} // namespace

TEST_CASE("pairs: rounds, arrays and barriers in other forms", "[emulator]")
{
    ground g;
    expect_pairs(g, {{"the next tile's number, broadcast without a second barrier", race,
                      [](ground& m, bool right) {
                          if (tid() == 0)
                              store(m.work.data(), 0.f);
                          for (int round = 0; round < 3; ++round) {
                              if (tid() == 0)
                                  put<int>(0, round);
                              emu::block_barrier();
                              const int tile = take<int>(0);
                              store(m.to(128 * tile + tid()), 1.f);
                              if (right)
                                  emu::block_barrier();
                          }
                      }},
                     {"two buffers, a barrier every second round", race,
                      [](ground&, bool right) {
                          for (int round = 0; round < 4; ++round) {
                              put<int>(128 * (round % 2) + tid(), round);
                              if (right || round % 2 == 0)
                                  emu::block_barrier();
                              take<int>(128 * (round % 2) + (tid() ^ 64));
                          }
                      }},
                     {"two buffers used as one", race,
                      [](ground&, bool right) {
                          for (int round = 0; round < 4; ++round) {
                              put<int>(right ? 128 * (round % 2) + tid() : tid(), round);
                              emu::block_barrier();
                              take<int>(right ? 128 * (round % 2) + (tid() ^ 64) : tid() ^ 64);
                          }
                      }},
                     {"moved up in place", race,
                      [](ground& m, bool right) {
                          const float x = load(m.to(tid() + 64));
                          if (right)
                              emu::block_barrier();
                          store(m.to(tid()), x);
                      }},
                     {"a transposed tile in place", race,
                      [](ground& m, bool right) {
                          const int i = tid() / 16, j = tid() % 16;
                          const float x = load(m.to(16 * j + i));
                          if (right)
                              emu::block_barrier();
                          store(m.to(16 * i + j), x);
                      }},
                     {"a tree of sums, the last rounds without a barrier", race,
                      [](ground&, bool right) {
                          put<float>(tid(), 1.f);
                          emu::block_barrier();
                          for (int half = 64; half > 0; half /= 2) {
                              float x = 0;
                              if (tid() < half)
                                  x = take<float>(tid()) + take<float>(tid() + half);
                              if (tid() < half)
                                  put<float>(tid(), x);
                              if (right || half > 32)
                                  emu::block_barrier();
                          }
                      }},
                     {"a scan by doubling, one buffer", race,
                      [](ground&, bool right) {
                          put<int>(tid(), 1);
                          emu::block_barrier();
                          for (int by = 1; by < 128; by *= 2) {
                              int x = take<int>(tid());
                              if (tid() >= by)
                                  x += take<int>(tid() - by);
                              if (right)
                                  emu::block_barrier();
                              put<int>(tid(), x);
                              emu::block_barrier();
                          }
                      }},
                     {"a histogram that one wave clears", race,
                      [](ground&, bool right) {
                          if (wid() == 0)
                              put<int>(lid(), 0);
                          if (right)
                              emu::block_barrier();
                          emu::shared_atomic(shared<int>(tid() % 64), [](int old) { return old + 1; });
                          emu::block_barrier();
                          take<int>(lid());
                      }},
                     {"bytes of one word by two waves, read as a word", race,
                      [](ground& m, bool right) {
                          auto* const bytes = reinterpret_cast<std::uint8_t*>(m.out.data());
                          const std::uint8_t one = 1;
                          emu::store_global<1>(bytes + 2 * lid() + wid(), &one);
                          if (right)
                              emu::block_barrier();
                          std::uint16_t two = 0;
                          emu::load_global<2>(&two, bytes + 2 * lid());
                      }},
                     {"a named barrier of one half, data of the other", race,
                      [](ground&, bool right) {
                          put<int>(tid(), 1);
                          if (right)
                              emu::named_barrier(1, 128);
                          else
                              emu::named_barrier(1 + wid(), 64);
                          take<int>(tid() ^ 64);
                      }},
                     {"rows of a matrix that a wave too many writes", race, [](ground& m, bool right) {
                          const int rows = right ? 2 : 3;
                          for (int row = wid(); row < rows; row += wid() == 0 ? 2 : 1)
                              store(m.to(64 * row + lid()), 1.f);
                      }}});
    // Two blocks: rows that both own.
    g.config.grid = {2, 1, 1};
    expect_pairs(g, {{"a halo that the neighbour writes",
                      {"of block", "reads too", "races with", "writes too", "which block"},
                      [](ground& m, bool right) {
                          const int at = 128 * emu::block_id().x + tid();
                          const float x = load(right ? m.in.data() + at + 1 : m.to(at + 1));
                          store(m.to(at), x);
                      }},
                     {"a last row that two blocks round up to",
                      {"of block", "writes too", "races with", "which block"},
                      [](ground& m, bool right) {
                          const int first = 100 * emu::block_id().x;
                          if (tid() < (right ? 100 : 104))
                              store(m.to(first + tid()), 1.f);
                      }}});
}

TEST_CASE("pairs: barriers of RDNA and CDNA in other forms", "[emulator]")
{
    const auto each = [](auto t) {
        using target = decltype(t);
        ground g;
        g.config.chip = &tegula::chip_of<target>;
        g.config.block_threads = 2 * target::wave_size;
        expect("a sum in global memory, read through a buffer", g, race, [](ground& m, bool right) {
            emu::atomic_add(m.to(tid() % 4), 1.f);
            if (right)
                target::block_barrier();
            else
                target::shared_barrier();
            if (wid() == 1) {
                float4 v;
                emu::load_buffer<16>(&v, m.out.data(), 64, 0);
            }
        });
        expect("two rounds through a workspace", g, race, [](ground& m, bool right) {
            for (int round = 0; round < 2; ++round) {
                store(m.work.data() + tid(), 1.f);
                target::block_barrier();
                load(m.work.data() + (tid() ^ target::wave_size));
                if (right)
                    target::block_barrier();
                else
                    target::shared_barrier();
            }
        });
        expect("a fence by the wave that reads alone", g, race, [](ground& m, bool right) {
            if (wid() == 0) {
                store(m.to(lid()), 1.f);
                if (right)
                    target::template thread_fence<tegula::thread_scope::block>();
            }
            target::shared_barrier();
            if (wid() == 1) {
                target::template thread_fence<tegula::thread_scope::block>();
                load(m.to(lid()));
            }
        });
    };
    each(tegula::arch::gfx950{});
    each(tegula::arch::gfx1100{});
    each(tegula::arch::gfx1250{});
}

TEST_CASE("pairs: clusters and warpgroups in other forms", "[emulator]")
{
    using namespace hopper;
    hopper_ground g;
    g.config = two_blocks();
    g.config.grid = g.config.cluster = {4, 1, 1};
    g.refill();
    expect("by way of a block between, whose arrival is of a block's scope", g, race, [&](ground&, bool right) {
        begin(2, 64);
        cluster_barrier();
        const auto rank = cluster_rank();
        if (rank == 1) {
            put<int>(thread(), 7);
            mbarrier_arrive<mbarrier_scope::cluster>(address_in_peer(barrier(0), 0), 0);
        } else if (rank == 0) {
            mbarrier_wait<mbarrier_scope::cluster>(barrier(0), 0);
            if (right)
                mbarrier_arrive<mbarrier_scope::cluster>(address_in_peer(barrier(1), 2), 0);
            else
                mbarrier_arrive_at(barrier(1), 2);
        } else if (rank == 2) {
            mbarrier_wait<mbarrier_scope::cluster>(barrier(1), 0);
            int value = 0;
            emu::load_shared<4>(&value, in_peer(shared<int>(thread()), 1));
        }
        cluster_barrier();
    });
    expect("a block that ends while a peer still reads its shared memory", g,
           {"has ended", "returned", "leaves", "left", "before the block"}, [&](ground&, bool right) {
               put<int>(thread(), 7);
               cluster_barrier();
               int value = 0;
               if (cluster_rank() == 3)
                   emu::load_shared<4>(&value, in_peer(shared<int>(thread()), 2));
               if (right)
                   cluster_barrier();
           });
    g.config = one_block();
    g.config.block_threads = 256;
    g.refill();
    expect("setmaxnreg by one lane", g, {"is skipped by", "is reached by", "returned from the kernel"},
           [&](ground&, bool right) {
               if (right || lane() == 0)
                   decrease_registers<40>();
           });
    g.config.block_threads = 64;
    g.refill();
    expect("a stage given back before it is read", g, race, [&](ground&, bool right) {
        put<int>(thread(), 1);
        target::block_barrier();
        for (int round = 0; round < 2; ++round) {
            if (wave() == 0) {
                if (round > 0)
                    emu::named_barrier(2, 64);
                put<int>(thread(), round);
                emu::named_barrier_arrive(1, 64);
            } else {
                emu::named_barrier(1, 64);
                if (!right && round == 0)
                    emu::named_barrier_arrive(2, 64);
                take<int>(lane());
                if (right && round == 0)
                    emu::named_barrier_arrive(2, 64);
            }
        }
    });
    expect("a parity that does not turn in the third round", g, {"races with the", "is left in the wrong phase"},
           [&](ground&, bool right) {
               begin(2, 32);
               for (int round = 0; round < 4; ++round) {
                   if (wave() == 0) {
                       if (round > 0)
                           mbarrier_wait(barrier(1), (round - 1) % 2);
                       put<int>(lane(), round);
                       mbarrier_arrive(barrier(0));
                   } else {
                       mbarrier_wait(barrier(0), right || round != 2 ? round % 2 : 1);
                       take<int>(lane());
                       mbarrier_arrive(barrier(1));
                   }
               }
           });
    expect("copies of lanes, one group too many left in flight at the end", g, race, [&](ground& m, bool right) {
        for (int i = 0; i < 3; ++i) {
            emu::async_copy<4>(shared<float>(64 * i + thread()), m.in.data() + 64 * i + thread());
            emu::async_commit();
        }
        for (int i = 0; i < 3; ++i) {
            if (i < 2 || !right)
                emu::async_wait<1>();
            else
                emu::async_wait<0>();
            target::block_barrier();
            take<float>(64 * i + 63 - thread());
        }
        emu::async_wait<0>();
    });
}

TEST_CASE("pairs: copies of whole waves in other forms", "[emulator]")
{
    {
        using target = tegula::arch::gfx950;
        ground g;
        g.config.chip = &tegula::chip::gfx950;
        const auto copy_in = [](ground& m, int stage) {
            if (wid() == 0)
                target::load_direct({m.in.data() + 256 * stage, 1024}, static_cast<std::uint32_t>(16 * lid()),
                                    emu::shared_memory() + 1024 * stage);
        };
        expect("two stages, the wait leaves both", g, race, [&](ground& m, bool right) {
            copy_in(m, 0);
            copy_in(m, 1);
            if (right)
                target::direct_barrier<1>();
            else
                target::direct_barrier<2>();
            take<float>(tid());
            target::direct_barrier<0>();
            take<float>(256 + tid());
        });
        expect("a wait that counts two additions behind the load, of which there is one", g, race,
               [&](ground& m, bool right) {
                   copy_in(m, 0);
                   for (int i = 0; i < (right ? 2 : 1); ++i)
                       target::atomic_add(&m.total, 1.0f);
                   target::direct_barrier<0, 2>();
                   take<float>(tid());
                   target::direct_barrier<0>();
               });
        expect("the waiting wave is not the one that loads", g, race, [&](ground& m, bool right) {
            copy_in(m, 0);
            if (right || wid() == 1)
                target::direct_barrier<0>();
            else
                target::shared_barrier();
            take<float>(tid());
            target::direct_barrier<0>();
        });
        expect("a stage loaded again without a barrier behind its reads", g, race, [&](ground& m, bool right) {
            copy_in(m, 0);
            target::direct_barrier<0>();
            take<float>(tid());
            if (right)
                target::shared_barrier();
            copy_in(m, 0);
            target::direct_barrier<0>();
        });
    }
    {
        using target = tegula::arch::gfx1250;
        ground g;
        g.config.chip = &tegula::chip::gfx1250;
        g.config.block_threads = 64;
        const auto tile = [](ground& m, std::uint32_t to = 0) {
            tegula::tensor_tile t;
            t.global = reinterpret_cast<std::uintptr_t>(m.out.data());
            t.shared = to;
            t.element_bytes = 4;
            t.rows = t.tile_rows = 4;
            t.columns = t.tile_columns = 32;
            t.row_stride = 32;
            return tegula::encode(t);
        };
        expect("a tile of what another wave stored, behind a barrier of shared memory", g, race,
               [&](ground& m, bool right) {
                   if (wid() == 1)
                       store(m.to(lid()), 4.f);
                   if (right)
                       target::block_barrier();
                   else
                       target::shared_barrier();
                   if (wid() == 0) {
                       target::load_tile(tile(m));
                       target::wait_for_tiles<0>();
                   }
                   target::shared_barrier();
                   take<float>(tid());
               });
        expect("a tile waited for by another wave", g, race, [&](ground& m, bool right) {
            if (wid() == 0)
                target::load_tile(tile(m));
            if (right || wid() == 1)
                target::wait_for_tiles<0>();
            target::shared_barrier();
            take<float>(tid());
            target::wait_for_tiles<0>();
        });
        expect("a tile over what another wave still reads", g, race, [&](ground& m, bool right) {
            put<int>(tid(), 1);
            target::shared_barrier();
            take<int>(tid() ^ 32);
            if (right)
                target::shared_barrier();
            if (wid() == 0) {
                target::load_tile(tile(m));
                target::wait_for_tiles<0>();
            }
            target::shared_barrier();
        });
        expect("a tile of one wave, read without a barrier", g, race, [&](ground& m, bool right) {
            if (wid() == 0) {
                target::load_tile(tile(m));
                target::load_tile(tile(m, 512));
                if (right)
                    target::wait_for_tiles<0>();
                else
                    target::wait_for_tiles<1>();
                take<float>(128 + 63 - tid());
                target::wait_for_tiles<0>();
            }
        });
        expect("a source that is stored to before the wait", g, {"is still reading", "races with the"},
               [&](ground& m, bool right) {
                   if (wid() == 0) {
                       target::load_tile(tile(m));
                       if (right)
                           target::wait_for_tiles<0>();
                       store(m.to(lid()), 1.f);
                       target::wait_for_tiles<0>();
                   }
               });
    }
}
