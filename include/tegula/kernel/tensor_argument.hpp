#pragma once

#include <tegula/core/status.hpp>

#include <initializer_list>

/// Tensors of any shape as kernels of normalisation, reduction and elementwise operations are given them.

namespace tegula {

/// Most dimensions of a tensor_argument.
inline constexpr int max_tensor_rank = 8;

/// A tensor in the device's memory: element (x0, x1, ...) is data[x0 * strides[0] + x1 * strides[1] + ...].
///
///   T  element type; const if the kernel only reads it
///
/// Lengths and strides count elements. Strides of inputs are any: negative ones, and 0 if one element stands for
/// all. Rank 0 is one element, a length of 0 none. can_implement checks what it is given by check_tensor.
template <class T>
struct tensor_argument
{
    using element_type = T;

    T* data = nullptr;
    int rank = 0;
    long_index_t lengths[max_tensor_rank] = {};
    long_index_t strides[max_tensor_rank] = {};

    /// Elements. Precondition: check_tensor.
    constexpr TEGULA_HOST_DEVICE long_index_t size() const
    {
        std::uint64_t n = 1; // if this wraps around, a length of 0 follows
        for (int i = 0; i < rank; ++i)
            n *= static_cast<std::uint64_t>(lengths[i]);
        return static_cast<long_index_t>(n);
    }
};

/// A tensor of the given lengths whose last dimension is the fastest, without gaps.
template <class T>
constexpr tensor_argument<T> make_tensor_argument(T* data, std::initializer_list<long_index_t> lengths)
{
    tensor_argument<T> tensor{data, static_cast<int>(lengths.size())};
    if (tensor.rank > max_tensor_rank) // check_tensor refuses it
        return tensor;
    long_index_t stride = 1;
    for (int i = tensor.rank - 1; i >= 0; --i) {
        tensor.lengths[i] = lengths.begin()[i];
        tensor.strides[i] = stride;
        // Products past 64 bits wrap around here; check_tensor refuses them.
        stride = static_cast<long_index_t>(static_cast<std::uint64_t>(stride) *
                                           static_cast<std::uint64_t>(tensor.lengths[i]));
    }
    return tensor;
}

/// make_tensor_argument with strides. If there are more or fewer strides than lengths, the rank is -1, which
/// check_tensor refuses.
template <class T>
constexpr tensor_argument<T> make_tensor_argument(T* data, std::initializer_list<long_index_t> lengths,
                                                  std::initializer_list<long_index_t> strides)
{
    tensor_argument<T> tensor = make_tensor_argument(data, lengths);
    if (strides.size() != lengths.size())
        tensor.rank = -1;
    else if (tensor.rank <= max_tensor_rank)
        for (int i = 0; i < tensor.rank; ++i)
            tensor.strides[i] = strides.begin()[i];
    return tensor;
}

/// The elements from the lowest to the highest address, as offsets: [first, last]. Empty if first > last.
struct element_range
{
    long_index_t first = 0;
    long_index_t last = -1;

    constexpr long_index_t count() const { return last - first + 1; }
};

/// Precondition: check_tensor.
template <class T>
constexpr element_range range_of(const tensor_argument<T>& tensor)
{
    if (tensor.size() == 0)
        return {};
    element_range range{0, 0};
    for (int i = 0; i < tensor.rank; ++i) {
        const long_index_t reach = (tensor.lengths[i] - 1) * tensor.strides[i];
        (reach < 0 ? range.first : range.last) += reach;
    }
    return range;
}

namespace detail {

inline status bad_tensor(const char* name) { return status(status_code::invalid_argument, name) << ": "; }

/// Adds |a| * b to `sum` if that stays within `limit`, and says whether it does. Precondition: b >= 0.
constexpr bool add_product(long_index_t a, long_index_t b, long_index_t limit, long_index_t& sum)
{
    if (b == 0 || a == 0)
        return true;
    if (a == INT64_MIN)
        return false;
    const long_index_t size = a < 0 ? -a : a;
    if (size > (limit - sum) / b)
        return false;
    sum += size * b;
    return true;
}

} // namespace detail

/// Whether a tensor can be read: up to 8 dimensions, no negative length, at most 2^63 - 1 elements and bytes between its
/// ends, a pointer that is aligned to T and not null unless the tensor is empty.
///
/// `name` begins the message. Errors: invalid_argument.
template <class T>
status check_tensor(const tensor_argument<T>& tensor, const char* name)
{
    using detail::bad_tensor;
    if (tensor.rank < 0 || tensor.rank > max_tensor_rank)
        return bad_tensor(name) << "rank " << tensor.rank << "; a tensor has 0 to " << max_tensor_rank
                                << " dimensions, and a stride for each length: merge neighbouring dimensions";
    bool empty = false;
    for (int i = 0; i < tensor.rank; ++i) {
        if (tensor.lengths[i] < 0)
            return bad_tensor(name) << "length " << tensor.lengths[i] << " of dimension " << i
                                    << "; lengths start at 0";
        empty = empty || tensor.lengths[i] == 0;
    }
    constexpr long_index_t most = INT64_MAX / static_cast<long_index_t>(sizeof(T));
    if (!empty) {
        long_index_t elements = 1, reach = 0;
        for (int i = 0; i < tensor.rank; ++i) {
            if (tensor.lengths[i] > INT64_MAX / elements)
                return bad_tensor(name) << "its lengths are more than 2^63 - 1 elements in all; split the tensor";
            elements *= tensor.lengths[i];
            if (!detail::add_product(tensor.strides[i], tensor.lengths[i] - 1, most, reach))
                return bad_tensor(name) << "stride " << tensor.strides[i] << " of dimension " << i << ", of length "
                                        << tensor.lengths[i] << ", leads past 2^63 bytes; split the tensor";
        }
        if (tensor.data == nullptr)
            return bad_tensor(name) << "null, with " << elements << " elements; give it the device's memory";
    }
    if (reinterpret_cast<std::uintptr_t>(tensor.data) % alignof(T) != 0)
        return bad_tensor(name) << "its address is not a multiple of " << static_cast<int>(alignof(T))
                                << " bytes, the size of an element; elements are aligned";
    return {};
}

/// Whether a tensor can be written: check_tensor, and no two of its elements have one address.
///
/// The rule: with dimensions in the order of their strides, each stride is more than all faster dimensions reach
/// together. It holds for all slices, transposes and reversals of a tensor without gaps.
template <class T>
status check_output(const tensor_argument<T>& tensor, const char* name)
{
    static_assert(!std::is_const_v<T>, "tegula: an output is not of const elements");
    if (status s = check_tensor(tensor, name); !s)
        return s;
    if (tensor.size() == 0)
        return {};
    bool done[max_tensor_rank] = {};
    long_index_t reach = 0;
    for (int i = 0; i < tensor.rank; ++i) {
        int next = -1;
        const auto magnitude = [&](int d) { return tensor.strides[d] < 0 ? -tensor.strides[d] : tensor.strides[d]; };
        for (int d = 0; d < tensor.rank; ++d)
            if (!done[d] && tensor.lengths[d] > 1 && (next < 0 || magnitude(d) < magnitude(next)))
                next = d;
        if (next < 0)
            break;
        done[next] = true;
        if (magnitude(next) <= reach)
            return detail::bad_tensor(name)
                   << "stride " << tensor.strides[next] << " of dimension " << next << " is within the " << reach + 1
                   << " elements that faster dimensions span, so that elements of the output overlap; "
                   << "give each element an address of its own";
        reach += magnitude(next) * (tensor.lengths[next] - 1);
    }
    return {};
}

/// Whether the memory from the first to the last element of two tensors has a byte in common. Precondition: check_tensor.
template <class T, class U>
bool memory_overlaps(const tensor_argument<T>& a, const tensor_argument<U>& b)
{
    const element_range x = range_of(a), y = range_of(b);
    if (x.count() == 0 || y.count() == 0)
        return false;
    return reinterpret_cast<std::uintptr_t>(a.data + x.first) < reinterpret_cast<std::uintptr_t>(b.data + y.last + 1) &&
           reinterpret_cast<std::uintptr_t>(b.data + y.first) < reinterpret_cast<std::uintptr_t>(a.data + x.last + 1);
}

/// Whether two tensors have the same elements at the same places: an output may then be an input, if each element
/// depends on its own alone.
template <class T, class U>
bool same_elements(const tensor_argument<T>& a, const tensor_argument<U>& b)
{
    if (static_cast<const void*>(a.data) != static_cast<const void*>(b.data) || sizeof(T) != sizeof(U) ||
        a.rank != b.rank)
        return false;
    for (int i = 0; i < a.rank; ++i)
        if (a.lengths[i] != b.lengths[i] || (a.lengths[i] > 1 && a.strides[i] != b.strides[i]))
            return false;
    return true;
}

/// Whether two tensors have the same lengths, dimension by dimension.
template <class T, class U>
status check_same_lengths(const tensor_argument<T>& a, const char* a_name, const tensor_argument<U>& b,
                          const char* b_name)
{
    if (a.rank != b.rank)
        return detail::bad_tensor(b_name)
               << "rank " << b.rank << ", and " << a_name << " has rank " << a.rank << "; the ranks must agree";
    for (int i = 0; i < a.rank; ++i)
        if (a.lengths[i] != b.lengths[i])
            return detail::bad_tensor(b_name) << "length " << b.lengths[i] << " of dimension " << i << ", and "
                                              << a_name << " has " << a.lengths[i] << "; the lengths must agree";
    return {};
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::bad_tensor;
} // namespace tegula::internal
