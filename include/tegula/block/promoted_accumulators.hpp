#pragma once

#include <tegula/core/config.hpp>
#include <tegula/core/static_for.hpp>

namespace tegula {

/// The longest k whose sum of fp8 products is left to the accumulators of wgmma, and of mma.sync on sm_89, by default.
/// These keep 13 bits after the leading one and cut off the rest at every instruction (DeepSeek-V3 technical report,
/// section 3.3.2; SageAttention2, section 3.2), so that sums of one sign fall short by more the longer k is. In a model
/// of that, with absolute values of normal numbers, the sum of 256 products is 0.21 % too small, about the rounding
/// unit of bf16 (2^-9 = 0.195 %); of 512 it is 0.6 %, of 4096 7 % and of 16384 22 %. Promoted every 128 it is 0.06 %,
/// whatever k is. (On sm_89 0.22 % and 0.08 %; the model is in test/kernel/gemm/warp_specialized/truncated_sums.cpp.)
inline constexpr index_t truncated_sum_k = 256;

/// Accumulators of two levels: products of PromoteK neighbours along k are summed by the matrix instructions, the sums
/// added to a total in the accumulators' type.
///
/// It derives from the Mma's accumulators, which hold the current sums. So a k loop can run it as these.
///
///   BlockK  the k of a step of the loop
template <class Mma, index_t BlockK, index_t PromoteK>
struct promoted_accumulators : Mma::accumulators
{
    static_assert(PromoteK % BlockK == 0,
                  "tegula: sums are promoted after whole steps; use a block_k that divides PromoteK, or the schedule "
                  "multistage, which does not promote (the template arguments are the product, block_k and PromoteK)");
    static constexpr index_t steps_a_sum = PromoteK / BlockK;

    /// total: what the sums are added to.
    TEGULA_INLINE explicit promoted_accumulators(typename Mma::accumulators& total) : total_(total) { this->clear(); }

    /// One step of BlockK went into the accumulators.
    TEGULA_INLINE void end_step()
    {
        if (++step_ == steps_a_sum)
            promote();
    }

    /// Adds the last sum if it is of fewer products.
    TEGULA_INLINE void finish()
    {
        if (step_ != 0)
            promote();
    }

private:
    typename Mma::accumulators& total_;
    index_t step_ = 0;

    TEGULA_INLINE void promote()
    {
        constexpr int tiles = decltype(Mma::accumulators::tiles)::size(), count = Mma::accumulators::tile::size();
        static_for<tiles>([&](auto t) {
            static_for<count>([&](auto i) { total_.tiles[t][i] = total_.tiles[t][i] + this->tiles[t][i]; });
        });
        this->clear();
        step_ = 0;
    }
};

} // namespace tegula
