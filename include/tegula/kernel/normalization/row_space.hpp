#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/index_space.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

/// Longest row that kernels take: columns are counted in 32 bits, and a chunk may begin after the last.
inline constexpr long_index_t max_row_length = INT32_MAX - (1 << 20);

/// The rows of tensors of the same lengths along one dimension: their starts, and the strides along them.
template <int Tensors>
struct row_space
{
    index_space<Tensors> rows; ///< the other dimensions; elements are numbered as rows, the last dimension fastest
    index_t length = 0;        ///< elements of a row
    long_index_t strides[Tensors] = {}; ///< elements from one to the next along a row
    index_t blocks = 0;                 ///< blocks of the launch

    /// Where row `row`, in [0, rows.size), begins in each tensor, in elements from its data.
    TEGULA_INLINE array<long_index_t, Tensors> offsets(long_index_t row) const { return rows.offsets(row); }
};

/// The dimension that `axis` means: from the last if it is negative. -1 if there is none.
constexpr int find_dimension(int axis, int rank)
{
    const int d = axis < 0 ? axis + rank : axis;
    return d >= 0 && d < rank ? d : -1;
}

/// Rows of a tensor along `axis`. Precondition: check_rows.
template <class T>
constexpr long_index_t count_rows(int axis, const tensor_argument<T>& x)
{
    const int d = find_dimension(axis, x.rank);
    long_index_t rows = 1;
    for (int i = 0; i < x.rank; ++i)
        rows *= i == d ? 1 : x.lengths[i];
    return rows;
}

/// Whether an optional tensor is given.
template <class T>
constexpr bool is_given(const tensor_argument<T>& x)
{
    return x.data != nullptr || x.rank != 0;
}

/// An optional tensor as a row_space takes it: if it is not given, with the lengths and strides of x.
template <class T, class X>
constexpr tensor_argument<T> given_or_like(const tensor_argument<T>& given, const tensor_argument<X>& x)
{
    if (is_given(given))
        return given;
    tensor_argument<T> none;
    none.rank = x.rank;
    for (int i = 0; i < x.rank; ++i)
        none.lengths[i] = x.lengths[i], none.strides[i] = x.strides[i];
    return none;
}

/// Precondition: check_rows of the first tensor; the others have its lengths.
template <class First, class... Others>
constexpr auto make_row_space(int axis, const tensor_argument<First>& first, const tensor_argument<Others>&... others)
{
    constexpr int n = 1 + static_cast<int>(sizeof...(Others));
    const auto parts = split_dimensions(make_index_space(first, others...), 1u << find_dimension(axis, first.rank));
    row_space<n> space;
    space.rows = canonicalize(parts.kept);
    space.length = static_cast<index_t>(parts.taken.lengths[0]);
    for (int t = 0; t < n; ++t)
        space.strides[t] = parts.taken.strides[t][0];
    return space;
}

/// Whether a tensor can be read by rows along `axis`. Errors: invalid_argument, and unsupported past max_row_length.
template <class T>
status check_rows(const tensor_argument<T>& x, int axis, const char* name)
{
    if (status s = check_tensor(x, name); !s)
        return s;
    const int d = find_dimension(axis, x.rank);
    if (d < 0)
        return internal::bad_tensor(name)
               << "axis " << axis << " and rank " << x.rank << "; an axis is from " << -x.rank << " to " << x.rank - 1;
    if (x.lengths[d] > max_row_length)
        return status(status_code::unsupported, name) << ": rows of " << x.lengths[d] << " elements; at most "
                                                      << max_row_length << " are supported, split the rows";
    return {};
}

/// Checks an output by rows of the input x: its lengths, distinct elements, and memory apart from x unless it is x.
template <class T, class O>
status check_row_output(const tensor_argument<T>& x, const char* x_name, const tensor_argument<O>& y, const char* name)
{
    if (status s = check_output(y, name); !s)
        return s;
    if (status s = check_same_lengths(x, x_name, y, name); !s)
        return s;
    if (memory_overlaps(x, y) && !same_elements(x, y))
        return internal::bad_tensor(name) << "its memory overlaps that of " << x_name
                                          << "; give it memory of its own, or the same elements in place";
    return {};
}

/// The length of the longest vectors, a power of two up to `widest`, that fill every row of all tensors. Elements of a
/// row are adjacent, and every row begins at a multiple of that length.
///
///   data, bytes  address and size of an element of each tensor; null for a tensor that is not given
template <int Tensors>
int find_row_vector(const row_space<Tensors>& space, const void* const (&data)[Tensors], const int (&bytes)[Tensors],
                    int widest)
{
    int vector = widest;
    const auto divides = [&](long_index_t x) { return x % vector == 0; };
    const auto suits = [&](int t) {
        bool whole = space.strides[t] == 1 && divides(space.length) &&
                     reinterpret_cast<std::uintptr_t>(data[t]) % static_cast<unsigned>(vector * bytes[t]) == 0;
        for (int d = 0; d < space.rows.rank; ++d)
            whole = whole && divides(space.rows.strides[t][d]);
        return whole;
    };
    for (; vector > 1; vector /= 2) {
        bool all = true;
        for (int t = 0; t < Tensors; ++t)
            all = all && (data[t] == nullptr || suits(t));
        if (all)
            break;
    }
    return vector;
}

/// The widest vectors of a row, up to `vector`, that a tensor of one dimension allows: 1 if its elements are not
/// adjacent or it begins between vectors.
template <class T>
int limit_row_vector(const tensor_argument<T>& w, int vector)
{
    if (w.data == nullptr || w.rank == 0)
        return vector;
    const auto bytes = static_cast<std::uintptr_t>(vector) * sizeof(T);
    return w.strides[0] == 1 && reinterpret_cast<std::uintptr_t>(w.data) % bytes == 0 ? vector : 1;
}

} // namespace tegula
