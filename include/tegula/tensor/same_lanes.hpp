#pragma once

#include <tegula/layout/distribution.hpp>

namespace tegula {

namespace detail {

/// Part of the thread number that moves an element's place: ((thread / stride) % length) * x_stride along x_dim, where
/// the thread is the lane, or wave * lanes + lane. x_dim is -1 for replication.
struct thread_digit
{
    long_index_t stride;
    long_index_t length;
    int x_dim;
    long_index_t x_stride;

    friend constexpr bool operator==(const thread_digit&, const thread_digit&) = default;
};

using thread_digits = static_vector<thread_digit, 96>;

/// The digits that lanes own, least significant first, each as long as it can be: two digits that continue each other
/// are one. Two encodings place their lanes alike if and only if these lists are equal.
constexpr thread_digits canonical_thread_digits(const encoding_value& e)
{
    thread_digits sorted;
    for (const placed_digit& d : make_digit_table(e).digits) {
        if (d.p_dim < 0 || d.length == 1)
            continue;
        long_index_t stride = d.p_stride;
        for (int p = d.p_dim + 1; p < e.num_p(); ++p)
            stride *= p_length(e, p);
        sorted.push_back({stride, d.length, d.x_dim, d.x_stride});
        for (int i = sorted.size() - 1; i > 0 && sorted[i].stride < sorted[i - 1].stride; --i) {
            const thread_digit swapped = sorted[i];
            sorted[i] = sorted[i - 1];
            sorted[i - 1] = swapped;
        }
    }
    thread_digits merged;
    for (const thread_digit& d : sorted) {
        if (!merged.empty()) {
            thread_digit& below = merged.back();
            if (d.x_dim == below.x_dim && d.x_stride == below.x_stride * below.length) {
                below.length *= d.length;
                continue;
            }
        }
        merged.push_back(d);
    }
    return merged;
}

constexpr bool places_lanes_alike(const encoding_value& a, const encoding_value& b)
{
    if (a.num_x() != b.num_x())
        return false;
    for (int i = 0; i < a.num_x(); ++i)
        if (x_length(a, i) != x_length(b, i))
            return false;
    return canonical_thread_digits(a) == canonical_thread_digits(b);
}

} // namespace detail

/// Every lane holds the same elements in both distributions, if in other registers: what lanes do not own along a
/// dimension, registers do.
template <class A, class B>
inline constexpr bool same_lanes = detail::places_lanes_alike(A::value, B::value);

} // namespace tegula
