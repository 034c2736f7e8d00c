#pragma once

#include <tegula/block/output_stage.hpp>
#include <tegula/core/activation.hpp>
#include <tegula/core/tuple.hpp>
#include <tegula/kernel/gemm/epilogue/part.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula::epilogue {

/// Whether a part treats every row of a product alike, so that a kernel may compute the rows of C in its own order.
/// Reads and writes in addition to the accumulator must not depend on the row. A part declares it by a member
/// `static constexpr bool same_for_every_row = true`.
template <class Part>
inline constexpr bool same_for_every_row = requires { requires Part::same_for_every_row; };

/// value *= alpha
struct scale
{
    static constexpr bool same_for_every_row = true;
    float alpha = 1.0f;

    TEGULA_INLINE bool leaves_unchanged() const { return alpha == 1.0f; }
    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window&, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        if (!leaves_unchanged())
            transform(acc, [&](T x) { return x * static_cast<T>(alpha); });
    }
};

/// value = f(value).
struct activate
{
    static constexpr bool same_for_every_row = true;
    activation function = activation::none;

    TEGULA_INLINE bool leaves_unchanged() const { return function == activation::none; }
    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window&, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        using target = typename Window::target;
        if (function == activation::relu)
            transform(acc, [](T x) { return x < T(0) ? T(0) : x; });
        else if (function == activation::gelu)
            transform(acc, [](T x) { return static_cast<T>(gelu<target>(static_cast<float>(x))); });
        else if (function == activation::silu)
            transform(acc, [](T x) { return static_cast<T>(silu<target>(static_cast<float>(x))); });
    }
};

/// value = low if it is below, high if it is above; NaN stays.
struct clamp
{
    static constexpr bool same_for_every_row = true;
    float low = 0.0f;
    float high = 0.0f;

    status check(const extents&) const
    {
        if (!(low <= high))
            return gemm_checks::invalid("the lower limit of clamp is above the upper one, or one of them is NaN");
        return {};
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window&, long_index_t) const
    {
        using T = typename Accumulator::value_type;
        const T least = static_cast<T>(low);
        const T greatest = static_cast<T>(high);
        transform(acc, [&](T x) { return x < least ? least : x > greatest ? greatest : x; });
    }
};

/// Runs its parts in order.
template <class... Parts>
struct chain
{
    static constexpr bool same_for_every_row = (epilogue::same_for_every_row<Parts> && ...);
    template <class What>
    static constexpr int prefetch_consumers = (0 + ... + prefetch_consumers_of<Parts, What>);

    tuple<Parts...> parts;

    /// The first part that takes What.
    template <class What, int I = 0>
    TEGULA_INLINE const auto& prefetch_consumer() const
    {
        if constexpr (prefetch_consumers_of<std::remove_cvref_t<decltype(get<I>(parts))>, What> > 0)
            return get<I>(parts).template prefetch_consumer<What>();
        else
            return prefetch_consumer<What, I + 1>();
    }

    status check(const extents& e) const
    {
        status first;
        static_for<sizeof...(Parts)>([&](auto i) {
            if (first)
                first = check_part(get<i>(parts), e);
        });
        return first;
    }
    bool suits_vectors(const extents& e) const
    {
        bool all = true;
        static_for<sizeof...(Parts)>([&](auto i) { all = all && part_suits_vectors(get<i>(parts), e); });
        return all;
    }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        static_for<sizeof...(Parts)>([&](auto i) { add_part_memory(get<i>(parts), e, memory); });
    }

    TEGULA_INLINE bool leaves_unchanged() const
    {
        bool all = true;
        static_for<sizeof...(Parts)>([&](auto i) { all = all && tegula::internal::leaves_unchanged(get<i>(parts)); });
        return all;
    }
    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        static_assert((tegula::internal::is_an_epilogue_part<
                           epilogue_part<Parts, Accumulator, std::remove_cvref_t<decltype(window_for<Parts>(window))>>,
                           Parts>::ok &&
                       ...));
        static_for<sizeof...(Parts)>([&](auto i) {
            using part = std::remove_cvref_t<decltype(get<i>(parts))>;
            get<i>(parts)(acc, window_for<part>(window), batch);
        });
    }
};

template <class... Parts>
constexpr chain<Parts...> make_chain(const Parts&... parts)
{
    return {make_tuple(parts...)};
}

/// Rounds the accumulator to float, then runs the parts: integer products need it before they are scaled. It is the
/// outermost part of an epilogue.
template <class... Parts>
struct as_float
{
    static constexpr bool same_for_every_row = (epilogue::same_for_every_row<Parts> && ...);
    template <class What>
    static constexpr int prefetch_consumers = chain<Parts...>::template prefetch_consumers<What>;

    chain<Parts...> parts;

    template <class What>
    TEGULA_INLINE const auto& prefetch_consumer() const
    {
        return parts.template prefetch_consumer<What>();
    }

    status check(const extents& e) const { return parts.check(e); }
    bool suits_vectors(const extents& e) const { return parts.suits_vectors(e); }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        parts.memory(e, memory);
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE auto operator()(const Accumulator& acc, const Window& window, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        auto values = elementwise([](T x) { return static_cast<float>(x); }, acc);
        parts(values, window, batch);
        return values;
    }
};

template <class... Parts>
constexpr as_float<Parts...> make_as_float(const Parts&... parts)
{
    return {make_chain(parts...)};
}

/// The epilogue that leaves the accumulator as it is.
using none = chain<>;

} // namespace tegula::epilogue
