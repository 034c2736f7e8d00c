#pragma once

#include <tegula/core/activation.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/tuple.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// What happens between the accumulator and C: functions on the distributed accumulator of a tile, run in order.
///
/// A part is a function object f(accumulator, window, batch): `accumulator` a distributed_tensor of the tile, `window`
/// where it goes in C (its accesses tell coordinates and which elements exist), `batch` the product's number.
namespace epilogue {

/// value *= alpha
struct scale
{
    float alpha = 1.0f;

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window&, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        transform(acc, [&](T x) { return x * static_cast<T>(alpha); });
    }
};

namespace detail {

/// acc = op(acc, value read at `pointer(index)`) for every vector of the tile.
template <class Window, class Accumulator, class Read, class Op>
TEGULA_INLINE void combine(Accumulator& acc, const Window& window, const Read& read, const Op& op)
{
    for_each_access<bounds::checked>(window, [&](auto a, const auto& access) {
        auto values = tegula::detail::gather_registers<Window, a>(acc);
        const auto others = read(access);
        static_for<Window::plan::vector>([&](auto j) { values[j] = op(values[j], others[j]); });
        tegula::detail::scatter_registers<Window, a>(acc, values);
    });
}

} // namespace detail

/// value += beta * source[m, n]; the source, rows of neighbouring elements, is not read where beta is 0.
template <class Source>
struct add_source
{
    matrix_argument<const Source> source;
    float beta = 0.0f;

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        if (beta == 0.0f)
            return;
        const Source* const first = source.data + batch * source.batch_stride;
        detail::combine(
            acc, window,
            [&](const auto& access) {
                const auto x = access.coordinate.index();
                return tegula::detail::read_elements(access, first + x[0] * source.row_stride + x[1], Source{});
            },
            [&](T x, Source c) { return x + static_cast<T>(beta) * static_cast<T>(c); });
    }
};

/// value += bias[n]; no bias where the pointer is null.
template <class Bias>
struct add_bias
{
    const Bias* bias = nullptr;

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        constexpr int n = Window::plan::vector;
        if (bias == nullptr)
            return;
        detail::combine(
            acc, window,
            [&](const auto& access) {
                const Bias* at = bias + access.coordinate.index()[1];
                array<Bias, n> values;
                static_for<n>([&](auto j) {
                    values[j] = tegula::detail::read_vector<typename Window::target, address_space::global, 1>(
                        at + j, access.all || access.contains(j))[0];
                });
                return values;
            },
            [](T x, Bias b) { return x + static_cast<T>(b); });
    }
};

/// value = f(value).
struct activate
{
    activation function = activation::none;

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window&, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        using target = typename Window::target;
        if (function == activation::relu)
            transform(acc, [](T x) { return x > T(0) ? x : T(0); });
        else if (function == activation::gelu)
            transform(acc, [](T x) { return static_cast<T>(gelu<target>(static_cast<float>(x))); });
        else if (function == activation::silu)
            transform(acc, [](T x) { return static_cast<T>(silu<target>(static_cast<float>(x))); });
    }
};

/// Runs its parts in order.
template <class... Parts>
struct chain
{
    tuple<Parts...> parts;

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        static_for<sizeof...(Parts)>([&](auto i) { get<i>(parts)(acc, window, batch); });
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
} // namespace tegula
