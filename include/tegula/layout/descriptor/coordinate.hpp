#pragma once

#include <tegula/layout/descriptor/descriptor.hpp>

namespace tegula {

/// A position in an adaptor, moved incrementally: it keeps the index of every dimension, hidden ones included.
template <class Adaptor>
struct adaptor_coordinate
{
    typename Adaptor::hidden hidden;

    constexpr TEGULA_INLINE multi_index<Adaptor::num_top> index() const
    {
        return index(std::make_integer_sequence<int, Adaptor::num_top>{});
    }
    /// The element offset, if the adaptor is a descriptor.
    constexpr TEGULA_INLINE long_index_t offset() const
        requires(Adaptor::num_bottom == 1)
    {
        return hidden.bottom[0];
    }

private:
    template <int... Is>
    constexpr TEGULA_INLINE multi_index<Adaptor::num_top> index(std::integer_sequence<int, Is...>) const
    {
        return {hidden.template at<Adaptor::num_hidden - Adaptor::num_top + Is>()...};
    }
};

template <class Adaptor>
    requires requires { typename Adaptor::hidden; }
constexpr TEGULA_INLINE adaptor_coordinate<Adaptor> make_coordinate(const Adaptor& adaptor,
                                                                    const multi_index<Adaptor::num_top>& index)
{
    return {adaptor.calculate_hidden_index(index)};
}
template <class Adaptor>
constexpr TEGULA_INLINE adaptor_coordinate<Adaptor> make_coordinate(const tensor_descriptor<Adaptor>& descriptor,
                                                                    const multi_index<Adaptor::num_top>& index)
{
    return {descriptor.adaptor.calculate_hidden_index(index)};
}

namespace detail {
template <class Adaptor, index_t... Steps>
constexpr TEGULA_INLINE void move_by(const Adaptor& adaptor, adaptor_coordinate<Adaptor>& coordinate,
                                     sequence<Steps...>)
{
    static_assert(sizeof...(Steps) == Adaptor::num_top, "a step has one component for each dimension");
    constexpr std::uint64_t moving = [] {
        std::uint64_t mask = 0, bit = 1;
        ((mask |= Steps != 0 ? bit : 0, bit <<= 1), ...);
        return mask;
    }();
    adaptor.template move_hidden_index<moving>(coordinate.hidden, multi_index<Adaptor::num_top>{Steps...});
}
} // namespace detail

/// Moves a coordinate by `step`, one component per dimension, in elements; cheaper than making a new one.
/// The step is a multi_index, or a sequence if it is known at compile time: then indices that it cannot
/// change cost nothing.
template <class Adaptor>
    requires requires { typename Adaptor::hidden; }
constexpr TEGULA_INLINE void move_coordinate(const Adaptor& adaptor, adaptor_coordinate<Adaptor>& coordinate,
                                             const multi_index<Adaptor::num_top>& step)
{
    adaptor.move_hidden_index(coordinate.hidden, step);
}
template <class Adaptor, index_t... Steps>
    requires requires { typename Adaptor::hidden; }
constexpr TEGULA_INLINE void move_coordinate(const Adaptor& adaptor, adaptor_coordinate<Adaptor>& coordinate,
                                             sequence<Steps...> step)
{
    detail::move_by(adaptor, coordinate, step);
}
template <class Adaptor>
constexpr TEGULA_INLINE void move_coordinate(const tensor_descriptor<Adaptor>& descriptor,
                                             adaptor_coordinate<Adaptor>& coordinate,
                                             const multi_index<Adaptor::num_top>& step)
{
    descriptor.adaptor.move_hidden_index(coordinate.hidden, step);
}
template <class Adaptor, index_t... Steps>
constexpr TEGULA_INLINE void move_coordinate(const tensor_descriptor<Adaptor>& descriptor,
                                             adaptor_coordinate<Adaptor>& coordinate, sequence<Steps...> step)
{
    detail::move_by(descriptor.adaptor, coordinate, step);
}

/// Whether there is an element at the coordinate: within the lengths, in no padding, in no hole.
template <class Adaptor>
constexpr TEGULA_INLINE bool is_valid(const tensor_descriptor<Adaptor>& descriptor,
                                      const adaptor_coordinate<Adaptor>& coordinate)
{
    return descriptor.is_inside_lengths(coordinate.index()) && descriptor.adaptor.is_valid(coordinate.hidden);
}

} // namespace tegula
