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

/// Whether so many registers are passed over in a loop. A GPU's have no index; on the host a loop is compiled in less time,
/// and what it does may be done in vectors.
consteval bool suits_loop(int registers) { return TEGULA_DEVICE_PASS == 0 && registers >= 16; }

/// f(i) for every register.
TEGULA_CALLS_BACK
template <int Count, class F>
constexpr TEGULA_INLINE void for_registers(const F& f)
{
    if constexpr (suits_loop(Count))
        for (int i = 0; i < Count; ++i)
            f(i);
    else
        static_for<Count>(f);
}

} // namespace detail

/// tensor = f(tensor), element by element, in place.
TEGULA_CALLS_BACK
template <class T, class Distribution, class F>
constexpr TEGULA_INLINE void transform(distributed_tensor<T, Distribution>& tensor, const F& f)
{
    if constexpr (detail::suits_loop(Distribution::num_registers))
        for (int i = 0; i < Distribution::num_registers; ++i)
            tensor[i] = f(tensor[i]);
    else
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
    detail::for_registers<Distribution::num_registers>([&](auto i) { tensor[i] = f(first[i], others[i]...); });
    return tensor;
}

/// The tile with every element converted to To.
template <class To, class T, class Distribution>
constexpr TEGULA_INLINE distributed_tensor<To, Distribution> cast(const distributed_tensor<T, Distribution>& tensor)
{
    distributed_tensor<To, Distribution> result;
    detail::for_registers<Distribution::num_registers>([&](auto i) {
        if constexpr (std::is_same_v<To, T>)
            result[i] = tensor[i];
        else
            result[i] = convert<To>(tensor[i]);
    });
    return result;
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::for_registers;
} // namespace tegula::internal
