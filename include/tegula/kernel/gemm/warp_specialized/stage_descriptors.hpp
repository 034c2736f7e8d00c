#pragma once

#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

namespace tegula {

/// The descriptors of the operands in the stage at byte 0 of shared memory, as a consumer reads them.
///
///   Tile      a warp_specialized_tile; Operands: its operands
template <class Tile, class Operands>
class stage_descriptors
{
    using left = typename Operands::left;
    using right = typename Operands::right;
    using atom = typename Operands::atom;
    using accumulators = array<typename atom::accumulators, Tile::iterations>;

public:
    TEGULA_INLINE explicit stage_descriptors(int consumer)
    {
        static_assert(left::bytes % right::alignment == 0);
        constexpr std::uint32_t rows =
            left::template part<Tile::mode == consumer_mode::cooperative ? Tile::consumer_rows % left::mn : 0, 0>();
        own_rows_ = static_cast<std::uint32_t>(consumer) * rows;
        const std::byte* const memory = Tile::target::shared_memory();
        a_ = left::descriptor(reinterpret_cast<const typename left::element_type*>(memory));
        b_ = right::descriptor(reinterpret_cast<const typename right::element_type*>(memory));
    }
    /// Issues the products of a stage's slices [First, First + Slices) of k and commits them. `adds`: whether to add to
    /// acc.
    template <int First, int Slices>
    TEGULA_INLINE void multiply(accumulators& acc, int stage, bool adds) const
    {
        const auto moved = static_cast<std::uint32_t>(stage) * (Operands::stage_bytes / 16); // as descriptors count
        const auto a = left::moved(a_, moved + own_rows_);
        const auto b = right::moved(b_, moved + left::bytes / 16);
        arch::nvidia::wgmma_fence(acc);
        static_for<Slices>([&](auto slice) {
            constexpr int place = (First + slice) * static_cast<int>(atom::k);
            static_for<Tile::iterations>([&](auto i) {
                atom::multiply(acc[i], a + left::template part<64 * i, place>(), b + right::template part<0, place>(),
                               adds || slice > 0);
            });
        });
        arch::nvidia::wgmma_commit();
    }

private:
    std::uint32_t own_rows_;
    std::uint64_t a_, b_;
};

} // namespace tegula
