#pragma once

#include <tegula/tensor/access.hpp>
#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/sweep.hpp>

/// Changes to a tile of scores [rows, columns] that depend on row and column, such as the mask. They apply to the
/// scores of chained_products, between the first product and the softmax.

namespace tegula {

/// Keys [first, last).
struct key_range
{
    index_t first = 0;
    index_t last = 0;
};

/// The column of the lane's first element of a tile over Target's lanes.
template <class Target, class Distribution>
TEGULA_INLINE index_t first_column()
{
    return Distribution::origin(partition_index<Target, Distribution>())[1];
}

namespace internal {
/// The column of the lane's element before element N in the same row; 0 before the first.
template <class Distribution, int N>
consteval index_t column_before()
{
    using registers = reduced_registers<Distribution, 1>;
    for (int n = N - 1; n >= 0; --n)
        if (registers::target_of(n) == registers::target_of(N))
            return Distribution::step(n)[1];
    return 0;
}
} // namespace internal

/// change(score, x, constant<column>, constant<columns before it>) for the lane's scores: x is what start(place) made
/// for the row, once; columns count from the lane's first one, first_column(). So values that depend only on a kernel's
/// arguments are not held across its loop, although each element needs them.
TEGULA_CALLS_BACK
template <class Target, class Distribution, class Start, class Change>
TEGULA_INLINE void sweep_rows(distributed_tensor<float, Distribution>& scores, const Start& start, const Change& change)
{
    using registers = internal::reduced_registers<Distribution, 1>;
    using of_row = decltype(start(multi_index<1>{}));
    distributed_tensor<of_row, reduced_distribution<Distribution, 1>> rows;
    sweep<Target>(rows, [&](of_row& x, const auto& place) { x = start(place); });
    static_for<Distribution::num_elements>([&](auto n) {
        constexpr int from = registers::source_of(n), row = registers::target_of(n);
        constexpr index_t column = Distribution::step(n)[1], before = internal::column_before<Distribution, n>();
        change(scores[from], rows[row], constant<column>{}, constant<before>{});
    });
}

/// Which keys hide_keys() hides.
enum class hidden_keys {
    past_the_last, ///< keys from a row's last on
    outside,       ///< also keys before its first, except those of the prefix
};

/// Whether a row that sees `range` sees `key`; all of them counted from the same key.
template <hidden_keys Hidden>
constexpr TEGULA_INLINE bool shows(const key_range& range, index_t prefix, index_t key)
{
    bool seen = key < range.last;
    if constexpr (Hidden == hidden_keys::outside)
        seen = ((key >= range.first) & seen) | (key < prefix);
    return seen;
}

/// Scores of keys that their rows do not see become -inf.
///
///   scores  the tile whose first column is key `key`
///   seen    seen(row) is the key_range that row `row` of the tile sees
///   prefix  for hidden_keys::outside: all rows see the keys below it
TEGULA_CALLS_BACK
template <class Target, hidden_keys Hidden = hidden_keys::past_the_last, class Distribution, class Seen>
TEGULA_INLINE void hide_keys(distributed_tensor<float, Distribution>& scores, index_t key, const Seen& seen,
                             [[maybe_unused]] index_t prefix = 0)
{
    // The limits of each row are computed once. Then a column takes one comparison, or three.
    const index_t first = key + first_column<Target, Distribution>();
    sweep_rows<Target>(
        scores,
        [&](const auto& place) {
            const key_range range = seen(place[0]);
            return key_range{range.first - first, range.last - first};
        },
        [&](float& x, const key_range& shown, index_t column, auto) {
            x = shows<Hidden>(shown, prefix - first, column) ? x : -__builtin_inff();
        });
}

} // namespace tegula
