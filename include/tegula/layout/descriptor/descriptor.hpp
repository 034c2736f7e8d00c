#pragma once

#include <tegula/core/math.hpp>
#include <tegula/layout/descriptor/adaptor.hpp>

namespace tegula {

/// Where the elements of a tensor lie: a map from an index to an offset in memory, a number of elements in 64 bits.
///
/// The map is an adaptor, a chain of transforms (adaptor.hpp). Its top dimensions are those of the tensor, its one bottom
/// dimension is the offset. Dimensions between two transforms are called hidden.
template <class Adaptor>
struct tensor_descriptor
{
    static_assert(Adaptor::num_bottom == 1, "tegula: a descriptor has one bottom dimension, the element offset");

    static constexpr int num_dims = Adaptor::num_top;

    [[no_unique_address]] Adaptor adaptor;

    /// Length of dimension I: constant<N> if it is known at compile time, else index_t.
    template <int I>
    constexpr TEGULA_INLINE auto length() const
    {
        return adaptor.template length<I>();
    }
    constexpr TEGULA_INLINE multi_index<num_dims> lengths() const { return adaptor.lengths(); }

    /// Offset of the element at `index`, in elements.
    constexpr TEGULA_INLINE long_index_t calculate_offset(const multi_index<num_dims>& index) const
    {
        return adaptor.calculate_bottom_index(index)[0];
    }

    /// Number of elements from the first to the last of the strided tensor that the other transforms lie over; 0 if
    /// one of its lengths is 0.
    constexpr TEGULA_INLINE long_index_t element_space_size() const
    {
        return get<0>(adaptor.transforms).lower_extent();
    }

    /// Whether there is an element at `index`: within the lengths, in no padding, in no hole.
    constexpr TEGULA_INLINE bool is_valid(const multi_index<num_dims>& index) const
    {
        return is_inside_lengths(index) && adaptor.is_valid(adaptor.calculate_hidden_index(index));
    }
    constexpr TEGULA_INLINE bool is_inside_lengths(const multi_index<num_dims>& index) const
    {
        return is_inside_lengths(index, std::make_integer_sequence<int, num_dims>{});
    }

    /// The guarantees known at compile time about vectors along each dimension; see vector_guarantee.
    static consteval array<vector_guarantee, num_dims> guarantees()
    {
        return Adaptor::guarantees({{vector_guarantee{any_vector_length, 1}}});
    }
    /// The length n of vectors along `dim`: from every index that is a multiple of n, the next n elements lie
    /// guaranteed_vector_stride(dim) apart in memory. 1 if nothing is known.
    static constexpr TEGULA_INLINE index_t guaranteed_vector_length(int dim)
    {
        const array<vector_guarantee, num_dims> all = guarantees();
        return all[dim].length;
    }
    /// Distance between neighbours in such a vector, in elements; 1 if they are contiguous.
    static constexpr TEGULA_INLINE index_t guaranteed_vector_stride(int dim)
    {
        const array<vector_guarantee, num_dims> all = guarantees();
        return all[dim].stride;
    }

private:
    template <int... Is>
    constexpr TEGULA_INLINE bool is_inside_lengths(const multi_index<num_dims>& index,
                                                   std::integer_sequence<int, Is...>) const
    {
        return ((index[Is] >= 0 && index[Is] < length<Is>()) && ...);
    }
};

namespace detail {
template <index_t First, int... Is>
sequence<(First + Is)...> counted_sequence(std::integer_sequence<int, Is...>);

/// The descriptor with one transform, embed or unmerge, over the offset.
template <class Transform>
constexpr TEGULA_INLINE auto make_base_descriptor(const Transform& transform)
{
    constexpr int n = Transform::num_upper;
    using upper = decltype(counted_sequence<1>(std::make_integer_sequence<int, n>{}));
    using adaptor = tensor_adaptor<tuple<Transform>, tuple<sequence<0>>, tuple<upper>, 1, n, long_index_t>;
    return tensor_descriptor<adaptor>{adaptor{make_tuple(transform)}};
}

/// Packed row-major strides whose innermost length is `row`; constants as long as they fit 31 bits.
template <int I, class Lengths, class Row>
constexpr TEGULA_INLINE auto aligned_stride(const Lengths& lengths, Row row)
{
    constexpr int n = Lengths::size();
    if constexpr (I == n - 1) {
        return constant<1>{};
    } else if constexpr (I == n - 2) {
        return row;
    } else {
        const auto inner = aligned_stride<I + 1>(lengths, row);
        const auto length = get<I + 1>(lengths);
        using inner_type = decltype(aligned_stride<I + 1>(lengths, row));
        using length_type = decltype(as_length(get<I + 1>(lengths)));
        if constexpr (is_constant<inner_type> && is_constant<length_type>) {
            constexpr auto product =
                static_cast<long_index_t>(inner_type::value) * static_cast<long_index_t>(length_type::value);
            if constexpr (product <= 0x7fffffff)
                return constant<static_cast<index_t>(product)>{};
            else
                return product;
        } else {
            return static_cast<long_index_t>(inner) * static_cast<long_index_t>(length);
        }
    }
}
template <index_t Alignment, class Length>
constexpr TEGULA_INLINE auto aligned_row(Length length)
{
    if constexpr (is_constant<Length>)
        return constant<round_up(Length::value, Alignment)>{};
    else
        return round_up(static_cast<long_index_t>(length), Alignment);
}
template <index_t Alignment, class Lengths, int... Is>
constexpr TEGULA_INLINE auto aligned_strides(const Lengths& lengths, std::integer_sequence<int, Is...>)
{
    const auto row = aligned_row<Alignment>(get<sizeof...(Is) - 1>(lengths));
    return make_tuple(aligned_stride<Is>(lengths, row)...);
}
} // namespace detail

/// The element at index i lies at the offset sum of i[d] * strides[d].
///
/// lengths, strides  tuples of constant<N> and integers, sequences, or arrays. Strides are in elements; a run-time one of
///                   64 bits is kept in 64
/// Promise           the caller's word that every run-time stride, and the start of the data, is a multiple of it. Then
///                   vectors of Promise elements are taken along a dimension of stride constant<1>
template <class Lengths, class Strides, index_t Promise = 1>
constexpr TEGULA_INLINE auto make_strided_descriptor(const Lengths& lengths, const Strides& strides,
                                                     constant<Promise> promise = constant<1>{})
{
    return detail::make_base_descriptor(make_embed_transform(lengths, strides, promise));
}

/// Row-major, without gaps. Promise: every run-time length past the first is a multiple of it.
template <class Lengths, index_t Promise = 1>
constexpr TEGULA_INLINE auto make_packed_descriptor(const Lengths& lengths, constant<Promise> promise = constant<1>{})
{
    return detail::make_base_descriptor(make_unmerge_transform(lengths, promise));
}

/// Row-major, each row (the last dimension) rounded up to a multiple of Alignment elements.
template <class Lengths, index_t Alignment>
constexpr TEGULA_INLINE auto make_aligned_descriptor(const Lengths& lengths, constant<Alignment> alignment)
{
    static_assert(Alignment > 0, "tegula: rows are aligned to a positive number of elements");
    const auto plain = as_lengths(lengths);
    return make_strided_descriptor(
        plain, detail::aligned_strides<Alignment>(plain, internal::indices_of<decltype(as_lengths(lengths))>{}),
        alignment);
}

/// A descriptor seen through one more stage of transforms.
///
/// transforms    tuple of transforms
/// lower, upper  tuples of sequences, one sequence per transform: the dimensions of `descriptor` that it takes
///               and those of the result that it makes; each is named exactly once
template <class Adaptor, class Transforms, class LowerIds, class UpperIds>
constexpr TEGULA_INLINE auto transform_descriptor(const tensor_descriptor<Adaptor>& descriptor,
                                                  const Transforms& transforms, LowerIds lower, UpperIds upper)
{
    using result = decltype(transform_adaptor(descriptor.adaptor, transforms, lower, upper));
    return tensor_descriptor<result>{transform_adaptor(descriptor.adaptor, transforms, lower, upper)};
}

} // namespace tegula
