// Misuse of wgmma that the emulator reports and a GPU would let pass.
#include <tegula/arch/nvidia/mbarrier.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/mma/wgmma.hpp>

#include "test/catch.hpp"

#include <algorithm>
#include <string>

namespace tegula::test {
namespace {

using arch::nvidia::wgmma_commit;
using arch::nvidia::wgmma_fence;
using arch::nvidia::wgmma_wait;
using target = arch::sm_90a;
using atom = wgmma_atom<target, half, half, float, 8>;
using a_tile = wgmma_operand<half, 64, 64>;
using b_tile = wgmma_operand<half, 8, 64>;
constexpr int shared_bytes = a_tile::bytes + b_tile::bytes;

void store(int element, float value)
{
    auto* memory = reinterpret_cast<raw_vector<2>*>(target::shared_memory());
    target::store_shared(memory + element, __builtin_bit_cast(raw_vector<2>, half(value)));
}

/// A block whose tiles are all ones, then `body(a_descriptor, b_descriptor)`.
template <bool Fenced = true, class Body>
emulator::launch_result run_on_ones(const Body& body, int threads = 128)
{
    emulator::run_config config;
    config.chip = &chip::sm_90a;
    config.kernel_name = "misuse";
    config.block_threads = threads;
    config.shared_bytes = 4 * a_tile::bytes;
    config.cpu_threads = 1;
    return emulator::launch(config, [&] {
        for (int i = target::thread_id(); i < shared_bytes / 2; i += threads)
            store(i, 1);
        if (Fenced)
            arch::nvidia::fence_proxy_async();
        target::block_barrier();
        const auto* memory = reinterpret_cast<const half*>(target::shared_memory());
        body(a_tile::descriptor(memory), b_tile::descriptor(memory + a_tile::elements));
    });
}

/// The launch stops, and its report holds `part`.
template <class Body>
void expect_report(const std::string& part, const Body& body, int threads = 128)
{
    const emulator::launch_result result = run_on_ones(body, threads);
    INFO(result.report << "expected: " << part);
    CHECK(result.status.code() == status_code::device_error);
    CHECK(result.report.find(part) != std::string::npos);
}

TEST_CASE("A product is withheld until its group is waited for")
{
    // By thread, since the block runs again when it has compared what is in flight.
    bool withheld[128]{}, older[128]{}, newer[128]{}, arrived[128]{};
    const auto result = run_on_ones([&](std::uint64_t a, std::uint64_t b) {
        atom::accumulators first{}, second{};
        wgmma_fence(first, second);
        atom::multiply(first, a, b, false);
        withheld[target::thread_id()] |= first[0] != first[0];
        wgmma_commit();
        atom::multiply(second, a, b, false);
        atom::multiply(second, a, b, true);
        wgmma_commit();
        wgmma_wait<1>(first, second);
        older[target::thread_id()] |= first[0] == 16;
        newer[target::thread_id()] |= second[0] != second[0];
        wgmma_wait<0>(second);
        arrived[target::thread_id()] |= second[0] == 32;
    });
    INFO(result.report);
    CHECK(result.status.ok());
    CHECK(std::count(withheld, withheld + 128, true) == 128);
    CHECK(std::count(older, older + 128, true) == 128);
    CHECK(std::count(newer, newer + 128, true) == 128);
    CHECK(std::count(arrived, arrived + 128, true) == 128);
    CHECK(result.counters.mma_instructions == 3);
}

TEST_CASE("Accumulators of wgmma that are touched or left in flight are reported")
{
    expect_report("written while it was in flight", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_commit();
        c[1] = 0;
        wgmma_wait<0>(c);
    });
    expect_report("returned from the kernel with a wgmma in flight", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_wait<0>(c);
    });
}

TEST_CASE("A wgmma without a fence is reported")
{
    expect_report("without a wgmma fence", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        atom::multiply(c, a, b, true);
    });
    expect_report("without a wgmma fence", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_commit();
        wgmma_wait<0>(c);
        c[0] = 0;
        atom::multiply(c, a, b, true);
    });
    expect_report("operand A was written since the last wgmma fence", [](std::uint64_t, std::uint64_t b) {
        atom::accumulators c{};
        atom::a_registers a{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        a[0] = half(1.f);
        atom::multiply(c, a, b, true);
    });
}

TEST_CASE("Registers of a wgmma in flight are neither stored nor changed")
{
    using integers = wgmma_atom<target, std::int8_t, std::int8_t, std::int32_t, 8>;
    expect_report("shared store of 4 bytes of a register that a wgmma has in flight",
                  [](std::uint64_t a, std::uint64_t b) {
                      integers::accumulators c{};
                      wgmma_fence(c);
                      integers::multiply(c, a, b, false);
                      wgmma_commit();
                      auto* to = reinterpret_cast<raw_vector<4>*>(target::shared_memory() + 2 * a_tile::bytes);
                      target::store_shared(to + target::thread_id(), __builtin_bit_cast(raw_vector<4>, c[0]));
                      wgmma_wait<0>(c);
                  });
    expect_report("were written between the wgmma fence and it", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        c[1] = 5;
        atom::multiply(c, a, b, true);
        wgmma_commit();
        wgmma_wait<0>(c);
    });
    const auto change_a = [](bool waits) {
        return [waits](std::uint64_t, std::uint64_t b) {
            atom::accumulators c{};
            atom::a_registers a{};
            wgmma_fence(c, a);
            atom::multiply(c, a, b, false);
            wgmma_commit();
            if (waits)
                wgmma_wait<0>(c);
            if (target::lane_id() == 3)
                a[0] = half(1.f);
            wgmma_wait<0>(c);
        };
    };
    expect_report("operand A were written while it was in flight, in lane 3", change_a(false));
    const auto result = run_on_ones(change_a(true));
    INFO(result.report);
    CHECK(result.status.ok());
}

TEST_CASE("More than 255 products may read the same bytes")
{
    const auto result = run_on_ones([](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        for (int i = 0; i < 300; ++i)
            atom::multiply(c, a, b, i > 0);
        wgmma_commit();
        wgmma_wait<0>(c);
        target::block_barrier();
        if (target::thread_id() == 0)
            store(0, 2);
    });
    INFO(result.report);
    CHECK(result.status.ok());
    expect_report("which a bulk store or a matrix instruction is still reading", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        for (int i = 0; i < 64; ++i) // by four warps: 256
            atom::multiply(c, a, b, i > 0);
        wgmma_commit();
        if (target::thread_id() == 127)
            store(a_tile::bytes / 2, 2); // of B, which all of them read
        wgmma_wait<0>(c);
    });
}

TEST_CASE("Shared memory written while a wgmma reads it is reported")
{
    expect_report("which a bulk store or a matrix instruction is still reading", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_commit();
        target::block_barrier();
        if (target::thread_id() == 0)
            store(0, 2);
        target::block_barrier();
        wgmma_wait<0>(c);
    });
    // A product is over for all four warps when it is for one: any of them may hand its operands back.
    const auto result = run_on_ones([](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_commit();
        wgmma_wait<0>(c);
        if (target::thread_id() == 127)
            store(0, 2);
    });
    INFO(result.report);
    CHECK(result.status.ok());
    expect_report("which a bulk store or a matrix instruction is still reading", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_commit();
        if (target::thread_id() == 0)
            store(0, 2);
        wgmma_wait<0>(c);
    });
}

TEST_CASE("Operands of wgmma that no proxy fence made visible are reported")
{
    const auto result = run_on_ones<false>([](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
    });
    INFO(result.report);
    CHECK(result.report.find("wrote without a proxy fence behind it") != std::string::npos);
}

TEST_CASE("Operands of wgmma that are misplaced or were never written are reported")
{
    expect_report("does not start at a multiple of its swizzle's pattern", [](std::uint64_t, std::uint64_t) {
        a_tile::descriptor(reinterpret_cast<const half*>(target::shared_memory()) + 64);
    });
    expect_report("nobody wrote", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a + a_tile::bytes / 16, b, false);
    });
    expect_report("out of bounds", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a + 4 * a_tile::bytes / 16, b, false);
    });
}

TEST_CASE("A warpgroup that is not together is reported")
{
    expect_report("different descriptors", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        wgmma_fence(c);
        atom::multiply(c, a + (target::lane_id() == 3 ? 2 : 0), b, false);
    });
    expect_report("waves 0 and 2 of one warpgroup issue different matrix instructions",
                  [](std::uint64_t a, std::uint64_t b) {
                      atom::accumulators c{};
                      wgmma_fence(c);
                      atom::multiply(c, a + (target::wave_id() == 2 ? 2 : 0), b, false);
                      wgmma_commit();
                      wgmma_wait<0>(c);
                  });
    expect_report("different numbers of matrix instructions", [](std::uint64_t a, std::uint64_t b) {
        atom::accumulators c{};
        if (target::wave_id() == 3)
            return;
        wgmma_fence(c);
        atom::multiply(c, a, b, false);
        wgmma_commit();
        wgmma_wait<0>(c);
    });
    expect_report(
        "fewer than four warps",
        [](std::uint64_t a, std::uint64_t b) {
            atom::accumulators c{};
            wgmma_fence(c);
            atom::multiply(c, a, b, false);
        },
        96);
}

} // namespace
} // namespace tegula::test
