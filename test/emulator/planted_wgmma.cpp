// Planted bugs of wgmma: registers and operands of matrix instructions that run behind the program.
#include "planted_hopper.hpp"

#include <tegula/core/bfloat16.hpp>
#include <tegula/mma/wgmma.hpp>

using namespace hopper;
using namespace planted;

namespace {

using f16_atom = wgmma_atom<target, half, half, float, 8>;
using int8_atom = wgmma_atom<target, std::int8_t, std::int8_t, std::int32_t, 8>;
using a_tile = wgmma_operand<half, 64, 64>;
using b_tile = wgmma_operand<half, 8, 64>;

struct operands
{
    std::uint64_t a, b;
};
/// Zeros for a warpgroup, behind a barrier.
operands operands_of_zeros(bool fence = true)
{
    for (int i = thread(); i < (a_tile::bytes + b_tile::bytes) / 16; i += 128)
        put<float4>(i, {});
    if (fence)
        fence_proxy_async();
    target::block_barrier();
    const auto* memory = reinterpret_cast<const half*>(target::shared_memory());
    return {a_tile::descriptor(memory), b_tile::descriptor(memory + a_tile::elements)};
}
template <class Atom>
void write_out(ground& m, const typename Atom::accumulators& c)
{
    emu::store_global<4>(m.to(thread()), &c[0]);
}

} // namespace

TEST_CASE("pairs: matrix instructions that run behind the program", "[emulator]")
{
    hopper_ground g;
    g.config.block_threads = 128;
    const std::vector<std::string> flight = {"of a register that a wgmma has in flight"};
    const std::vector<std::string> reads = {"is still reading", "races with", "without a proxy fence"};
    expect_pairs(g, {{"float accumulators stored before the wait", flight,
                      [](ground& m, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          write_out<f16_atom>(m, c);
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"integer accumulators stored before the wait", flight,
                      [](ground& m, bool right) {
                          const operands o = operands_of_zeros();
                          int8_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          int8_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          write_out<int8_atom>(m, c);
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"a wait for the older of two groups", flight,
                      [](ground& m, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{}, d{};
                          arch::nvidia::wgmma_fence(c, d);
                          f16_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          f16_atom::multiply(d, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          arch::nvidia::wgmma_wait<1>(c, d);
                          write_out<f16_atom>(m, right ? c : d);
                          arch::nvidia::wgmma_wait<0>(c, d);
                      }},
                     {"a group that was not committed",
                      {"returned from the kernel with a wgmma in flight", "a wgmma has in flight"},
                      [](ground& m, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, false);
                          if (right)
                              arch::nvidia::wgmma_commit();
                          arch::nvidia::wgmma_wait<0>(c);
                          write_out<f16_atom>(m, c);
                      }},
                     {"accumulators written between the fence and the product",
                      {"were written between the wgmma fence and it"},
                      [](ground&, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          if (right)
                              c[2] = 1;
                          arch::nvidia::wgmma_fence(c);
                          if (!right && thread() == 77)
                              c[2] = 1;
                          f16_atom::multiply(c, o.a, o.b, true);
                          arch::nvidia::wgmma_commit();
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"accumulators written in flight",
                      {"written while it was in flight"},
                      [](ground&, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, true);
                          arch::nvidia::wgmma_commit();
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          if (thread() == 100)
                              c[3] = 7;
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"A's registers refilled for the next step",
                      {"operand A were written while it was in flight"},
                      [](ground&, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          f16_atom::a_registers a{};
                          for (int step = 0; step < 2; ++step) {
                              a[1] = half(static_cast<float>(step));
                              arch::nvidia::wgmma_fence(c, a);
                              f16_atom::multiply(c, a, o.b, true);
                              arch::nvidia::wgmma_commit();
                              if (right)
                                  arch::nvidia::wgmma_wait<0>(c);
                          }
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"an operand stored to before the wait", reads,
                      [](ground&, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          barrier_if(right);
                          if (thread() == 0)
                              put<float4>(a_tile::bytes / 16, {});
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"300 products, the last of which still reads", reads,
                      [](ground&, bool right) {
                          const operands o = operands_of_zeros();
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          for (int i = 0; i < 300; ++i) {
                              f16_atom::multiply(c, o.a, o.b, true);
                              arch::nvidia::wgmma_commit();
                          }
                          if (right)
                              arch::nvidia::wgmma_wait<0>(c);
                          else
                              arch::nvidia::wgmma_wait<1>(c);
                          target::block_barrier();
                          if (thread() == 64)
                              put<float4>(0, {});
                          target::block_barrier();
                          arch::nvidia::wgmma_wait<0>(c);
                      }},
                     {"operands without a proxy fence", {"without a proxy fence"}, [](ground&, bool right) {
                          const operands o = operands_of_zeros(right);
                          f16_atom::accumulators c{};
                          arch::nvidia::wgmma_fence(c);
                          f16_atom::multiply(c, o.a, o.b, false);
                          arch::nvidia::wgmma_commit();
                          arch::nvidia::wgmma_wait<0>(c);
                      }}});
}

namespace {

/// A product whose accumulators `use(c)` makes a stored value of, before the wait if it is not right.
template <class Atom, class Use>
auto used_early(const Use& use)
{
    return [use](ground& m, bool right) {
        const operands o = operands_of_zeros();
        typename Atom::accumulators c{};
        arch::nvidia::wgmma_fence(c);
        Atom::multiply(c, o.a, o.b, false);
        arch::nvidia::wgmma_commit();
        if (right)
            arch::nvidia::wgmma_wait<0>(c);
        const auto value = use(c);
        arch::nvidia::wgmma_wait<0>(c);
        emu::store_global<sizeof(value)>(reinterpret_cast<decltype(use(c))*>(m.out.data()) + thread(), &value);
    };
}

} // namespace

TEST_CASE("pairs: results in flight, behind arithmetic", "[emulator]")
{
    hopper_ground g;
    g.config.block_threads = 128;
    const std::vector<std::string> flight = {"of a register that a wgmma has in flight"};
    expect("scaled", g, flight, used_early<f16_atom>([](auto& c) { return 0.5f * c[0]; }));
    expect("scaled and added to", g, flight, used_early<f16_atom>([](auto& c) { return 2 * c[1] + 1; }));
    expect("negated", g, flight, used_early<f16_atom>([](auto& c) { return -c[2]; }));
    expect("as half", g, flight, used_early<f16_atom>([](auto& c) { return half(c[3]); }));
    expect("as bfloat16", g, flight, used_early<f16_atom>([](auto& c) { return bfloat16(c[0] * 3); }));
    expect("as double", g, flight, used_early<f16_atom>([](auto& c) { return 1.0 + c[0]; }));
    expect("the greater of it and 0", g, flight,
           used_early<f16_atom>([](auto& c) { return arch::sm_90a::max_number(c[1], 0.f); }));
    expect("a sum of two", g, flight, used_early<f16_atom>([](auto& c) { return c[0] + c[3]; }));
    expect("an integer + 1", g, flight, used_early<int8_atom>([](auto& c) { return c[0] + 1; }));
    expect("an integer as float", g, flight,
           used_early<int8_atom>([](auto& c) { return 0.25f * static_cast<float>(c[2]); }));
    expect("an integer, clamped", g, flight,
           used_early<int8_atom>([](auto& c) { return static_cast<std::int8_t>(c[1] > 127 ? 127 : c[1]); }));
}

TEST_CASE("pairs: accumulators that no fence was for", "[emulator]")
{
    hopper_ground g;
    g.config.block_threads = 128;
    const std::vector<std::string> unfenced = {"without a wgmma fence since its accumulators were in reach"};
    const auto finish = [](auto&... c) {
        arch::nvidia::wgmma_commit();
        arch::nvidia::wgmma_wait<0>(c...);
    };
    expect("a second set", g, unfenced, [&](ground&, bool right) {
        const operands o = operands_of_zeros();
        f16_atom::accumulators c{}, d{};
        if (right)
            arch::nvidia::wgmma_fence(c, d);
        else
            arch::nvidia::wgmma_fence(c);
        f16_atom::multiply(c, o.a, o.b, true);
        f16_atom::multiply(d, o.a, o.b, true);
        finish(c, d);
    });
    expect("the first of two sets", g, unfenced, [&](ground&, bool right) {
        const operands o = operands_of_zeros();
        f16_atom::accumulators c[2]{};
        if (right)
            arch::nvidia::wgmma_fence(c[0]);
        arch::nvidia::wgmma_fence(c[1]);
        f16_atom::multiply(c[1], o.a, o.b, true);
        finish(c[1]);
        if (right)
            arch::nvidia::wgmma_fence(c[0]);
        f16_atom::multiply(c[0], o.a, o.b, true);
        finish(c[0]);
    });
    expect("a set of another type", g, unfenced, [&](ground&, bool right) {
        const operands o = operands_of_zeros();
        f16_atom::accumulators c{};
        int8_atom::accumulators d{};
        arch::nvidia::wgmma_fence(c);
        f16_atom::multiply(c, o.a, o.b, true);
        if (right)
            arch::nvidia::wgmma_fence(d);
        int8_atom::multiply(d, o.a, o.b, true);
        finish(c, d);
    });
    expect("a set again, while another is in flight", g, unfenced, [&](ground&, bool right) {
        const operands o = operands_of_zeros();
        f16_atom::accumulators c{}, d{};
        arch::nvidia::wgmma_fence(c, d);
        f16_atom::multiply(c, o.a, o.b, true);
        arch::nvidia::wgmma_commit();
        f16_atom::multiply(d, o.a, o.b, true);
        arch::nvidia::wgmma_commit();
        arch::nvidia::wgmma_wait<1>(c, d);
        if (right)
            arch::nvidia::wgmma_fence(c);
        f16_atom::multiply(c, o.a, o.b, true);
        finish(c, d);
    });
    // One fence for several sets, used one after the other, is enough; and one that names none is for all.
    expect_fine(run(g.config, [&] {
        const operands o = operands_of_zeros();
        f16_atom::accumulators c{}, d{};
        arch::nvidia::wgmma_fence(c, d);
        f16_atom::multiply(c, o.a, o.b, true);
        finish(c);
        f16_atom::multiply(d, o.a, o.b, true);
        finish(d);
        arch::nvidia::wgmma_fence();
        f16_atom::multiply(c, o.a, o.b, true);
        f16_atom::multiply(d, o.a, o.b, true);
        finish(c, d);
    }));
}
