#pragma once

/// Runs the schedules of large tiles on the emulator: products of few and of many steps of k, whole and ragged.

#include "test/kernel/gemm/harness.hpp"

namespace tegula::test {

/// The kernel of one tile for aligned operands of these orders, and no other.
template <class Tile, operand_order A, operand_order B, class C>
struct only_kernel
{
    using all = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    using arguments = typename all::arguments;

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        REQUIRE(suits_aligned<A, B>(args, args.k));
        return launch(typename all::template aligned<A, B>{});
    }
};

/// Every case checks the result, the absence of bank conflicts and that every access was ordered by barriers.
template <class Tile, class C, operand_order A, operand_order B>
void check_schedule()
{
    using enum memory_order;
    using enum operand_order;
    const auto [m, n, k] = std::array{Tile::block_m, Tile::block_n, Tile::block_k};
    gemm_case what;
    what.a = A == k_contiguous ? row_major : column_major;
    what.b = B == k_contiguous ? column_major : row_major;
    what.rows = padding::vectors;
    kernel_uses uses;
    // Fewer steps than the ring and the registers hold, an even and an odd number of steps in the loop without bounds,
    // steps left over for the one with bounds, ragged edges.
    for (const auto& [rows, columns, depth] : {std::array{m, n, k},
                                               {m, n, 2 * k},
                                               {m, n, 7 * k},
                                               {m, n, 8 * k},
                                               {m + 16, n + 16, 6 * k + 1},
                                               {m - 1, n - 3, 9 * k - 5},
                                               {7, 5, 3 * k},
                                               {17, 9, 20}}) {
        what.m = rows, what.n = columns, what.k = depth;
        check_case<only_kernel<Tile, A, B, C>, typename Tile::a_type, C>(what, uses);
    }
    CHECK(uses.of(A, B) == 8);
}

} // namespace tegula::test
