#pragma once

#include <tegula/layout/transform/common.hpp>

/// Several upper dimensions summed into one lower dimension: embed (given strides) and unmerge (mixed radix).
namespace tegula {

template <class Lengths, class Strides, index_t Promise = 1>
struct embed_transform;

/// lower = sum of upper[i] * strides[i]. Promise: every run-time stride is a multiple of it.
template <class... Lengths, class... Strides, index_t Promise>
struct embed_transform<tuple<Lengths...>, tuple<Strides...>, Promise>
{
    static_assert(sizeof...(Lengths) == sizeof...(Strides), "tegula: embed needs one stride for each length");

    static constexpr int num_lower = 1;
    static constexpr int num_upper = sizeof...(Lengths);

    /// The lengths, then the strides, in one tuple: nvcc 13 runs out of memory over a second empty member of one type
    /// after a class with data, for example a constant stride that equals a constant length.
    [[no_unique_address]] tuple<Lengths..., Strides...> numbers;

    template <int I>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        return get<I>(numbers);
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_step(const multi_index<num_upper>& step) const
    {
        return {{dot<Low>(step, indices{})}};
    }

    /// One more than the largest lower index; strides must not be negative. 0 if a length is 0.
    constexpr TEGULA_INLINE long_index_t lower_extent() const { return extent(indices{}); }

    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, num_upper>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        array<vector_guarantee, num_upper> upper{};
        int i = 0;
        ((upper[i] = guarantee(lower[0], is_constant<Strides>, detail::known_divisor<Strides>(Promise), others(i)),
          ++i),
         ...);
        return upper;
    }

private:
    using indices = std::make_integer_sequence<int, num_upper>;

    template <class Low, int... Is>
    constexpr TEGULA_INLINE Low dot(const multi_index<num_upper>& index, std::integer_sequence<int, Is...>) const
    {
        return ((static_cast<Low>(index[Is]) * static_cast<Low>(get<num_upper + Is>(numbers))) + ... + Low{0});
    }
    template <int... Is>
    constexpr TEGULA_INLINE long_index_t extent(std::integer_sequence<int, Is...>) const
    {
        if (((get<Is>(numbers) == 0) || ...))
            return 0;
        return (((static_cast<long_index_t>(get<Is>(numbers)) - 1) *
                 static_cast<long_index_t>(get<num_upper + Is>(numbers))) +
                ... + 1);
    }

    /// A number that divides the contribution of all dimensions but `dim`; a dimension of length 1 contributes nothing.
    static constexpr TEGULA_HOST_DEVICE index_t others(int dim)
    {
        index_t divisor = 0;
        int i = 0;
        ((divisor = i++ == dim || detail::known_divisor<Lengths>(0) == 1
                        ? divisor
                        : detail::common_divisor(divisor, detail::known_divisor<Strides>(Promise))),
         ...);
        return divisor;
    }
    static constexpr TEGULA_HOST_DEVICE vector_guarantee guarantee(vector_guarantee lower, bool known, index_t stride,
                                                                   index_t others)
    {
        if (!known)
            return no_vector_guarantee;
        if (stride == 0)
            return {any_vector_length, 0};
        if (stride != 1 && lower.length == any_vector_length)
            return {any_vector_length, lower.stride * stride};
        const index_t aligned = detail::common_divisor(lower.length, others);
        if (stride < 0 || aligned % stride != 0)
            return no_vector_guarantee;
        return {aligned / stride, lower.stride * stride};
    }
};

template <class Lengths, index_t Promise = 1>
struct unmerge_transform;

/// lower = mixed-radix number of the upper digits, the first most significant: a packed row-major array.
/// Promise: every run-time length is a multiple of it.
template <class... Lengths, index_t Promise>
struct unmerge_transform<tuple<Lengths...>, Promise>
{
    static constexpr int num_lower = 1;
    static constexpr int num_upper = sizeof...(Lengths);

    [[no_unique_address]] tuple<Lengths...> lengths;

    template <int I>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        return get<I>(lengths);
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_step(const multi_index<num_upper>& step) const
    {
        return {{horner<Low>(step, indices{})}};
    }

    /// Number of lower positions: the product of the lengths.
    constexpr TEGULA_INLINE long_index_t lower_extent() const { return extent(indices{}); }

    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, num_upper>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        const bool known[num_upper + 1] = {is_constant<Lengths>..., true};
        const index_t divisors[num_upper + 1] = {detail::known_divisor<Lengths>(Promise)..., 1};
        array<vector_guarantee, num_upper> upper{};
        long_index_t weight = 1; // lower positions per step of the current digit; 0 if it is not known
        for (int i = num_upper - 1; i >= 0; --i) {
            upper[i] = guarantee(lower[0], weight, i == 0 ? 0 : divisors[i]);
            weight = known[i] && weight * divisors[i] < any_vector_length ? weight * divisors[i] : 0;
        }
        return upper;
    }

private:
    using indices = std::make_integer_sequence<int, num_upper>;

    template <class Low, int... Is>
    constexpr TEGULA_INLINE Low horner(const multi_index<num_upper>& digits, std::integer_sequence<int, Is...>) const
    {
        Low sum = 0;
        ((sum = sum * static_cast<Low>(get<Is>(lengths)) + static_cast<Low>(digits[Is])), ...);
        return sum;
    }
    template <int... Is>
    constexpr TEGULA_INLINE long_index_t extent(std::integer_sequence<int, Is...>) const
    {
        return (static_cast<long_index_t>(get<Is>(lengths)) * ... * 1);
    }

    static constexpr TEGULA_HOST_DEVICE vector_guarantee guarantee(vector_guarantee lower, long_index_t weight,
                                                                   index_t length)
    {
        if (weight == 0)
            return no_vector_guarantee;
        const auto stride = static_cast<index_t>(weight);
        if (stride != 1 && lower.length == any_vector_length)
            return {any_vector_length, lower.stride * stride};
        if (lower.length % stride != 0)
            return no_vector_guarantee;
        return {detail::common_divisor(lower.length / stride, length), lower.stride * stride};
    }
};

/// Lengths and strides are tuples of constant<N> and integers, sequences, or arrays.
/// Promise: every run-time stride is a multiple of it, in elements; wider vectors follow from it.
template <class Lengths, class Strides, index_t Promise = 1>
constexpr TEGULA_INLINE auto make_embed_transform(const Lengths& lengths, const Strides& strides,
                                                  constant<Promise> = constant<1>{})
{
    using result = embed_transform<decltype(as_lengths(lengths)), decltype(as_strides(strides)), Promise>;
    return result{internal::concatenate(as_lengths(lengths), as_strides(strides))};
}

/// Promise: every run-time length is a multiple of it.
template <class Lengths, index_t Promise = 1>
constexpr TEGULA_INLINE auto make_unmerge_transform(const Lengths& lengths, constant<Promise> = constant<1>{})
{
    return unmerge_transform<decltype(as_lengths(lengths)), Promise>{as_lengths(lengths)};
}

} // namespace tegula
