// Planted bugs of registers that nobody wrote: whatever arithmetic hides of them, and data that looks as they do.
#include "planted.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/mma.hpp>
#include <tegula/tensor.hpp>

using namespace planted;

namespace {

int thread() { return emu::thread_id(); }
const std::vector<std::string> index_of = {"the address was made from a register that was never written"};

template <class T>
T load_as(const ground& m, int i)
{
    T value;
    emu::load_global<sizeof(T)>(&value, reinterpret_cast<const T*>(m.in.data()) + i);
    return value;
}

using amd_tile =
    tegula::mma_tile<tegula::arch::gfx942, tegula::default_atom<tegula::arch::gfx942, tegula::bfloat16>, 64, 64, 2, 1>;

} // namespace

TEST_CASE("pairs: registers that nobody wrote, behind arithmetic", "[emulator]")
{
    ground g;
    expect_pairs(
        g,
        {{"half, stored", never, [](ground& m, bool right) { store_as(m, maybe<tegula::half>(right)); }},
         {"bfloat16, stored", never, [](ground& m, bool right) { store_as(m, maybe<tegula::bfloat16>(right)); }},
         {"a float as half", never,
          [](ground& m, bool right) { store_as(m, tegula::half(maybe<float>(right) * 0.5f)); }},
         {"a float as bfloat16", never,
          [](ground& m, bool right) { store_as(m, tegula::bfloat16(-maybe<float>(right))); }},
         {"a double", never, [](ground& m, bool right) { store_as(m, 3.0 * maybe<double>(right)); }},
         {"a float as double", never,
          [](ground& m, bool right) { store_as(m, static_cast<double>(maybe<float>(right))); }},
         {"an int + 1", never, [](ground& m, bool right) { store_as(m, maybe<std::uint32_t>(right) + 1); }},
         {"an int times 12", never, [](ground& m, bool right) { store_as(m, maybe<std::uint32_t>(right) * 12); }},
         {"a mask of an int", never, [](ground& m, bool right) { store_as(m, maybe<std::uint32_t>(right) & 0xff); }},
         {"a bit of an int", never, [](ground& m, bool right) { store_as(m, maybe<int>(right) >> 3 & 1); }},
         {"a comparison", never, [](ground& m, bool right) { store_as(m, maybe<int>(right) % 2 == 0 ? 5 : 6); }},
         {"an int as float", never,
          [](ground& m, bool right) { store_as(m, static_cast<float>(maybe<int>(right)) * 0.125f); }},
         {"16 bits", never, [](ground& m, bool right) { store_as(m, static_cast<short>(maybe<short>(right) + 3)); }},
         {"a byte", never,
          [](ground& m, bool right) { store_as(m, static_cast<std::int8_t>(maybe<std::int8_t>(right) / 2)); }},
         {"64 bits", never, [](ground& m, bool right) { store_as(m, maybe<long>(right) ^ 1); }},
         {"a sum of ints", never,
          [](ground& m, bool right) { emu::atomic_add(reinterpret_cast<int*>(m.out.data()), maybe<int>(right) & 3); }},
         {"an int through a shuffle", never,
          [](ground&, bool right) {
              int x = maybe<int>(right || thread() != 70) & 0xf;
              emu::shuffle(&x, &x, 4, 5);
          }},
         {"the greater of it and a number, on NVIDIA", never,
          [](ground& m, bool right) { store_as(m, tegula::arch::sm_80::max_number(maybe<float>(right), 2.f)); }},
         {"the greater of a number and it, on AMD", never,
          [](ground& m, bool right) { store_as(m, tegula::arch::gfx942::max_number(0.f, maybe<float>(right))); }},
         {"an index", index_of, [](ground& m, bool right) { store_as(m, load(m.in.data() + maybe<int>(right))); }},
         {"an index of a store to shared memory", index_of,
          [](ground&, bool right) { put<int>(right ? thread() : maybe<int>(right) / 64, 1); }},
         {"accumulators of a block that nobody cleared", never, [](ground& m, bool right) {
              amd_tile::accumulators acc;
              if (right)
                  acc.clear();
              store_as(m, tegula::bfloat16(2 * acc.tiles[0][1] + 1));
          }}});
    g.config.chip = &tegula::chip::gfx942;
    g.config.grid = {3, 1, 1}; // not the first block
    expect_pairs(g, {{"half, in the last block", never, [](ground& m, bool right) {
                          const auto x = maybe<tegula::half>(right || emu::block_id().x < 2);
                          emu::store_global<2>(
                              reinterpret_cast<tegula::half*>(m.out.data()) + 128 * emu::block_id().x + thread(), &x);
                      }}});
}

TEST_CASE("data that looks like poison is data", "[emulator]")
{
    ground g;
    constexpr std::uint32_t looks[] = {emu::poison::first.unset,
                                       emu::poison::first.in_flight,
                                       emu::poison::first.unset_integer,
                                       0xffa5ffa5,
                                       0x7f7f7f7f,
                                       0x7fffffff,
                                       0xffffffff,
                                       0x64046404};
    g.config.grid = {2, 1, 1};
    g.config.order = GENERATE(0, -1, 1);
    const auto fill = [&](int i) { std::memcpy(&g.in[static_cast<std::size_t>(i)], &looks[i % 8], 4); };
    for (int i = 0; i < 256; ++i)
        fill(i);
    expect_fine(run(g.config, [&] {
        auto tile = emu::unset_registers<tegula::array<std::uint32_t, 2>>();
        const int at = 128 * emu::block_id().x + thread();
        tile[0] = load_as<std::uint32_t>(g, at);
        emu::shuffle(&tile[1], &tile[0], 4, emu::lane_id() ^ 8);
        put(thread(), tile[1]);
        emu::store_global<4>(g.to(at), &tile[1]);
    }));
    for (int i = 0; i < 256; ++i)
        CHECK(std::memcmp(&g.out[static_cast<std::size_t>(i)], &looks[i % 8], 4) == 0);
    // A run that is repeated finds memory as the first one did, sums and counters too.
    std::fill(g.out.begin(), g.out.end(), 1.f);
    int tickets = 0, sum = 0;
    g.config.memory.write(&tickets, 4, "tickets").write(&sum, 4, "sum");
    const emu::launch_result result = run(g.config, [&] {
        const int at = 128 * emu::block_id().x + thread();
        const std::uint32_t x = looks[at % 8];
        store(g.to(at), load(g.to(at)) + 1);
        emu::store_global<4>(g.to(512 + at), &x);
        emu::global_atomic(&tickets, [](int n) { return n + 1; });
        emu::atomic_add(&sum, 1);
    });
    expect_fine(result);
    CHECK(g.out[7] == 2.f);
    CHECK(tickets == 256);
    CHECK(sum == 256);
    CHECK(result.counters.global_stores == 8);
}
