// Misuse of tensor memory and tcgen05 that the emulator reports and a GPU would let pass. Each stands beside the same
// kernel without it.
#include "test/mma/emulation/tcgen05.hpp"

#include <functional>
#include <string>

namespace tegula::test {
namespace {

using target = arch::sm_100a;
using atom = tcgen05_atom<target, half, half, float, 128, 32>;
using a_tile = tcgen05_operand<half, 128, 64>;
using b_tile = tcgen05_operand<half, 32, 64>;
constexpr int control_at = a_tile::bytes + b_tile::bytes;
constexpr auto row_a_lane = tensor_access::lanes_32x32b;
using words = array<std::uint32_t, 32>;

nv::mbarrier* barrier(int i = 0) { return reinterpret_cast<nv::mbarrier*>(target::shared_memory() + control_at) + i; }
std::uint32_t* slot() { return reinterpret_cast<std::uint32_t*>(barrier(8)); }
half* tile() { return reinterpret_cast<half*>(target::shared_memory()); }

/// Tiles of ones, two mbarriers for one arrival and two for four, as all kernels here begin; a barrier follows.
void begin(bool fenced = true)
{
    for (int i = target::thread_id(); i < control_at / 2; i += 128)
        target::store_shared(tile() + i, half(1.0f));
    if (fenced)
        nv::fence_proxy_async();
    if (target::thread_id() == 0) {
        for (int i = 0; i < 4; ++i)
            nv::mbarrier_init(barrier(i), i < 2 ? 1 : 4);
        nv::fence_mbarrier_init();
    }
}
void multiply(std::uint32_t c, bool accumulate = false)
{
    atom::multiply(c, a_tile::descriptor(tile()), b_tile::descriptor(tile() + a_tile::elements), accumulate);
}
/// By thread 0: a product and its commit.
void multiply_and_commit(std::uint32_t c, int to = 0)
{
    if (target::thread_id() != 0)
        return;
    multiply(c);
    nv::tensor_commit<1>(barrier(to));
}
using scope = nv::tensor_memory_scope<target, 64>;
std::uint32_t own(const scope& s, int column = 0) { return s.address(column, 32 * target::wave_id()); }
words load(std::uint32_t address)
{
    words w;
    nv::tensor_load<row_a_lane, 32>(w, address);
    nv::tensor_wait_loads(w);
    return w;
}
void wait(int which = 0)
{
    nv::mbarrier_wait(barrier(which), 0);
    nv::tensor_fence_after();
    target::wave_barrier();
}

emulator::launch_result run(const std::function<void(bool)>& kernel, bool right, int blocks, int order)
{
    emulator::run_config config;
    config.chip = &chip::sm_100a;
    config.kernel_name = "misuse";
    config.block_threads = 128;
    config.shared_bytes = control_at + 128;
    config.grid = config.cluster = {blocks, 1, 1};
    config.cpu_threads = 1;
    config.order = order;
    return emulator::launch(config, [&] { kernel(right); });
}

/// kernel(false) is reported with `part`, kernel(true) is fine.
void expect(const std::string& part, const std::function<void(bool)>& kernel, int blocks = 1)
{
    for (const int order : {0, -1, 1}) {
        const auto wrong = run(kernel, false, blocks, order);
        INFO(wrong.report << "expected: " << part << ", order " << order);
        CHECK(wrong.status.code() == status_code::device_error);
        CHECK(wrong.report.find(part) != std::string::npos);
        const auto fine = run(kernel, true, blocks, order);
        INFO(fine.report << fine.status.message());
        CHECK(fine.status.ok());
    }
}

TEST_CASE("products are over behind a commit, a wait and a fence", "[mma][tcgen05]")
{
    expect("tcgen05.mma of wave 0 at mma/emulation/tcgen05_misuse.cpp", [](bool right) {
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

void by_wave_0(const std::function<void()>& body)
{
    if (target::wave_id() == 0)
        body();
}

TEST_CASE("tensor memory is allocated in order and given back", "[mma][tcgen05]")
{
    expect("the block returned with 64 columns of tensor memory from column 0 on allocated", [](bool right) {
        by_wave_0([&] {
            nv::tensor_allocate<64, 1>(slot());
            target::wave_barrier();
            if (right)
                nv::tensor_deallocate<64, 1>(target::load_shared(slot()));
        });
    });
    expect("behind relinquish_alloc_permit", [](bool right) {
        by_wave_0([&] {
            if (!right)
                nv::tensor_relinquish<1>();
            nv::tensor_allocate<64, 1>(slot());
            target::wave_barrier();
            nv::tensor_deallocate<64, 1>(target::load_shared(slot()));
        });
    });
    expect("tcgen05.alloc of 128 columns after one of 64", [](bool right) {
        by_wave_0([&] {
            nv::tensor_allocate<64, 1>(slot());
            right ? nv::tensor_allocate<32, 1>(slot() + 1) : nv::tensor_allocate<128, 1>(slot() + 1);
            target::wave_barrier();
            nv::tensor_deallocate<64, 1>(target::load_shared(slot()));
            nv::tensor_deallocate<32, 1>(target::load_shared(slot() + 1));
        });
    });
    expect("waits at tcgen05.alloc for 512 columns of tensor memory", [](bool right) {
        by_wave_0([&] {
            nv::tensor_allocate<512, 1>(slot());
            target::wave_barrier();
            if (right)
                nv::tensor_deallocate<512, 1>(target::load_shared(slot()));
            nv::tensor_allocate<512, 1>(slot() + 1);
            target::wave_barrier();
            nv::tensor_deallocate<512, 1>(target::load_shared(slot() + 1));
        });
    });
    expect("tcgen05.alloc of 48 columns", [](bool right) {
        by_wave_0([&] {
            emulator::tensor_allocate(slot(), right ? 32 : 48, 1);
            target::wave_barrier();
            nv::tensor_deallocate<32, 1>(target::load_shared(slot()));
        });
    });
    expect("which were not allocated so", [](bool right) {
        by_wave_0([&] {
            nv::tensor_allocate<64, 1>(slot());
            target::wave_barrier();
            const std::uint32_t at = target::load_shared(slot());
            right ? nv::tensor_deallocate<64, 1>(at) : nv::tensor_deallocate<32, 1>(at);
        });
    });
    // A block waits for columns until another of its warps gives some back.
    const auto result = run(
        [](bool) {
            if (target::wave_id() >= 2)
                return;
            std::uint32_t* const mine = slot() + target::wave_id();
            nv::tensor_allocate<512, 1>(mine);
            target::wave_barrier();
            nv::tensor_deallocate<512, 1>(target::load_shared(mine));
        },
        true, 1, 0);
    INFO(result.report);
    CHECK(result.status.ok());
}

TEST_CASE("pairs of blocks keep together", "[mma][tcgen05]")
{
    expect(
        "with cta_group::1 in a kernel that uses ::2",
        [](bool right) {
            begin();
            nv::cluster_barrier();
            const nv::tensor_memory_scope<target, 64, 2> s(slot());
            if (target::thread_id() == 0 && nv::cluster_rank() == 0) {
                using pair_atom = tcgen05_atom<target, half, half, float, 256, 32, 2>;
                const auto a = a_tile::descriptor(tile()), b = b_tile::descriptor(tile() + a_tile::elements);
                if (right)
                    pair_atom::multiply(s.address(), a, b, false);
                else
                    multiply(s.address());
                nv::tensor_commit_multicast<2>(barrier(), 3);
            }
            nv::mbarrier_wait(barrier(), 0);
        },
        2);
    expect(
        "before the peer block is known to run",
        [](bool right) {
            if (right)
                nv::cluster_barrier();
            by_wave_0([&] {
                nv::tensor_allocate<64, 2>(slot());
                target::wave_barrier();
                nv::tensor_deallocate<64, 2>(target::load_shared(slot()));
            });
            nv::cluster_barrier();
        },
        2);
    expect(
        " the cluster",
        [](bool right) { // it left, or it leaves while
            nv::cluster_barrier();
            by_wave_0([&] {
                nv::tensor_allocate<64, 2>(slot());
                target::wave_barrier();
                nv::tensor_deallocate<64, 2>(target::load_shared(slot()));
            });
            if (right)
                nv::cluster_barrier();
        },
        2);
    // Both blocks must allocate and give back, though the addresses are one.
    const auto allocate_in = [](bool both, int rank, bool frees) {
        nv::cluster_barrier();
        by_wave_0([&] {
            if (both || nv::cluster_rank() == rank)
                nv::tensor_allocate<64, 2>(slot());
            target::wave_barrier();
            if ((both || nv::cluster_rank() == rank) && frees)
                nv::tensor_deallocate<64, 2>(target::load_shared(slot()));
        });
        nv::cluster_barrier();
    };
    expect("each waits for the peer's", [&](bool right) { allocate_in(right, 1, true); }, 2);
    expect("each waits for the peer's", [&](bool right) { allocate_in(right, 0, true); }, 2);
    expect(
        "each waits for the peer's",
        [](bool right) { // other columns
            nv::cluster_barrier();
            by_wave_0([&] {
                if (right || nv::cluster_rank() == 0) {
                    nv::tensor_allocate<64, 2>(slot());
                    target::wave_barrier();
                    nv::tensor_deallocate<64, 2>(target::load_shared(slot()));
                } else {
                    nv::tensor_allocate<32, 2>(slot());
                    target::wave_barrier();
                    nv::tensor_deallocate<32, 2>(target::load_shared(slot()));
                }
            });
            nv::cluster_barrier();
        },
        2);
    expect(
        "with cta_group::2 by the second block of its pair",
        [](bool right) {
            begin();
            nv::cluster_barrier();
            const nv::tensor_memory_scope<target, 64, 2> s(slot());
            if (target::thread_id() == 0 && nv::cluster_rank() == (right ? 0 : 1)) {
                using pair_atom = tcgen05_atom<target, half, half, float, 256, 32, 2>;
                pair_atom::multiply(s.address(), a_tile::descriptor(tile()),
                                    b_tile::descriptor(tile() + a_tile::elements), false);
                nv::tensor_commit_multicast<2>(barrier(), 3);
            }
            nv::mbarrier_wait(barrier(), 0);
        },
        2);
    expect("in a cluster of 1 blocks", [](bool right) {
        begin();
        if (right)
            return;
        const nv::tensor_memory_scope<target, 64, 2> s(slot());
    });
}

} // namespace
} // namespace tegula::test
