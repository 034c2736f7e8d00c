#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/tensor/distributed_tensor.hpp>

namespace tegula {

namespace detail {

TEGULA_CALLS_BACK
template <class Tensor, class F, int... Is>
constexpr TEGULA_INLINE void transform(Tensor& tensor, const F& f, std::integer_sequence<int, Is...>)
{
    ((tensor[Is] = f(tensor[Is])), ...);
}

} // namespace detail

/// tensor = f(tensor), element by element, in place.
TEGULA_CALLS_BACK
template <class T, class Distribution, class F>
constexpr TEGULA_INLINE void transform(distributed_tensor<T, Distribution>& tensor, const F& f)
{
    detail::transform(tensor, f, std::make_integer_sequence<int, Distribution::num_registers>{});
}

/// f(tensors...) element by element; all tensors have the same distribution.
TEGULA_CALLS_BACK
template <class F, class T, class Distribution, class... Others>
constexpr TEGULA_INLINE auto elementwise(const F& f, const distributed_tensor<T, Distribution>& first,
                                         const Others&... others)
{
    static_assert((same_distribution<Distribution, typename Others::distribution> && ...),
                  "tegula: elementwise operations need tensors of one distribution; convert() them first");
    using result = decltype(f(first[0], others[0]...));
    distributed_tensor<result, Distribution> tensor;
    static_for<Distribution::num_registers>([&](auto i) { tensor[i] = f(first[i], others[i]...); });
    return tensor;
}

/// The same tile with every element converted to To.
template <class To, class T, class Distribution>
constexpr TEGULA_INLINE distributed_tensor<To, Distribution> cast(const distributed_tensor<T, Distribution>& tensor)
{
    distributed_tensor<To, Distribution> result;
    static_for<Distribution::num_registers>([&](auto i) {
        if constexpr (std::is_same_v<To, T>)
            result[i] = tensor[i];
        else
            result[i] = convert<To>(tensor[i]);
    });
    return result;
}

} // namespace tegula
