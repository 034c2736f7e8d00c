#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/core/tuple.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/tensor/access.hpp>

namespace tegula {

enum class activation { none, relu, gelu, silu };

namespace epilogue {

/// value *= alpha
struct scale
{
    float alpha = 1.0f;

    template <class Access, class T, int N>
    TEGULA_INLINE void operator()(const Access&, long_index_t, array<T, N>& values) const
    {
        static_for<N>([&](auto j) { values[j] *= static_cast<T>(alpha); });
    }
};

/// value += beta * source[m, n]; the source, rows of neighbouring elements, is not read where beta is 0.
template <class Source>
struct add_source
{
    matrix_argument<const Source> source;
    float beta = 0.0f;

    template <class Access, class T, int N>
    TEGULA_INLINE void operator()(const Access& access, long_index_t batch, array<T, N>& values) const
    {
        using target = typename std::remove_cvref_t<decltype(access.window)>::target;
        if (beta == 0.0f)
            return;
        const auto x = access.coordinate.index();
        const Source* at = source.data + batch * source.batch_stride + x[0] * source.row_stride + x[1];
        array<Source, N> old = detail::read_vector<target, address_space::global, N>(at, access.all);
        static_for<N>([&](auto j) {
            if (!access.all && access.contains(j))
                old[j] = detail::read_vector<target, address_space::global, 1>(at + j, true)[0];
            values[j] += static_cast<T>(beta) * static_cast<T>(old[j]);
        });
    }
};

/// value += bias[n]; no bias where the pointer is null.
template <class Bias>
struct add_bias
{
    const Bias* bias = nullptr;

    template <class Access, class T, int N>
    TEGULA_INLINE void operator()(const Access& access, long_index_t, array<T, N>& values) const
    {
        using target = typename std::remove_cvref_t<decltype(access.window)>::target;
        if (bias == nullptr)
            return;
        const Bias* at = bias + access.coordinate.index()[1];
        static_for<N>([&](auto j) {
            if (access.contains(j))
                values[j] += static_cast<T>(detail::read_vector<target, address_space::global, 1>(at + j, true)[0]);
        });
    }
};

/// value = f(value): relu max(0, x), gelu x Phi(x) with the normal distribution Phi, silu x / (1 + exp(-x)).
struct activate
{
    activation function = activation::none;

    template <class Access, class T, int N>
    TEGULA_INLINE void operator()(const Access&, long_index_t, array<T, N>& values) const
    {
        if (function == activation::none)
            return;
        static_for<N>([&](auto j) { values[j] = apply(values[j]); });
    }

private:
    template <class T>
    TEGULA_INLINE T apply(T x) const
    {
        if (function == activation::relu)
            return x > T(0) ? x : T(0);
        if (function == activation::gelu)
            return T(0.5) * x * (T(1) + static_cast<T>(__builtin_erff(static_cast<float>(x) * 0.70710678118654752f)));
        return x / (T(1) + static_cast<T>(__builtin_expf(static_cast<float>(-x))));
    }
};

/// Runs its parts in order on every vector of the accumulator before it is converted and stored. A part is a function
/// object f(access, batch, values): `access` tells the coordinate in C and which elements exist.
template <class... Parts>
struct chain
{
    tuple<Parts...> parts;

    template <class Access, class T, int N>
    TEGULA_INLINE void operator()(const Access& access, long_index_t batch, array<T, N>& values) const
    {
        static_for<sizeof...(Parts)>([&](auto i) { get<i>(parts)(access, batch, values); });
    }
};

/// alpha A B + beta C0 + bias, then the activation: what BLAS and most layers need.
template <class Source = float, class Bias = float>
using linear = chain<scale, add_source<Source>, add_bias<Bias>, activate>;

template <class Source = float, class Bias = float>
constexpr linear<Source, Bias> make_linear(float alpha, float beta, const matrix_argument<const Source>& source,
                                           const Bias* bias, activation function)
{
    return {make_tuple(scale{alpha}, add_source<Source>{source, beta}, add_bias<Bias>{bias}, activate{function})};
}

/// The accumulator as it is.
using none = chain<>;

} // namespace epilogue

/// Finishes a tile: every vector of the accumulator goes through the epilogue, is converted to C's type and stored.
template <class Window, class Accumulator, class Epilogue>
TEGULA_INLINE void store_through(const Epilogue& epilogue, const Window& window, const Accumulator& accumulator,
                                 long_index_t batch)
{
    using result = typename Window::value_type;
    constexpr int n = Window::plan::vector;
    for_each_access<bounds::checked>(window, [&](auto a, const auto& access) {
        array<typename Accumulator::value_type, n> values;
        static_for<n>([&](auto j) {
            constexpr int r = Window::plan::register_of(a, j);
            values[j] = accumulator[r];
        });
        epilogue(access, batch, values);
        array<result, n> converted;
        static_for<n>([&](auto j) { converted[j] = static_cast<result>(values[j]); });
        detail::write_access(access, converted, detail::writes_its_elements<Window>());
    });
}

} // namespace tegula
