// More planted bugs that any GPU has, one line of difference each: global and shared memory, sums, asynchronous copies.
#include "planted.hpp"

using namespace planted;

namespace {

const std::vector<std::string> race = {"races with the write of wave", "races with the read of wave",
                                       "races with the atomic addition of wave"};

/// Reports of a race on memory that held nothing before.
const std::vector<std::string> early = {"races with the write of wave", "which nobody wrote yet: wave"};

int lane() { return emu::lane_id(); }
int wave() { return emu::wave_id(); }
int thread() { return emu::thread_id(); }
void barrier_if(bool right)
{
    if (right)
        emu::block_barrier();
}
void meet_if(bool right)
{
    if (right)
        emu::wave_barrier();
}
void require(bool holds, bool right)
{
    if (!holds && right)
        emu::fail("the value is not there", "");
}
void copy(ground& m, int to, int from)
{
    emu::async_copy<16>(shared<float4>(to), m.to(4 * from));
    emu::async_commit();
}

} // namespace

TEST_CASE("pairs: waves and lanes through global memory", "[emulator]")
{
    ground g;
    expect_pairs(g, {{"one lane for its wave", race,
                      [](ground& m, bool right) {
                          if (lane() == 63)
                              store(m.to(wave()), 9.f);
                          meet_if(right);
                          require(load(m.to(wave())) == 9.f, right);
                      }},
                     {"the last lane of a wave for the first of the next", race,
                      [](ground& m, bool right) {
                          if (thread() == 63)
                              store(m.to(5), 9.f);
                          barrier_if(right);
                          if (thread() == 64)
                              require(load(m.to(5)) == 9.f, right);
                      }},
                     {"a wave barrier between waves", race,
                      [](ground& m, bool right) {
                          store(m.to(thread()), 9.f);
                          emu::wave_barrier();
                          load(m.to(thread() ^ (right ? 1 : 65)));
                      }},
                     {"the barrier of the third round", race,
                      [](ground& m, bool right) {
                          for (int round = 0; round < 4; ++round) {
                              store(m.to(128 * round + thread()), 1.f);
                              barrier_if(right || round != 2);
                              load(m.to(128 * round + (thread() ^ 64)));
                          }
                      }},
                     {"one buffer where there must be two", race,
                      [](ground& m, bool right) {
                          for (int round = 0; round < 4; ++round) {
                              float* const at = m.to(right ? 128 * (round % 2) : 0);
                              store(at + thread(), 1.f);
                              emu::block_barrier();
                              load(at + (thread() ^ 64));
                          }
                      }},
                     {"a tree of sums", race,
                      [](ground& m, bool right) {
                          store(m.to(thread()), 1.f);
                          for (int half = 64; half > 0; half /= 2) {
                              barrier_if(right || half != 16);
                              if (thread() < half)
                                  store(m.to(thread()), load(m.to(thread())) + load(m.to(thread() + half)));
                          }
                          if (thread() == 0)
                              require(load(m.to(0)) == 128.f, right);
                      }},
                     {"a tree of sums within a wave", race,
                      [](ground& m, bool right) {
                          float* const of_wave = m.to(64 * wave());
                          store(of_wave + lane(), 1.f);
                          for (int half = 32; half > 0; half /= 2) {
                              meet_if(right || half != 1);
                              if (lane() < half)
                                  store(of_wave + lane(), load(of_wave + lane()) + load(of_wave + lane() + half));
                          }
                      }},
                     {"vectors that overlap by one element", race,
                      [](ground& m, bool right) {
                          float4 v{};
                          emu::store_global<16>(m.to(4 * thread()), &v);
                          if (!right && thread() == 70)
                              store(m.to(4 * 69 + 3), 1.f);
                      }},
                     {"halves of one word", race,
                      [](ground& m, bool right) {
                          const short x = 1;
                          emu::store_global<2>(reinterpret_cast<short*>(m.to(0)) + thread(), &x);
                          barrier_if(right);
                          load(m.to(thread() / 2 ^ 1));
                      }},
                     {"a read of two words beside a store of one", race,
                      [](ground& m, bool right) {
                          double two;
                          emu::load_global<8>(&two, m.to(2 * thread()));
                          barrier_if(right);
                          store(m.to(2 * (thread() ^ 64) + 1), 1.f);
                      }},
                     {"a buffer's load", race,
                      [](ground& m, bool right) {
                          store(m.to(thread()), 1.f);
                          barrier_if(right);
                          float4 v;
                          emu::load_buffer<16>(&v, m.to(0), 4096,
                                               static_cast<std::uint32_t>(16 * (31 - thread() % 32)));
                      }},
                     {"every lane stores what one may", race,
                      [](ground& m, bool right) {
                          if (!right || thread() == 0)
                              store(m.to(7), 1.f);
                      }},
                     {"in place, from the neighbour", race, [](ground& m, bool right) {
                          const float next = load(m.to(thread() + 1));
                          barrier_if(right);
                          store(m.to(thread()), next);
                      }}});
}

TEST_CASE("pairs: sums in global memory", "[emulator]")
{
    ground g;
    expect_pairs(g, {{"read, then add", race,
                      [](ground& m, bool right) {
                          if (thread() == 100)
                              load(&m.total);
                          barrier_if(right);
                          emu::atomic_add(&m.total, 1.f);
                      }},
                     {"the sum of one wave, read by another lane of it", race,
                      [](ground& m, bool right) {
                          emu::atomic_add(m.to(wave()), 1.f);
                          meet_if(right);
                          if (lane() == 9)
                              require(load(m.to(wave())) == 66.f, right);
                      }},
                     {"zeroed again for the next round", race,
                      [](ground& m, bool right) {
                          for (int round = 0; round < 2; ++round) {
                              if (thread() == 0)
                                  store(&m.total, 0.f);
                              emu::block_barrier();
                              emu::atomic_add(&m.total, 1.f);
                              barrier_if(right || round == 1);
                          }
                          emu::block_barrier();
                          require(load(&m.total) == 128.f, right);
                      }},
                     {"added to by one wave, stored by the other", race,
                      [](ground& m, bool right) {
                          if (wave() == 0)
                              emu::atomic_add(m.to(lane()), 1.f);
                          else
                              store(m.to(lane() + (right ? 64 : 63)), 1.f);
                      }},
                     {"a ticket, then a plain read", race,
                      [](ground& m, bool right) {
                          emu::global_atomic(&m.total, [](float x) { return x + 1.f; });
                          barrier_if(right);
                          require(load(&m.total) == 128.f, right);
                      }},
                     {"a sum in shared memory, read", race,
                      [](ground&, bool right) {
                          if (thread() == 0)
                              put<float>(0, 0.f);
                          emu::block_barrier();
                          emu::atomic_add(shared<float>(), 1.f);
                          barrier_if(right);
                          require(take<float>(0) == 128.f, right);
                      }},
                     {"a sum in shared memory, not zeroed in time", early,
                      [](ground&, bool right) {
                          put<float>(thread(), 0.f);
                          barrier_if(right);
                          emu::atomic_add(shared<float>(thread() ^ 64), 1.f);
                      }},
                     {"a counter in shared memory, read plainly", race, [](ground&, bool right) {
                          put<int>(thread(), 0);
                          emu::block_barrier();
                          emu::shared_atomic(shared<int>(), [](int x) { return x + 1; });
                          barrier_if(right);
                          require(take<int>(0) == 128, right);
                      }}});
}

TEST_CASE("pairs: barriers of part of the waves", "[emulator]")
{
    ground g;
    g.config.block_threads = 256;
    expect_pairs(g, {{"a named barrier of other waves", race,
                      [](ground& m, bool right) {
                          if (wave() == 0)
                              store(m.to(lane()), 1.f);
                          if (wave() < 2)
                              emu::named_barrier(1, 128);
                          if (wave() == (right ? 1 : 2))
                              load(m.to(lane()));
                      }},
                     {"arriving where one must wait", race,
                      [](ground& m, bool right) {
                          if (wave() == 0)
                              store(m.to(lane()), 1.f);
                          if (wave() == 0 || (wave() == 1 && !right))
                              emu::named_barrier_arrive(2, 128);
                          else if (wave() == 1)
                              emu::named_barrier(2, 128);
                          if (wave() == 1)
                              load(m.to(lane()));
                      }},
                     {"the wrong one of two numbers", race,
                      [](ground& m, bool right) {
                          if (wave() == 0)
                              store(m.to(lane()), 1.f);
                          const int pair = wave() / 2;
                          emu::named_barrier(1 + pair, 128);
                          if (wave() == (right ? 1 : 3))
                              load(m.to(lane()));
                      }},
                     {"three waves where it counts two",
                      {"is reached by more waves", "is skipped", "wait"},
                      [](ground&, bool right) {
                          if (wave() < 3)
                              emu::named_barrier(1, right ? 192 : 128);
                      }},
                     {"handed on by a wave that came too early", race, [](ground& m, bool right) {
                          if (wave() == 0)
                              store(m.to(lane()), 1.f);
                          if (right ? wave() < 2 : wave() == 1 || wave() == 3)
                              emu::named_barrier(1, 128);
                          if (wave() == 1 || wave() == 2)
                              emu::named_barrier(2, 128);
                          if (wave() == 2)
                              load(m.to(lane()));
                      }}});
}

TEST_CASE("pairs: shared memory", "[emulator]")
{
    ground g;
    expect_pairs(g, {{"a transposition", early,
                      [](ground&, bool right) {
                          put<int>(thread(), thread());
                          barrier_if(right);
                          require(take<int>(thread() % 16 * 8 + thread() / 16) == thread() % 16 * 8 + thread() / 16,
                                  right);
                      }},
                     {"the second barrier of a round", race,
                      [](ground&, bool right) {
                          for (int round = 0; round < 3; ++round) {
                              put<int>(thread(), round);
                              emu::block_barrier();
                              take<int>(thread() ^ 64);
                              barrier_if(right);
                          }
                      }},
                     {"a byte of a word", early,
                      [](ground&, bool right) {
                          put<int>(thread(), 1);
                          meet_if(right);
                          take<char>(4 * (thread() ^ 3) + 2);
                      }},
                     {"what one lane publishes", early,
                      [](ground&, bool right) {
                          if (lane() == 40)
                              put<int>(wave(), 1);
                          meet_if(right);
                          take<int>(wave());
                      }},
                     {"one element past what was written", {"which nobody wrote"}, [](ground&, bool right) {
                          put<int>(thread(), 1);
                          emu::block_barrier();
                          take<int>(thread() + (right ? 0 : 1));
                      }}});
}

TEST_CASE("pairs: copies of lanes in flight", "[emulator]")
{
    ground g;
    g.config.chip = &tegula::chip::sm_80;
    const std::vector<std::string> flight = {"has in flight", "races with the write of wave"};
    const std::vector<std::string> source = {"which an async copy or a bulk load is still reading",
                                             "races with the read of wave", "races with the write of wave",
                                             "races with the atomic addition of wave"};
    expect_pairs(g, {{"read by the copier before its wait", flight,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          if (right)
                              emu::async_wait<0>();
                          take<float4>(thread());
                          emu::async_wait<0>();
                      }},
                     {"the older of two groups is waited for", flight,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          copy(m, 128 + thread(), thread());
                          emu::async_wait<1>();
                          take<float4>(thread() + (right ? 0 : 128));
                      }},
                     {"a copy that was not committed", flight,
                      [](ground& m, bool right) {
                          emu::async_copy<16>(shared<float4>(thread()), m.to(4 * thread()));
                          if (right)
                              emu::async_commit();
                          emu::async_wait<0>();
                          take<float4>(thread());
                      }},
                     {"read by another lane without a barrier", early,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          emu::async_wait<0>();
                          meet_if(right);
                          take<float4>(thread() ^ 1);
                      }},
                     {"read by another wave behind its own wait only", flight,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          if (right)
                              emu::async_wait<0>();
                          emu::block_barrier();
                          emu::async_wait<0>();
                          take<float4>(thread() ^ 64);
                      }},
                     {"the destination is stored to", flight,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          if (right)
                              emu::async_wait<0>();
                          put<float>(4 * thread() + 2, 1.f);
                          emu::async_wait<0>();
                      }},
                     {"two lanes copy to one place", flight,
                      [](ground& m, bool right) {
                          copy(m, right ? thread() : thread() & ~1, thread());
                          emu::async_wait<0>();
                      }},
                     {"over what another wave still reads",
                      {"races with the read of wave", "has in flight", "races with the write"},
                      [](ground& m, bool right) {
                          put<float4>(thread(), {});
                          emu::block_barrier();
                          take<float4>(thread() ^ 64);
                          barrier_if(right);
                          copy(m, thread(), thread());
                          emu::async_wait<0>();
                      }},
                     {"the source is added to", source,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          if (right) {
                              emu::async_wait<0>();
                              emu::block_barrier();
                          }
                          emu::atomic_add(m.to(4 * (thread() ^ 1)), 1.f);
                          emu::async_wait<0>();
                      }},
                     {"the source is a sum that is not finished", source,
                      [](ground& m, bool right) {
                          emu::atomic_add(m.to(4 * (thread() ^ 64)), 1.f);
                          barrier_if(right);
                          copy(m, thread(), thread());
                          emu::async_wait<0>();
                          require(take<float>(4 * thread()) == 3.f, right);
                      }},
                     {"the source is stored to by a lane beside", source,
                      [](ground& m, bool right) {
                          copy(m, thread(), thread());
                          emu::async_wait<0>();
                          meet_if(right);
                          store(m.to(4 * (thread() ^ 2)), 1.f);
                      }},
                     {"the source is a workspace that nobody wrote", {"which nobody wrote"}, [](ground& m, bool right) {
                          float4 v{};
                          if (right || thread() != 3)
                              emu::store_global<16>(m.work.data() + 4 * thread(), &v);
                          emu::async_copy<16>(shared<float4>(thread()), m.work.data() + 4 * thread());
                          emu::async_commit();
                          emu::async_wait<0>();
                      }}});
}
