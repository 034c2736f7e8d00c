// More planted bugs that any GPU has: operations that lanes do not share, values nobody wrote or that vary, arrays side
// by side in one allocation.
#include "planted.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/tensor.hpp>

using namespace planted;

namespace {

using target = tegula::arch::gfx942;

int lane() { return emu::lane_id(); }
int wave() { return emu::wave_id(); }
int thread() { return emu::thread_id(); }
int shuffled(int x, int source, tegula::call_site where = tegula::call_site::here())
{
    emu::shuffle(&x, &x, 4, source, where);
    return x;
}

using tile = tegula::coalesced<target, float, 16, 16, 1>; // a matrix for each wave

/// Rows of 16.
template <class T>
auto matrix(T* data, int rows, const char* name)
{
    using namespace tegula;
    return make_tensor_view<target, address_space::global>(
        data, make_strided_descriptor(make_tuple(rows, 16), make_tuple(16, constant<1>{}), constant<4>{}), name);
}

void fill(tegula::distributed_tensor<float, tile>& x)
{
    for (int r = 0; r < tile::num_registers; ++r)
        x.registers[r] = 1;
}

/// Two arrays of 512 in one allocation, the second behind the first.
float* left(ground& m) { return m.out.data(); }
float* right_one(ground& m) { return m.out.data() + 512; }

} // namespace

TEST_CASE("pairs: operations that part of the lanes skip", "[emulator]")
{
    ground g;
    g.config.block_threads = 256;
    const std::vector<std::string> skipped = {": each is skipped by part of the wave"};
    const std::vector<std::string> returned = {"is skipped by part of the wave: lane", "returned from the kernel",
                                               "is skipped by"};
    expect_pairs(g, {{"ballot", skipped,
                      [](ground&, bool right) {
                          if (right || lane() > 3)
                              emu::ballot(true);
                          else
                              emu::ballot(false);
                      }},
                     {"a named barrier", skipped,
                      [](ground&, bool right) {
                          if (right || lane() != 0)
                              emu::named_barrier(3, 256);
                          else
                              emu::named_barrier(3, 256);
                      }},
                     {"a named barrier, arriving in one branch", skipped,
                      [](ground&, bool right) {
                          if (right ? wave() < 2 : lane() < 2)
                              emu::named_barrier_arrive(3, 256);
                          else
                              emu::named_barrier(3, 256);
                      }},
                     {"named barriers of two numbers on one line", skipped,
                      [](ground&, bool right) { emu::named_barrier(right || lane() < 32 ? 3 : 4, 256); }},
                     {"shuffles of two sizes of one line apart", skipped,
                      [](ground&, bool right) {
                          int x = right || lane() < 7 ? shuffled(1, 0) : 0;
                          if (!right && lane() >= 7)
                              x = shuffled(2, 0);
                          emu::uniform(right ? x : 0);
                      }},
                     {"the inner of two branches", skipped,
                      [](ground&, bool right) {
                          if (wave() == 1) {
                              if (right || lane() == 63)
                                  emu::wave_barrier();
                              else
                                  emu::wave_barrier();
                          } else {
                              emu::wave_barrier();
                          }
                      }},
                     {"one case of a switch", skipped,
                      [](ground&, bool right) {
                          switch (right ? wave() : lane() % 3) {
                          case 0:
                              shuffled(0, 1);
                              break;
                          case 1:
                              shuffled(1, 1);
                              break;
                          default:
                              shuffled(2, 1);
                          }
                      }},
                     {"a round more for some lanes", returned,
                      [](ground&, bool right) {
                          for (int i = 0; i < (right ? 3 : 3 + lane() / 60); ++i)
                              emu::wave_barrier();
                      }},
                     {"early return", returned,
                      [](ground&, bool right) {
                          if (right ? wave() == 2 : lane() == 2)
                              return;
                          shuffled(1, 0);
                      }},
                     {"a barrier that one wave does not come to",
                      {"wait", "returned from the kernel", "skip"},
                      [](ground&, bool right) {
                          if (right || wave() != 3)
                              emu::block_barrier();
                      }},
                     {"a barrier in one branch, a shuffle in the other", skipped, [](ground&, bool right) {
                          if (right ? wave() == 0 : lane() == 0)
                              emu::wave_barrier();
                          else
                              shuffled(1, 0);
                      }}});
}

TEST_CASE("pairs: values that vary, and values that nobody wrote", "[emulator]")
{
    ground g;
    const std::vector<std::string> varies = {"uniform varies: "};
    const std::vector<std::string> unwritten = {"which nobody wrote"};
    const std::vector<std::string> unset = {"of a register that was never written"};
    expect_pairs(
        g,
        {{"a uniform index of the thread", varies,
          [](ground&, bool right) { emu::uniform(thread() / (right ? 64 : 32)); }},
         {"uniform in the last lane only", varies,
          [](ground&, bool right) { emu::uniform(!right && lane() == 63 ? 1 : 0); }},
         {"uniform of what was loaded", varies,
          [](ground& m, bool right) { emu::uniform(static_cast<int>(load(m.in.data() + (right ? wave() : lane())))); }},
         {"the second of two uniform values", varies,
          [](ground&, bool right) {
              emu::uniform(wave());
              emu::uniform(right ? 5 : lane() % 2);
              emu::wave_barrier();
          }},
         {"the base of a buffer, by a row a lane",
          {"the base or the length of a buffer varies"},
          [](ground& m, bool right) {
              float4 v;
              emu::load_buffer<16>(&v, m.in.data() + 16 * (right ? wave() : lane() / 32), 64, 0);
          }},
         {"the length of a buffer, clipped by each lane",
          {"the base or the length of a buffer varies"},
          [](ground& m, bool right) {
              float4 v;
              emu::load_buffer<16>(&v, m.in.data(), right ? 256 : static_cast<std::uint32_t>(256 - lane() * 4),
                                   static_cast<std::uint32_t>(lane()) * 4 / 16 * 16);
          }},
         {"a buffer before its array",
          {"out of bounds"},
          [](ground& m, bool right) {
              float4 v;
              emu::load_buffer<16>(&v, m.in.data() - (right ? 0 : 4), 128, 32);
          }},
         {"a row of a workspace", unwritten,
          [](ground& m, bool right) {
              if (right || wave() == 0)
                  store(m.work.data() + thread(), 0.f);
              emu::block_barrier();
              load(m.work.data() + 127 - thread());
          }},
         {"past the end of what was written of a workspace", unwritten,
          [](ground& m, bool right) {
              store(m.work.data() + thread(), 0.f);
              emu::block_barrier();
              float4 v;
              emu::load_global<16>(&v, m.work.data() + (right ? 124 : 128));
          }},
         {"a ticket in a workspace", unwritten,
          [](ground& m, bool right) {
              if (right && thread() == 0)
                  store(m.work.data() + 8, 0.f);
              emu::block_barrier();
              emu::global_atomic(m.work.data() + 8, [](float x) { return x + 1; });
          }},
         {"a register tile", unset,
          [](ground& m, bool right) {
              auto tile = emu::unset_registers<float4>();
              for (int i = 0; i < (right ? 4 : 3); ++i)
                  tile.x[i] = 1;
              emu::store_global<16>(m.to(4 * thread()), &tile);
          }},
         {"what was computed from a register tile", unset,
          [](ground& m, bool right) {
              auto tile = emu::unset_registers<float4>();
              tile.x[0] = 1;
              store(m.to(thread()), 2 * tile.x[right ? 0 : 1] + 1);
          }},
         {"a register tile to shared memory", unset,
          [](ground&, bool right) {
              auto tile = emu::unset_registers<float4>();
              if (right)
                  tile = {};
              put<float4>(thread(), tile);
          }},
         {"a register tile that is added", unset,
          [](ground& m, bool right) {
              auto tile = emu::unset_registers<float4>();
              if (right)
                  tile.x[2] = 1;
              emu::atomic_add(&m.total, tile.x[2]);
          }},
         {"a register tile through a shuffle", unset,
          [](ground&, bool right) {
              auto tile = emu::unset_registers<float4>();
              if (right || lane() != 9)
                  tile.x[1] = 1;
              emu::shuffle(&tile.x[1], &tile.x[1], 4, 0);
          }},
         {"a distributed tensor that only some branch writes", unset, [](ground& m, bool right) {
              tegula::distributed_tensor<float, tile> ones;
              if (right)
                  fill(ones);
              tegula::store(tegula::make_tile_window<tile>(matrix(m.to(256 * wave()), 16, "out"), {0, 0}), ones);
          }}});
}

TEST_CASE("pairs: arrays side by side", "[emulator]")
{
    ground g;
    g.refills = [](ground& m) {
        m.config.memory = {};
        m.config.memory.write(left(m), 2048, "left").write(right_one(m), 2048, "right").read(m.in.data(), 4096, "in");
    };
    const std::vector<std::string> past = {"of left, out of bounds: it has 2048 bytes"};
    const std::vector<std::string> before = {"of right, out of bounds: it has 2048 bytes"};
    expect_pairs(g, {{"a view with a row too many", past,
                      [](ground& m, bool right) {
                          const auto view = matrix(static_cast<const float*>(left(m)), right ? 32 : 33, "view");
                          tegula::load(tegula::make_tile_window<tile>(view, {24 + 8 * wave(), 0}));
                      }},
                     {"a tile stored past the last row", past,
                      [](ground& m, bool right) {
                          tegula::distributed_tensor<float, tile> ones;
                          fill(ones);
                          if (wave() == 0)
                              tegula::store(
                                  tegula::make_tile_window<tile>(matrix(left(m), right ? 32 : 40, "view"), {24, 0}),
                                  ones);
                      }},
                     {"a tile that begins before its array", before,
                      [](ground& m, bool right) {
                          const auto view = matrix(static_cast<const float*>(right_one(m)), 32, "view");
                          const auto window = tegula::make_tile_window<tile>(view, {right ? 0 : -1, 0});
                          tegula::distributed_tensor<float, tile> in;
                          if (right)
                              tegula::load<tegula::bounds::unchecked>(in, window);
                          else if (lane() < 4) { // a row above, as if it had been given with the view
                              const tegula::index_t x[] = {-1, 4 * lane()};
                              emu::set_element("view", x, 2, view.data);
                              load(view.data - 16 + 4 * lane());
                          }
                      }},
                     {"a copy by lanes of one vector too many", past,
                      [](ground& m, bool right) {
                          const tegula::index_t x[] = {4 * thread()};
                          emu::set_element("left", x, 1, left(m));
                          emu::load_global<16>(&m.spare[thread()], left(m) + 4 * thread() + (right ? 0 : 4));
                      }},
                     {"an addition to the neighbour", past,
                      [](ground& m, bool right) {
                          const tegula::index_t x[] = {0};
                          emu::set_element("left", x, 1, left(m));
                          emu::atomic_add(left(m) + (right ? 511 : 512), 1.f);
                      }},
                     {"a buffer that runs into the neighbour",
                      {"buffer of 2052 bytes at byte 0 of left, out of bounds", "buffer of 2052 bytes"},
                      [](ground& m, bool right) {
                          float4 v;
                          emu::load_buffer<16>(&v, left(m), right ? 2048 : 2052, 0);
                      }}});
    g.config.chip = &tegula::chip::sm_80;
    expect_pairs(g, {{"an asynchronous copy of the neighbour", past, [](ground& m, bool right) {
                          const tegula::index_t x[] = {4 * thread()};
                          emu::set_element("left", x, 1, left(m));
                          emu::async_copy<16>(shared<float4>(thread()), left(m) + 4 * thread() + (right ? 0 : 4));
                          emu::async_commit();
                          emu::async_wait<0>();
                      }}});
    // An access without a named array may reach any array. Memory of overlapping arrays belongs to both.
    expect_fine(run(g.config, [&] { load(left(g) + 448 + thread()); }));
    g.config.memory.read(left(g), 4096, "both");
    expect_fine(run(g.config, [&] {
        const tegula::index_t x[] = {0};
        emu::set_element("both", x, 1, left(g));
        load(left(g) + 448 + thread());
    }));
}
