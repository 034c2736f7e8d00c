// Misuse of allocations of tensor memory and of pairs of blocks that the emulator reports and a GPU would let pass. Each
// stands beside the same kernel without it.
#include "test/mma/emulation/tcgen05_misuse.hpp"

namespace tegula::test::tcgen05_misuse {
namespace {

void by_wave_0(const std::function<void()>& body)
{
    if (target::wave_id() == 0)
        body();
}

/// Allocates columns of tensor memory for a pair of blocks and gives them back.
template <int Columns>
void use_columns_of_pair()
{
    nv::tensor_allocate<Columns, 2>(slot());
    target::wave_barrier();
    nv::tensor_deallocate<Columns, 2>(target::load_shared(slot()));
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
            by_wave_0(use_columns_of_pair<64>);
            nv::cluster_barrier();
        },
        2);
    expect(
        " the cluster",
        [](bool right) { // it left, or it leaves while
            nv::cluster_barrier();
            by_wave_0(use_columns_of_pair<64>);
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
                if (right || nv::cluster_rank() == 0)
                    use_columns_of_pair<64>();
                else
                    use_columns_of_pair<32>();
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
} // namespace tegula::test::tcgen05_misuse
