// Thirty more planted bugs of registers, accumulators, places, widths and call sites, in other forms than the tables beside
// the mended causes have.
#include "planted_hopper.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/mma.hpp>
#include <tegula/mma/wgmma.hpp>
#include <tegula/tensor.hpp>

using namespace planted;

namespace {

const std::vector<std::string> flight = {"of a register that a wgmma has in flight"};
const std::vector<std::string> unfenced = {"without a wgmma fence since its accumulators were in reach"};
const std::vector<std::string> widths = {"they are not atomic to each other", "of two widths"};
const std::vector<std::string> skipped = {": each is skipped by part of the wave"};
const std::vector<std::string> race = {"races with the write of wave", "races with the read of wave"};

template <class T>
using registers = tegula::array<T, 4>;
/// Four registers, the last of which the wrong kernel leaves out.
template <class T>
registers<T> all_but_one(bool right)
{
    auto x = emu::unset_registers<registers<T>>();
    for (int i = 0; i < (right ? 4 : 3); ++i)
        x[i] = T(1);
    return x;
}
template <class T>
void out(ground& m, T value, int at = emu::thread_id())
{
    emu::store_global<sizeof(T)>(reinterpret_cast<T*>(m.out.data()) + at, &value);
}
template <class T>
T sum_of(const registers<T>& x)
{
    return static_cast<T>(x[0] + x[1] + x[2] + x[3]);
}

using amd = tegula::arch::gfx942;
using product = tegula::mma_tile<amd, tegula::default_atom<amd, tegula::half>, 32, 32, 1, 1>;
using tile = tegula::coalesced<amd, int, 16, 16, 1>;
using f16_atom = tegula::wgmma_atom<hopper::target, tegula::half, tegula::half, float, 16>;

struct operands
{
    std::uint64_t a, b;
};
operands zeros()
{
    using a_tile = tegula::wgmma_operand<tegula::half, 64, 64>;
    using b_tile = tegula::wgmma_operand<tegula::half, 16, 64>;
    for (int i = emu::thread_id(); i < (a_tile::bytes + b_tile::bytes) / 16; i += 128)
        put<float4>(i, {});
    tegula::arch::nvidia::fence_proxy_async();
    emu::block_barrier();
    const auto* memory = reinterpret_cast<const tegula::half*>(emu::shared_memory());
    return {a_tile::descriptor(memory), b_tile::descriptor(memory + a_tile::elements)};
}

} // namespace

TEST_CASE("thirty others: registers", "[emulator]")
{
    ground g;
    g.config.block_threads = 64;
    expect_pairs(
        g, {{"a sum of halves", never,
             [](ground& m, bool right) {
                 const auto x = all_but_one<tegula::half>(right);
                 out(m, tegula::half(static_cast<float>(x[0]) + static_cast<float>(x[3])));
             }},
            {"two halves in a word", never, [](ground& m, bool right) { out(m, all_but_one<tegula::half>(right)); }},
            {"a mean of bfloat16", never,
             [](ground& m, bool right) {
                 const auto x = all_but_one<tegula::bfloat16>(right);
                 out(m, (static_cast<float>(x[2]) + static_cast<float>(x[3])) / 2);
             }},
            {"a byte of four", never, [](ground& m, bool right) { out(m, all_but_one<std::uint8_t>(right)[3]); }},
            {"8-bit floats", never,
             [](ground& m, bool right) { out(m, static_cast<float>(all_but_one<tegula::float8_e4m3>(right)[3])); }},
            {"a sum of ints", never, [](ground& m, bool right) { out(m, sum_of(all_but_one<int>(right))); }},
            {"a hash of ints", never,
             [](ground& m, bool right) { out(m, sum_of(all_but_one<std::uint32_t>(right)) * 2654435761U >> 7); }},
            {"a count of bits", never,
             [](ground& m, bool right) { out(m, __builtin_popcount(sum_of(all_but_one<std::uint32_t>(right)) & 7)); }},
            {"a flag", never, [](ground& m, bool right) { out(m, all_but_one<int>(right)[3] > 0 ? 1.f : 0.f); }},
            {"the smaller of it and 100", never,
             [](ground& m, bool right) {
                 const int x = all_but_one<int>(right)[3];
                 out(m, x < 100 ? x : 100);
             }},
            {"a minute of 64 bits", never,
             [](ground& m, bool right) { out(m, static_cast<int>(all_but_one<long>(right)[3] % 60)); }},
            {"a difference of two", never,
             [](ground& m, bool right) {
                 const auto x = all_but_one<double>(right);
                 out(m, x[3] - x[0]);
             }},
            {"through shared memory, used by another lane", never,
             [](ground& m, bool right) {
                 put<int>(emu::thread_id(), all_but_one<int>(right)[3] & 1);
                 emu::block_barrier();
                 out(m, take<int>(emu::thread_id() ^ 1));
             }},
            {"an exchanged value", never,
             [](ground&, bool right) {
                 amd::shared_atomic<tegula::atomic_op::exchange>(shared<int>(), all_but_one<int>(right)[3] / 2);
             }},
            {"a tile of ints, doubled", never,
             [](ground& m, bool right) {
                 tegula::distributed_tensor<int, tile> x;
                 for (int r = 0; r < tile::num_registers; ++r)
                     if (right || r > 0)
                         x[r] = r;
                 out(m, static_cast<int>(2u * static_cast<unsigned>(x[0]))); // an overflow is no fault of the emulator
             }},
            {"sums of a product nobody cleared", never,
             [](ground& m, bool right) {
                 product::accumulators acc;
                 if (right)
                     acc.clear();
                 product::a_slice a;
                 product::b_slice b;
                 for (int r = 0; r < product::a_slice::num_registers; ++r)
                     a[r] = tegula::half(1);
                 for (int r = 0; r < product::b_slice::num_registers; ++r)
                     b[r] = tegula::half(1);
                 product::multiply(acc, a, b);
                 out(m, acc.strip<0>()[0]);
             }},
            {"an operand of a product nobody loaded", never, [](ground& m, bool right) {
                 product::accumulators acc;
                 acc.clear();
                 product::a_slice a;
                 product::b_slice b;
                 for (int r = 0; r < product::a_slice::num_registers; ++r)
                     if (right || r != 2)
                         a[r] = tegula::half(1);
                 for (int r = 0; r < product::b_slice::num_registers; ++r)
                     b[r] = tegula::half(1);
                 product::multiply(acc, a, b);
                 out(m, tegula::half(-acc.strip<0>()[1]));
             }}});
}

TEST_CASE("thirty others: wgmma", "[emulator]")
{
    using namespace tegula;
    hopper_ground g;
    g.config.block_threads = 128;
    expect_pairs(g, {{"a row's sum before the wait", flight,
                      [](ground& m, bool right) {
                          const operands o = zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          float sum = 0;
                          for (int i = 0; i < 4; ++i)
                              sum += c[i] * c[i];
                          arch::nvidia::wgmma_wait<0>(c);
                          out(m, sum);
                      }},
                     {"through a shuffle, scaled", flight,
                      [](ground&, bool right) {
                          const operands o = zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          float x = 3 * c[1] - 1;
                          emu::shuffle(&x, &x, 4, 7);
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"half of an array of accumulators fenced", unfenced,
                      [](ground&, bool right) {
                          const operands o = zeros();
                          array<f16_atom::accumulators, 2> c{};
                          if (right)
                              arch::nvidia::wgmma_fence(c);
                          else
                              arch::nvidia::wgmma_fence(c[0]);
                          f16_atom::multiply(c[0], o.a, o.b, true);
                          f16_atom::multiply(c[1], o.a, o.b, true);
                          arch::nvidia::wgmma_commit();
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"the second round's set", unfenced, [](ground&, bool right) {
                          const operands o = zeros();
                          f16_atom::accumulators c{}, d{};
                          for (int round = 0; round < 2; ++round) {
                              if (right || round == 0)
                                  arch::nvidia::wgmma_fence(c, d);
                              f16_atom::multiply(round == 0 ? c : d, o.a, o.b, true);
                              f16_atom::multiply(round == 0 ? d : c, o.a, o.b, true);
                              arch::nvidia::wgmma_commit();
                              arch::nvidia::wgmma_wait<0>(c, d);
                          }
                      }}});
}

TEST_CASE("thirty others: places, widths, lines", "[emulator]")
{
    ground g;
    const auto one = [](auto x) { return static_cast<decltype(x)>(x + 1); };
    g.refills = [](ground& m) {
        m.config.memory = {};
        m.config.memory.read(m.out.data(), 4096, "whole")
            .write(m.out.data() + 100, 400, "a")
            .write(m.out.data() + 150, 400, "b");
    };
    const auto parted = [&](const char* name, const auto& first, const auto& second) {
        expect(name, g, race, [&](ground&, bool right) {
            if (emu::thread_id() == 90)
                first();
            if (right)
                emu::block_barrier();
            if (emu::thread_id() == 8)
                second();
        });
    };
    parted(
        "written in one, the whole read", [&] { store(g.to(249), 1.f); },
        [&] {
            float4 v;
            emu::load_global<16>(&v, g.to(248)); // a ends at 200, b at 250
        });
    parted(
        "written in both", [&] { store(g.to(160), 1.f); },
        [&] {
            double x = 0;
            emu::store_global<8>(g.to(160), &x);
        });
    parted(
        "read across the ends of both",
        [&] {
            float4 v;
            emu::load_global<16>(&v, g.to(196));
        },
        [&] { store(g.to(199), 1.f); });
    g.refills = [](ground&) {};
    expect("64 bits over two of 32", g, widths, [&](ground&, bool right) {
        put<long>(emu::thread_id(), 0);
        emu::block_barrier();
        if (emu::wave_id() == 0)
            emu::shared_atomic(shared<int>(right ? 128 + emu::lane_id() : 2 * emu::lane_id() + 1), one);
        else
            emu::shared_atomic(shared<long>(emu::lane_id()), one);
    });
    expect("a pair of halves beside a float", g, widths, [&](ground& m, bool right) {
        if (emu::wave_id() == 0)
            emu::global_atomic(reinterpret_cast<short*>(m.out.data()) + (right ? 2 : 1), one);
        if (emu::thread_id() == 127)
            emu::atomic_add(m.to(0), 1.f);
    });
    // clang-format off
    expect("two calls of a loop on one line", g, skipped, [](ground&, bool right) { for (int i = 0; i < 2; ++i) if (right || emu::lane_id() != i) emu::wave_barrier(); else emu::wave_barrier(); });
    expect("a vote in each half of one line", g, skipped, [](ground&, bool right) { const auto vote = right || emu::lane_id() < 32 ? emu::ballot(true) : emu::ballot(false); static_cast<void>(vote); });
    // clang-format on
    expect("an exchange of a place nobody wrote, as an index", g, {"never written"}, [](ground& m, bool right) {
        const int at = amd::shared_atomic<tegula::atomic_op::exchange>(shared<int>(emu::thread_id()), 1);
        store(m.to(right ? emu::thread_id() : at), 1.f);
    });
    expect("data of every 16th pattern, one lane's in the wrong order", g, race, [](ground& m, bool right) {
        const std::uint32_t x = 0x7ffb0000U + static_cast<unsigned>(emu::thread_id()) * 0x1000U;
        emu::store_global<4>(m.to(emu::thread_id()), &x);
        if (right)
            emu::block_barrier();
        load(m.to(127 - emu::thread_id()));
    });
}
