#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/wide_magic_division.hpp>
#include <tegula/kernel/tensor_argument.hpp>

/// The index space of several tensors of the same lengths, with as few dimensions as possible. It maps the number of an element
/// to the element's offset in each tensor.

namespace tegula {

/// The lengths of some dimensions, and the strides of several tensors along them, in elements. Dimension 0 is the fastest.
///
/// The number of an element counts through dimension 0 first. offsets() maps it to offsets, with multiplications in place of
/// divisions (wide_magic_divisor).
template <int Tensors>
struct index_space
{
    int rank = 0; ///< 0: one element
    long_index_t lengths[max_tensor_rank] = {};
    long_index_t strides[Tensors][max_tensor_rank] = {};
    wide_magic_divisor wide_divisors[max_tensor_rank] = {}; ///< for the lengths
    long_index_t size = 1;                                  ///< elements

    /// Offsets of element `number`, in [0, size), from the data of each tensor, in elements.
    TEGULA_INLINE array<long_index_t, Tensors> offsets(long_index_t number) const
    {
        // A loop: unrolled, the strides and divisors of all tensors would fill the scalar registers.
        array<long_index_t, Tensors> at{};
        const int last = max(rank - 1, 0);
        TEGULA_ROLLED
        for (int d = 0; d < last; ++d) {
            const auto q = wide_divisors[d].divide(number);
            for (int t = 0; t < Tensors; ++t)
                at[t] += q.remainder * strides[t][d];
            number = q.quotient;
        }
        for (int t = 0; t < Tensors; ++t)
            at[t] += number * strides[t][last];
        return at;
    }
    /// The offset of element `number` in tensor t.
    TEGULA_INLINE long_index_t offset(long_index_t number, int t) const
    {
        const int last = max(rank - 1, 0);
        long_index_t at = 0;
        TEGULA_ROLLED
        for (int d = 0; d < last; ++d) {
            const auto q = wide_divisors[d].divide(number);
            at += q.remainder * strides[t][d];
            number = q.quotient;
        }
        return at + number * strides[t][last];
    }
};

namespace detail {

template <int Tensors>
constexpr void swap_dimensions(index_space<Tensors>& space, int a, int b)
{
    const auto swap = [](long_index_t& x, long_index_t& y) {
        const long_index_t old = x;
        x = y;
        y = old;
    };
    swap(space.lengths[a], space.lengths[b]);
    for (int t = 0; t < Tensors; ++t)
        swap(space.strides[t][a], space.strides[t][b]);
}

template <int Tensors>
constexpr void copy_dimension(index_space<Tensors>& space, int to, const index_space<Tensors>& from, int d)
{
    space.lengths[to] = from.lengths[d];
    for (int t = 0; t < Tensors; ++t)
        space.strides[t][to] = from.strides[t][d];
}

/// Whether dimensions d and d + 1 can be merged to one: in every tensor, stride d + 1 is stride d times length d.
template <int Tensors>
constexpr bool continues(const index_space<Tensors>& space, int d)
{
    const auto times = [](long_index_t x, long_index_t y) { // if it wraps around, no stride is equal to it
        return static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
    };
    for (int t = 0; t < Tensors; ++t)
        if (static_cast<std::uint64_t>(space.strides[t][d + 1]) != times(space.strides[t][d], space.lengths[d]))
            return false;
    return true;
}

} // namespace detail

/// The space of several tensors of the same lengths: the last dimension is its dimension 0. Precondition: check_tensor
/// and check_same_lengths.
template <class First, class... Others>
constexpr auto make_index_space(const tensor_argument<First>& first, const tensor_argument<Others>&... others)
{
    index_space<1 + static_cast<int>(sizeof...(Others))> space;
    space.rank = first.rank;
    for (int d = 0; d < first.rank; ++d) {
        const int i = first.rank - 1 - d;
        space.lengths[d] = first.lengths[i];
        int t = 0;
        space.strides[t++][d] = first.strides[i];
        ((space.strides[t++][d] = others.strides[i]), ...);
    }
    return space;
}

/// Sorts the dimensions by the magnitude of the strides of tensor `by`, the smallest first. It changes the numbers of
/// elements: use it only if their order does not matter.
template <int Tensors>
constexpr void sort_dimensions(index_space<Tensors>& space, int by = 0)
{
    const auto magnitude = [&](int d) {
        const long_index_t stride = space.strides[by][d];
        return stride < 0 ? -stride : stride;
    };
    for (int i = 1; i < space.rank; ++i)
        for (int d = i; d > 0 && magnitude(d) < magnitude(d - 1); --d)
            detail::swap_dimensions(space, d, d - 1);
}

/// Removes dimensions of length 1 and merges those that are one run in every tensor. The numbers of elements stay the same. A
/// space without elements gets one dimension of length 0. It also fills in size and divisors, so that it must be the last step.
template <int Tensors>
constexpr index_space<Tensors> canonicalize(const index_space<Tensors>& space)
{
    index_space<Tensors> merged;
    for (int d = 0; d < space.rank; ++d) {
        if (space.lengths[d] == 0) {
            merged = {};
            merged.rank = 1;
            merged.size = 0;
            return merged;
        }
        if (space.lengths[d] == 1)
            continue;
        detail::copy_dimension(merged, merged.rank, space, d);
        if (merged.rank > 0 && detail::continues(merged, merged.rank - 1))
            merged.lengths[merged.rank - 1] *= space.lengths[d];
        else
            ++merged.rank;
    }
    for (int d = merged.rank; d < max_tensor_rank; ++d) {
        merged.lengths[d] = 1;
        for (int t = 0; t < Tensors; ++t)
            merged.strides[t][d] = 0;
    }
    for (int d = 0; d < merged.rank; ++d)
        merged.size *= merged.lengths[d];
    for (int d = 0; d < merged.rank; ++d)
        merged.wide_divisors[d] = wide_magic_divisor(merged.lengths[d]);
    return merged;
}

/// A space cut in two by dimensions: those kept, and those taken out.
template <int Tensors>
struct split_space
{
    index_space<Tensors> kept;
    index_space<Tensors> taken;
};

/// Takes out the dimensions whose bit is set in `dims`, in dimensions of the tensors: bit 0 is the tensor's first.
/// Neither part is canonical yet.
template <int Tensors>
constexpr split_space<Tensors> split_dimensions(const index_space<Tensors>& space, unsigned dims)
{
    split_space<Tensors> parts;
    for (int d = 0; d < space.rank; ++d) {
        index_space<Tensors>& part = (dims >> (space.rank - 1 - d) & 1) != 0 ? parts.taken : parts.kept;
        detail::copy_dimension(part, part.rank++, space, d);
    }
    return parts;
}

/// The most elements, a power of two of at most `widest`, that an access to tensor t moves together anywhere in a
/// canonical space. Dimension 0 is contiguous there. Every other stride, the length of dimension 0 and the address are
/// multiples of that many elements.
///
///   bytes  of an element
template <int Tensors>
int find_vector_length(const index_space<Tensors>& space, int t, const void* data, int bytes, int widest)
{
    if (space.rank == 0 || space.strides[t][0] != 1)
        return 1;
    int vector = widest;
    const auto divides = [&](long_index_t x) { return x % vector == 0; };
    while (vector > 1) {
        bool whole = divides(space.lengths[0]) &&
                     reinterpret_cast<std::uintptr_t>(data) % static_cast<unsigned>(vector * bytes) == 0;
        for (int d = 1; d < space.rank; ++d)
            whole = whole && divides(space.strides[t][d]);
        if (whole)
            break;
        vector /= 2;
    }
    return vector;
}

} // namespace tegula
