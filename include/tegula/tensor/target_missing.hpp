#pragma once

#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/tensor_view.hpp>

/// The functions that take the target as their first template argument, called without it. Each such call gives one
/// message; a compiler alone would list every function of that name.

namespace tegula {

namespace encoding_rules {
template <bool Ok>
struct first_template_argument_is_the_target
{
    static_assert(Ok,
                  "tegula: the target is missing; it is the first template argument: reduce<target, 1>(tile, plus{}) "
                  "in a kernel that says using target = arch::gfx942");
};
} // namespace encoding_rules

namespace detail {

/// Stands for a function that was called without its target. The result is of the argument's type, so that no second
/// message follows.
template <class Argument>
constexpr TEGULA_INLINE const Argument& target_missing(const Argument& argument)
{
    static_assert(sizeof(encoding_rules::first_template_argument_is_the_target < sizeof(Argument) == 0 >));
    return argument;
}

} // namespace detail

// Numbers come first, in the place of the target, so that no type can be taken for a target.
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE auto reduce(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor);
}
template <class T, class Distribution, class... Rest>
TEGULA_INLINE auto reduce_all(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor)[0];
}
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE auto inclusive_scan(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor);
}
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE auto exclusive_scan(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor);
}
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE auto arg_max(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor);
}
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE auto arg_min(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor);
}
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE auto top_k(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    return detail::target_missing(tensor);
}
template <auto... Numbers, class T, class Distribution, class... Rest>
TEGULA_INLINE void sort(const distributed_tensor<T, Distribution>& tensor, const Rest&...)
{
    detail::target_missing(tensor);
}
template <auto... Numbers, class Distribution, class... Rest>
TEGULA_INLINE bool any_true(const distributed_tensor<bool, Distribution>& mask, const Rest&...)
{
    return detail::target_missing(mask)[0];
}
template <auto... Numbers, class Distribution, class... Rest>
TEGULA_INLINE bool all_true(const distributed_tensor<bool, Distribution>& mask, const Rest&...)
{
    return detail::target_missing(mask)[0];
}
template <auto... Numbers, class Distribution, class... Rest>
TEGULA_INLINE int count(const distributed_tensor<bool, Distribution>& mask, const Rest&...)
{
    return detail::target_missing(mask)[0];
}
template <class T, class Distribution, class F>
TEGULA_INLINE void sweep(const distributed_tensor<T, Distribution>& tensor, const F&)
{
    detail::target_missing(tensor);
}
template <class Destination, class T, class Source, class... Rest>
    requires(!gpu_target<Destination>)
TEGULA_INLINE auto convert(const distributed_tensor<T, Source>& tensor, const Rest&...)
{
    return distributed_tensor<T, Destination>{detail::target_missing(tensor)[0]};
}
template <class C, class CDistribution, class A, class ADistribution, class... Rest>
TEGULA_INLINE void contract(const distributed_tensor<C, CDistribution>& c, const distributed_tensor<A, ADistribution>&,
                            const Rest&...)
{
    detail::target_missing(c);
}
template <address_space Space, class T, class Descriptor, class... Rest>
constexpr TEGULA_INLINE auto make_tensor_view(T*, const Descriptor& descriptor, const Rest&...)
{
    return detail::target_missing(descriptor);
}

} // namespace tegula
