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

/// Whether that many registers are visited in a loop. A GPU's registers have no index. On the host a loop compiles
/// faster and may be vectorized.
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

/// to[i] = convert<To>(from[i]). Numbers of 8 bits are converted a word at a time if the GPU has instructions for it.
template <class To, class T, int N>
constexpr TEGULA_INLINE void convert_all(array<To, N>& to, const array<T, N>& from)
{
    constexpr bool encodes = N % 4 == 0 && converts_to_words<To, T>, decodes = N % 4 == 0 && converts_from_words<To, T>;
    if constexpr (encodes)
        static_for<N / 4>([&](auto w) {
            constexpr int i = 4 * decltype(w)::value;
            const std::uint32_t word = encode_word<To>(from[i], from[i + 1], from[i + 2], from[i + 3]);
            static_for<4>([&](auto j) { to[i + j] = To::from_bits(word >> 8 * j & 0xff); });
        });
    else if constexpr (decodes)
        static_for<N / 4>([&](auto w) {
            constexpr int i = 4 * decltype(w)::value;
            std::uint32_t word = 0;
            static_for<4>([&](auto j) { word |= static_cast<std::uint32_t>(from[i + j].bits) << 8 * j; });
            const auto four = decode_word<T>(word);
            static_for<4>([&](auto j) { to[i + j] = convert<To>(four[j]); });
        });
    else
        for_registers<N>([&](auto i) {
            if constexpr (std::is_same_v<To, T>)
                to[i] = from[i];
            else
                to[i] = convert<To>(from[i]);
        });
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
    detail::convert_all(result.registers, tensor.registers);
    return result;
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::convert_all;
using tegula::detail::for_registers;
} // namespace tegula::internal
