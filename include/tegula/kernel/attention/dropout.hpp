#pragma once

#include <tegula/core/array.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// One block of the counter-based generator Philox4x32 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
/// as 1, 2, 3", 2011, section 3.3): four words of 32 random bits from a counter and a key.
///
///   Rounds  7 pass the paper's statistical tests (its table 2); 10 are the usual choice with a margin
template <int Rounds>
constexpr TEGULA_INLINE array<std::uint32_t, 4> philox(array<std::uint32_t, 4> counter, array<std::uint32_t, 2> key)
{
    for (int round = 0; round < Rounds; ++round) {
        const std::uint64_t x = std::uint64_t{0xd2511f53} * counter[0];
        const std::uint64_t y = std::uint64_t{0xcd9e8d57} * counter[2];
        counter = {{static_cast<std::uint32_t>(y >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(y),
                    static_cast<std::uint32_t>(x >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(x)}};
        key = {{key[0] + 0x9e3779b9, key[1] + 0xbb67ae85}};
    }
    return counter;
}

/// Which probabilities are dropped. A block of the generator decides about eight keys of one query, 16 bits each. They
/// are spread over 32 keys as registers of matrix instructions are: group g of [0, 4) has the keys 8 j + 2 g + e for j
/// in [0, 4) and e in {0, 1}. A lane of an NVIDIA accumulator holds one such group, a lane of a 32x32 one of AMD two.
struct attention_dropout_mask
{
    attention_dropout dropout;
    std::uint32_t sequence; ///< batch * heads + head

    static constexpr index_t group_keys = 8; ///< keys a block of the generator decides about
    static constexpr index_t span = 32;      ///< keys that four groups share
    static constexpr int rounds = 7;

    /// The group of a key, counted through the sequence.
    static constexpr TEGULA_INLINE index_t group(index_t key) { return key / span * 4 + key % 8 / 2; }
    /// The key's place among the eight of its group.
    static constexpr TEGULA_INLINE int member(index_t key) { return key % span / 8 * 2 + key % 2; }

    /// Bit `member` says whether that key of the group is kept.
    constexpr TEGULA_INLINE std::uint32_t kept(index_t query, index_t group) const
    {
        const array<std::uint32_t, 4> words = philox<rounds>(
            {{static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(query), sequence, dropout.offset}},
            {{static_cast<std::uint32_t>(dropout.seed), static_cast<std::uint32_t>(dropout.seed >> 32)}});
        std::uint32_t bits = 0;
        for (int i = 0; i < group_keys; ++i)
            bits |= ((words[i / 2] >> (i % 2 * 16) & 0xffff) >= dropout.threshold ? 1u : 0u) << i;
        return bits;
    }
    /// Whether the probability of one key is kept.
    constexpr TEGULA_INLINE bool keeps(index_t query, index_t key) const
    {
        return (kept(query, group(key)) >> member(key) & 1) != 0;
    }
    /// The factor of the probabilities that are kept.
    constexpr TEGULA_INLINE float factor() const
    {
        return 65536.0f / static_cast<float>(65536 - static_cast<index_t>(dropout.threshold));
    }
};

namespace detail {

/// The seed, in a form that ptxas takes for another one in each round of a loop. It would hold the 14 keys of the generator's
/// rounds in registers across the loop: products' descriptors lose theirs, or registers spill.
template <class Target>
TEGULA_INLINE std::uint64_t seed_of_this_round(std::uint64_t seed)
{
    auto low = static_cast<index_t>(seed), high = static_cast<index_t>(seed >> 32);
    Target::make_opaque(low);
    Target::make_opaque(high);
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
}

} // namespace detail

/// Dropout with probability p, rounded to a multiple of 2^-16, which must be in [0, 1); can_implement refuses any other.
constexpr attention_dropout make_dropout(double p, std::uint64_t seed, std::uint32_t offset = 0)
{
    const double rounded = p * 65536 + 0.5;
    return {rounded >= 0 && rounded < 65536 ? static_cast<std::uint32_t>(rounded) : 65536, offset, seed};
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::seed_of_this_round;
} // namespace tegula::internal
