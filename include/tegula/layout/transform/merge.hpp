#pragma once

#include <tegula/core/magic_division.hpp>
#include <tegula/layout/transform/common.hpp>

/// One upper dimension divided: merge (several lower dimensions seen as one) and modulo.
namespace tegula {

template <class Divisors, index_t Promise = 1>
struct merge_transform;

/// The lower indices are the mixed-radix digits of the upper index, the first most significant; digits past the first
/// wrap, the first takes what is left. Precondition: 0 <= upper.
/// Divisors are static_divisor<N> or magic_divisor. Promise: every run-time length is a multiple of it.
template <class... Divisors, index_t Promise>
struct merge_transform<tuple<Divisors...>, Promise>
{
    static constexpr int num_lower = sizeof...(Divisors);
    static constexpr int num_upper = 1;

    [[no_unique_address]] tuple<Divisors...> divisors;

    template <int>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        return length(std::make_integer_sequence<int, num_lower>{});
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, num_lower> lower_index(const multi_index<1>& upper) const
    {
        array<Low, num_lower> digits{};
        if constexpr (num_lower > 0) {
            index_t rest = upper[0];
            split(digits, rest, std::make_integer_sequence<int, num_lower - 1>{});
            digits[0] = rest;
        }
        return digits;
    }

    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1>
    upper_guarantees(const array<vector_guarantee, num_lower>& lower)
    {
        const index_t lengths[num_lower + 1] = {detail::known_divisor<decltype(Divisors{}.value())>(Promise)..., 1};
        const bool known[num_lower + 1] = {is_constant<decltype(Divisors{}.value())>..., true};
        int last = num_lower - 1; // the innermost dimension that moves
        while (last > 0 && known[last] && lengths[last] == 1)
            --last;
        if (last < 0)
            return {{{any_vector_length, 0}}};
        return {{detail::restrict_to(lower[last], last == 0 ? 0 : lengths[last])}};
    }

private:
    template <int... Is>
    constexpr TEGULA_INLINE auto length(std::integer_sequence<int, Is...>) const
    {
        return length_product(get<Is>(divisors).value()...);
    }
    template <class Low, int... Is>
    constexpr TEGULA_INLINE void split(array<Low, num_lower>& digits, index_t& rest,
                                       std::integer_sequence<int, Is...>) const
    {
        (split_one<num_lower - 1 - Is>(digits, rest), ...);
    }
    template <int I, class Low>
    constexpr TEGULA_INLINE void split_one(array<Low, num_lower>& digits, index_t& rest) const
    {
        const quotient_remainder d = get<I>(divisors).divide(rest);
        digits[I] = d.remainder;
        rest = d.quotient;
    }
};

/// lower = upper mod modulus. Precondition: 0 <= upper.
template <class Divisor, class Length>
struct modulo_transform
{
    static constexpr int num_lower = 1;
    static constexpr int num_upper = 1;

    [[no_unique_address]] Divisor divisor;
    [[no_unique_address]] Length length;

    template <int>
    constexpr TEGULA_INLINE Length upper_length() const
    {
        return length;
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<1>& upper) const
    {
        return {{static_cast<Low>(divisor.divide(upper[0]).remainder)}};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        return {{detail::restrict_to(lower[0], detail::known_divisor<decltype(Divisor{}.value())>(1))}};
    }
};

namespace detail {
template <index_t Promise, class Lengths, int... Is>
constexpr TEGULA_INLINE auto make_merge(const Lengths& lengths, std::integer_sequence<int, Is...>)
{
    return merge_transform<tuple<decltype(make_divisor(get<Is>(lengths)))...>, Promise>{
        make_tuple(make_divisor(get<Is>(lengths))...)};
}
} // namespace detail

/// Lengths of the merged dimensions; their product must be below 2^31.
/// Promise: every run-time length is a multiple of it; vectors along the last dimension stay vectors then.
template <class Lengths, index_t Promise = 1>
constexpr TEGULA_INLINE auto make_merge_transform(const Lengths& lengths, constant<Promise> = constant<1>{})
{
    const auto checked = as_lengths(lengths);
    return detail::make_merge<Promise>(checked, detail::indices_of<decltype(as_lengths(lengths))>{});
}

template <class Modulus, class Length>
constexpr TEGULA_INLINE auto make_modulo_transform(Modulus modulus, Length length)
{
    return modulo_transform<decltype(make_divisor(as_length(modulus))), decltype(as_length(length))>{
        make_divisor(as_length(modulus)), as_length(length)};
}

} // namespace tegula
