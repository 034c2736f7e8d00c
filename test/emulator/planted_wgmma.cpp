// Planted bugs of wgmma: registers and operands of matrix instructions that run behind the program.
#include "planted_hopper.hpp"

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
