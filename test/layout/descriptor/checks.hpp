#pragma once

/// Properties every descriptor has, checked by brute force or at random.

#include "test/catch.hpp"

#include <tegula/layout/descriptor/coordinate.hpp>

#include <random>

namespace tegula::test {

inline index_t random_between(std::mt19937& random, index_t low, index_t high)
{
    return std::uniform_int_distribution<index_t>(low, high)(random);
}

template <int N>
multi_index<N> random_index(std::mt19937& random, const multi_index<N>& lengths)
{
    multi_index<N> index{};
    for (int i = 0; i < N; ++i)
        index[i] = random_between(random, 0, lengths[i] - 1);
    return index;
}

template <int N>
multi_index<N> difference(const multi_index<N>& a, const multi_index<N>& b)
{
    multi_index<N> step{};
    for (int i = 0; i < N; ++i)
        step[i] = a[i] - b[i];
    return step;
}

template <class Coordinate>
bool same_everywhere(const Coordinate& a, const Coordinate& b)
{
    return a.hidden.bottom == b.hidden.bottom && a.hidden.rest == b.hidden.rest;
}

/// A coordinate moved through random steps is the one made anew, in every hidden dimension.
template <class Descriptor>
void check_moves(const Descriptor& descriptor, std::mt19937& random, int steps)
{
    const auto lengths = descriptor.lengths();
    auto index = random_index(random, lengths);
    auto moved = make_coordinate(descriptor, index);
    for (int i = 0; i < steps; ++i) {
        auto target = random_index(random, lengths);
        for (int d = 0; d < Descriptor::num_dims; ++d)
            if (random() % 2)
                target[d] = index[d];
        move_coordinate(descriptor, moved, difference(target, index));
        index = target;
        const auto anew = make_coordinate(descriptor, index);
        if (!same_everywhere(moved, anew) || !(moved.index() == index))
            FAIL("moved coordinate differs from the recomputed one at step " << i);
        if (is_valid(descriptor, moved) != descriptor.is_valid(index))
            FAIL("validity of the moved coordinate differs at step " << i);
    }
}

/// Calls f for every index within the lengths; with no dimension there is one.
template <int N, class F>
void for_each_index(const multi_index<N>& lengths, F f)
{
    multi_index<N> index{};
    if constexpr (N == 0) {
        f(index);
    } else {
        for (int i = 0; i < N; ++i)
            if (lengths[i] == 0)
                return;
        for (int dim = 0; dim >= 0;) {
            f(index);
            for (dim = N - 1; dim >= 0 && ++index[dim] == lengths[dim]; --dim)
                index[dim] = 0;
        }
    }
}

/// Every guarantee holds at every index.
template <class Descriptor>
void check_guarantees(const Descriptor& descriptor)
{
    const auto lengths = descriptor.lengths();
    constexpr auto guarantees = Descriptor::guarantees();
    for_each_index(lengths, [&](const auto& index) {
        const long_index_t offset = descriptor.calculate_offset(index);
        for (int d = 0; d < Descriptor::num_dims; ++d) {
            const auto [length, stride] = guarantees[d];
            if (index[d] % length != 0)
                continue;
            if (stride == 1 && offset % length != 0)
                FAIL("dimension " << d << ": offset " << offset << " is no multiple of " << length);
            auto next = index;
            for (index_t j = 1; j < length && ++next[d] < lengths[d]; ++j)
                if (descriptor.calculate_offset(next) != offset + static_cast<long_index_t>(j) * stride)
                    FAIL("dimension " << d << ": element " << j << " of a vector is not " << stride << " apart");
        }
    });
}

/// Offsets and validity equal a formula: reference(index) gives the offset, or a negative number where no element is.
template <class Descriptor, class Reference>
void check_formula(const Descriptor& descriptor, Reference reference)
{
    for_each_index(descriptor.lengths(), [&](const auto& index) {
        const long_index_t expected = reference(index);
        if (descriptor.is_valid(index) != (expected >= 0))
            FAIL("validity differs from the formula");
        if (expected >= 0 && descriptor.calculate_offset(index) != expected)
            FAIL("offset " << descriptor.calculate_offset(index) << " instead of " << expected);
        if (expected >= descriptor.element_space_size())
            FAIL("an offset lies outside the element space");
    });
}

/// All of the above.
template <class Descriptor, class Reference>
void check_descriptor(const Descriptor& descriptor, std::mt19937& random, Reference reference)
{
    check_formula(descriptor, reference);
    check_guarantees(descriptor);
    check_moves(descriptor, random, 200);
}

} // namespace tegula::test
