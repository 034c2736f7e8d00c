// Planted bugs of registers that comparisons turn into numbers: nobody wrote them, or a product has them in flight.
#include "planted_hopper.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/mma.hpp>
#include <tegula/mma/wgmma.hpp>

using namespace planted;

namespace {

const pair compared[] = {
    {"relu by a comparison", never,
     [](ground& m, bool right) {
         const float x = maybe<float>(right);
         store(m.to(thread()), x > 0 ? x : 0.f);
     }},
    {"the lesser by a comparison", never,
     [](ground& m, bool right) {
         const float x = maybe<float>(right);
         store(m.to(thread()), x < 3.f ? x : 3.f);
     }},
    {"clamped on both sides", never,
     [](ground& m, bool right) {
         float x = maybe<float>(right);
         x = x < -1.f ? -1.f : x;
         x = !(x <= 1.f) ? 1.f : x;
         store(m.to(thread()), x);
     }},
    {"a running maximum", never,
     [](ground& m, bool right) {
         float most = maybe<float>(right, -1e30f);
         for (int i = 0; i < 4; ++i) {
             const float x = load(m.in.data() + 4 * thread() % 512 + i);
             if (!(most > x))
                 most = x;
         }
         store(m.to(thread()), most);
     }},
    {"a running minimum in one lane", never,
     [](ground& m, bool right) {
         float least = maybe<float>(right || thread() != 77, 1e30f);
         for (int i = 0; i < 4; ++i) {
             const float x = load(m.in.data() + 4 * thread() % 512 + i);
             if (!(least < x))
                 least = x;
         }
         store(m.to(thread()), least);
     }},
    {"a count of those above", never,
     [](ground& m, bool right) {
         const float x = maybe<float>(right || emu::lane_id() != 3);
         int above = emu::ballot(x > 0.5f) == ~std::uint64_t{0};
         emu::store_global<4>(m.to(thread()), &above);
     }},
    {"a double, compared", never,
     [](ground& m, bool right) {
         const double x = maybe<double>(right);
         store_as(m, x > 0 ? 1.f : 2.f);
     }},
    {"a half, compared as float", never,
     [](ground& m, bool right) {
         const auto x = static_cast<float>(maybe<tegula::half>(right));
         store(m.to(thread()), x > 0 ? x : 0.f);
     }},
    {"float to int", never, [](ground& m, bool right) { store_as(m, static_cast<int>(maybe<float>(right)) & 0xff); }},
    {"half of a pair", never,
     [](ground& m, bool right) {
         auto x = emu::unset_registers<tegula::array<tegula::half, 2>>();
         x[0] = tegula::half(1.f);
         if (right)
             x[1] = x[0];
         emu::store_global<4>(m.to(thread()), &x);
     }},
    {"a distance of a shift", never,
     [](ground& m, bool right) { store_as(m, 0x12345678U >> (maybe<std::uint32_t>(right) & 31)); }},
    {"the source of a shuffle", never,
     [](ground& m, bool right) {
         int x = thread();
         emu::shuffle(&x, &x, 4, maybe<int>(right) & 31);
         emu::store_global<4>(m.to(thread()), &x);
     }},
    {"a predicate", never,
     [](ground& m, bool right) {
         float x = 0;
         emu::load_global<4>(&x, m.in.data() + 5 + thread(), maybe<bool>(right, true));
         store(m.to(thread()), x);
     }},
    {"an atomic maximum", never,
     [](ground& m, bool right) {
         const auto x = static_cast<int>(maybe<std::uint32_t>(right) & 0xffff);
         emu::global_atomic(reinterpret_cast<int*>(&m.total), [=](int old) { return old < x ? x : old; });
     }},
    {"one accumulator of many, behind a product", never,
     [](ground& m, bool right) {
         using tile = tegula::mma_tile<tegula::arch::gfx942,
                                       tegula::default_atom<tegula::arch::gfx942, tegula::bfloat16>, 64, 64, 2, 1>;
         tile::accumulators acc;
         if (right)
             acc.clear();
         else
             for (int i = 0; i + 1 < acc.tiles.size(); ++i)
                 acc.tiles[i] = {};
         float sum = 0;
         for (int i = 0; i < acc.tiles.size(); ++i) {
             const float x = acc.tiles[i][0];
             sum += x > 0 ? x : 0;
         }
         store(m.to(thread()), sum);
     }},
};

} // namespace

TEST_CASE("pairs: registers that nobody wrote, behind comparisons", "[emulator]")
{
    ground g;
    for (const pair& p : compared)
        expect(p.name, g, p.texts, p.kernel);
}

TEST_CASE("pairs: comparisons in a later block", "[emulator]")
{
    ground g;
    g.config.grid = {3, 1, 1};
    expect("relu in the last block", g, never, [](ground& m, bool right) {
        const float x = maybe<float>(right || emu::block_id().x != 2);
        store(m.to(128 * emu::block_id().x + thread()), x > 0 ? x : 0.f);
    });
    expect("the lesser in the last block", g, never, [](ground& m, bool right) {
        const float x = maybe<float>(right || emu::block_id().x != 2);
        store(m.to(128 * emu::block_id().x + thread()), x < 0 ? x : 0.f);
    });
}

namespace {

using f16_atom = tegula::wgmma_atom<hopper::target, tegula::half, tegula::half, float, 8>;
using int8_atom = tegula::wgmma_atom<hopper::target, std::int8_t, std::int8_t, std::int32_t, 8>;
using a_tile = tegula::wgmma_operand<tegula::half, 64, 64>;
using b_tile = tegula::wgmma_operand<tegula::half, 8, 64>;

template <class Atom, class Use>
auto used_early(const Use& use)
{
    return [use](ground& m, bool right) {
        for (int i = thread(); i < (a_tile::bytes + b_tile::bytes) / 16; i += 128)
            put<float4>(i, {});
        hopper::fence_proxy_async();
        hopper::target::block_barrier();
        const auto* memory = reinterpret_cast<const tegula::half*>(tegula::emulator::shared_memory());
        typename Atom::accumulators c{};
        tegula::arch::nvidia::wgmma_fence(c);
        Atom::multiply(c, a_tile::descriptor(memory), b_tile::descriptor(memory + a_tile::elements), false);
        tegula::arch::nvidia::wgmma_commit();
        if (right)
            tegula::arch::nvidia::wgmma_wait<0>(c);
        const auto value = use(c);
        tegula::arch::nvidia::wgmma_wait<0>(c);
        emu::store_global<sizeof(value)>(reinterpret_cast<decltype(use(c))*>(m.out.data()) + thread(), &value);
    };
}

} // namespace

TEST_CASE("pairs: results in flight, behind comparisons", "[emulator]")
{
    hopper_ground g;
    g.config.block_threads = 128;
    const std::vector<std::string> flight = {"of a register that a wgmma has in flight"};
    expect("relu", g, flight, used_early<f16_atom>([](auto& c) { return c[0] > 0 ? c[0] : 0.f; }));
    expect("the lesser", g, flight, used_early<f16_atom>([](auto& c) { return c[1] < 0 ? c[1] : 0.f; }));
    expect("a leaky relu", g, flight, used_early<f16_atom>([](auto& c) { return c[2] >= 0 ? 1 : 2; }));
    expect("bits of an integer", g, flight, used_early<int8_atom>([](auto& c) { return c[1] >> 7 & 3; }));
    expect("whether an integer is above 0", g, flight, used_early<int8_atom>([](auto& c) { return c[1] > 0 ? 1 : 2; }));
    expect("a vote", g, flight,
           used_early<f16_atom>([](auto& c) { return static_cast<int>(emu::ballot(c[0] > 1e9f) != 0 || c[0] < 0); }));
}
