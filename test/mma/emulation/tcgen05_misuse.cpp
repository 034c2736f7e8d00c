// Misuse of products, loads and stores of tensor memory that the emulator reports and a GPU would let pass. Each stands
// beside the same kernel without it.
#include "test/mma/emulation/tcgen05_misuse.hpp"

namespace tegula::test::tcgen05_misuse {
namespace {

TEST_CASE("products are over behind a commit, a wait and a fence", "[mma][tcgen05]")
{
    expect("tcgen05.mma of wave 0 at mma/emulation/tcgen05_misuse.hpp", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        if (!right) {
            target::block_barrier(); // of the threads, not of the tensor core
            nv::tensor_fence_after();
        } else {
            wait();
        }
        load(own(s));
        nv::mbarrier_wait(barrier(), 0);
    });
    expect("without fence::after_thread_sync", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        nv::mbarrier_wait(barrier(), 0);
        if (right)
            nv::tensor_fence_after();
        load(own(s));
    });
    expect("tcgen05.dealloc at tensor memory lane 0, column 0, which tcgen05.mma", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        if (right)
            nv::mbarrier_wait(barrier(), 0);
    });
    const auto overwrite_operand = [](bool right, int thread) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        if (right)
            nv::mbarrier_wait(barrier(), 0);
        if (target::thread_id() == thread)
            target::store_shared(tile(), half(2.0f));
        nv::mbarrier_wait(barrier(), 0);
    };
    expect("which a bulk store or a matrix instruction is still reading",
           [&](bool right) { overwrite_operand(right, 0); });
    // Whether or not another lane waited by then.
    expect("shared store of 2 bytes at shared memory byte 0", [&](bool right) { overwrite_operand(right, 1); });
    expect("without a proxy fence", [](bool right) {
        begin(right);
        const scope s(slot());
        multiply_and_commit(s.address());
        nv::mbarrier_wait(barrier(), 0);
    });
    // A commit by another lane does not cover this lane's products.
    expect("may not be over with", [](bool right) {
        begin();
        const scope s(slot());
        if (target::thread_id() == 0)
            multiply(s.address());
        if (target::thread_id() == (right ? 0 : 1))
            nv::tensor_commit<1>(barrier());
        nv::mbarrier_wait(barrier(), 0);
    });
}

TEST_CASE("tensor memory that nobody wrote is not read", "[mma][tcgen05]")
{
    expect("tcgen05.mma reads tensor memory lane 0, column 0, which nobody wrote", [](bool right) {
        begin();
        const scope s(slot());
        if (target::thread_id() == 0) {
            multiply(s.address(), !right);
            nv::tensor_commit<1>(barrier());
        }
        nv::mbarrier_wait(barrier(), 0);
    });
    expect("column 32, which nobody wrote", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        wait();
        load(own(s, right ? 0 : 32));
    });
}

TEST_CASE("loads of tensor memory are waited for", "[mma][tcgen05]")
{
    expect("of a register that a tcgen05.ld has in flight", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        wait();
        words w;
        nv::tensor_load<row_a_lane, 32>(w, own(s));
        if (right)
            nv::tensor_wait_loads(w);
        target::store_shared(slot() + 1 + target::thread_id() % 8, w[0], target::thread_id() < 8);
        nv::tensor_wait_loads(w);
    });
    expect("the registers of a tcgen05.ld were written while it was in flight", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        wait();
        words w;
        nv::tensor_load<row_a_lane, 32>(w, own(s));
        if (!right && target::thread_id() == 5)
            w[3] = 1;
        nv::tensor_wait_loads(w);
    });
    // The next product of the same accumulators: the loads are done, fenced on both sides, and known to be.
    const auto overwrite = [](bool waited, bool before, bool told, bool after) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        wait();
        words w;
        nv::tensor_load<row_a_lane, 32>(w, own(s));
        if (waited)
            nv::tensor_wait_loads(w);
        if (before)
            nv::tensor_fence_before();
        target::wave_barrier();
        if (target::lane_id() == 0)
            nv::mbarrier_arrive(barrier(2));
        if (target::thread_id() == 0) {
            if (told)
                nv::mbarrier_wait(barrier(2), 0);
            if (after)
                nv::tensor_fence_after();
        }
        multiply_and_commit(s.address(), 1);
        if (!waited)
            nv::tensor_wait_loads(w);
        nv::mbarrier_wait(barrier(1), 0);
        nv::mbarrier_wait(barrier(2), 0);
    };
    expect("has in flight", [&](bool right) { overwrite(right, true, true, true); });
    expect("without fence::before_thread_sync", [&](bool right) { overwrite(true, right, true, true); });
    expect("tcgen05.ld", [&](bool right) { overwrite(true, true, right, true); });
    expect("which races with tcgen05.ld", [&](bool right) { overwrite(true, true, true, right); });
}

TEST_CASE("results of a tcgen05.ld in flight, whatever is made of them", "[mma][tcgen05]")
{
    using int8_atom = tcgen05_atom<target, std::int8_t, std::int8_t, std::int32_t, 128, 32>;
    using int8_a = tcgen05_operand<std::int8_t, 128, 128>;
    using int8_b = tcgen05_operand<std::int8_t, 32, 128>;
    static_assert(int8_a::bytes == a_tile::bytes && int8_b::bytes == b_tile::bytes);
    const auto expect_flight = [](bool integers, const auto& use) {
        expect("of a register that a tcgen05.ld has in flight", [=](bool right) {
            begin();
            const scope s(slot());
            if (target::thread_id() == 0) {
                const auto* bytes = reinterpret_cast<const std::int8_t*>(tile());
                if (integers)
                    int8_atom::multiply(s.address(), int8_a::descriptor(bytes),
                                        int8_b::descriptor(bytes + int8_a::elements), false);
                else
                    multiply(s.address());
                nv::tensor_commit<1>(barrier());
            }
            wait();
            words w;
            nv::tensor_load<row_a_lane, 32>(w, own(s));
            if (right)
                nv::tensor_wait_loads(w);
            const std::uint32_t value = use(w[target::thread_id() % 4]);
            target::store_shared(slot() + 1 + target::thread_id() % 8, value, target::thread_id() < 8);
            nv::tensor_wait_loads(w);
        });
    };
    const auto number = [](std::uint32_t bits) { return __builtin_bit_cast(float, bits); };
    expect_flight(true, [](std::uint32_t w) { return w >> 7 & 3; });
    expect_flight(true, [](std::uint32_t w) { return w * 12345; });
    expect_flight(true, [](std::uint32_t w) { return static_cast<std::int32_t>(w) > 0 ? 1U : 2U; });
    expect_flight(false, [=](std::uint32_t w) { return number(w) > 0 ? w : 0U; });
    expect_flight(false, [=](std::uint32_t w) { return number(w) < 0 ? 1U : 2U; });
    expect_flight(false, [=](std::uint32_t w) { return static_cast<std::uint32_t>(half(number(w)).bits) * 0x10001; });
}

TEST_CASE("stores to tensor memory are waited for", "[mma][tcgen05]")
{
    const auto add_to = [](bool waited, bool before, bool after) {
        begin();
        const scope s(slot());
        words w{};
        nv::tensor_store<row_a_lane, 32>(own(s), w);
        if (waited)
            nv::tensor_wait_stores();
        if (before)
            nv::tensor_fence_before();
        target::block_barrier();
        if (target::thread_id() == 0) {
            if (after)
                nv::tensor_fence_after();
            multiply(s.address(), true);
            nv::tensor_commit<1>(barrier());
        }
        wait();
        load(own(s));
    };
    expect("tcgen05.wait::st", [&](bool right) { add_to(right, true, true); });
    expect("without fence::before_thread_sync", [&](bool right) { add_to(true, right, true); });
    expect("which races with tcgen05.st", [&](bool right) { add_to(true, true, right); });
    expect("has in flight", [](bool right) {
        begin();
        const scope s(slot());
        words w{};
        nv::tensor_store<row_a_lane, 32>(own(s), w);
        if (right)
            nv::tensor_wait_stores();
        load(own(s));
        nv::tensor_wait_stores();
    });
}

TEST_CASE("a warp keeps to its lanes, everybody to the allocation", "[mma][tcgen05]")
{
    expect(", which reaches lanes ", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        wait();
        load(right ? own(s) : s.address());
    });
    expect("columns 48 to 79, which are not all in one allocation", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address(right ? 16 : 48));
        nv::mbarrier_wait(barrier(), 0);
    });
    expect("by lanes that give different addresses", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address());
        wait();
        load(own(s, right ? 0 : target::lane_id() % 2));
    });
    expect("do not start in lane 0", [](bool right) {
        begin();
        const scope s(slot());
        multiply_and_commit(s.address(0, right ? 0 : 32));
        nv::mbarrier_wait(barrier(), 0);
    });
}

} // namespace
} // namespace tegula::test::tcgen05_misuse
