#pragma once

#include <tegula/kernel/gemm/epilogue/operands.hpp>

namespace tegula::epilogue {

/// How a scale read from memory changes a value: multiply by it (dequantisation), or divide (quantisation to a C of fp8
/// or int8, which the conversion to C rounds to nearest even and saturates).
enum class scaling { multiply, divide };

namespace detail {

template <scaling Use, class T>
TEGULA_INLINE T rescale(T x, float s)
{
    if constexpr (Use == scaling::multiply)
        return x * static_cast<T>(s);
    else
        return x / static_cast<T>(s);
}

inline status check_scales(const char* name, const float* scale, long_index_t batch_stride, long_index_t length,
                           const extents& e)
{
    const matrix_argument<const float> x{scale, 0, 1, batch_stride};
    return gemm_checks::check_input(name, x, e.empty() ? 0 : 1, length, e.batch);
}

/// Names `length` scales for each product of the batch as memory that is read.
template <class Memory>
void add_scales(Memory& memory, const float* scale, long_index_t batch_stride, long_index_t length, const extents& e,
                const char* name)
{
    add_matrix(memory, matrix_argument<const float>{scale, 0, 1, batch_stride}, 1, length, e.batch, name);
}

} // namespace detail

/// value *= scale[batch * batch_stride] (or /=): one scale a matrix; with stride 0 one for all.
template <scaling Use = scaling::multiply>
struct scale_tensor
{
    static constexpr bool same_for_every_row = true;
    const float* scale = nullptr;
    long_index_t batch_stride = 0;

    status check(const extents& e) const
    {
        return detail::check_scales("the list of matrix scales", scale, batch_stride, 1, e);
    }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        detail::add_scales(memory, scale, batch_stride, 1, e, "scale");
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window&, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        const float s = tegula::internal::read_scalar<typename Window::target>(scale + batch * batch_stride);
        transform(acc, [&](T x) { return detail::rescale<Use>(x, s); });
    }
};

/// value *= scale[batch * batch_stride + m] (or /=).
template <scaling Use = scaling::multiply>
struct scale_rows
{
    const float* scale = nullptr;
    long_index_t batch_stride = 0;

    status check(const extents& e) const
    {
        return detail::check_scales("the list of row scales", scale, batch_stride, e.m, e);
    }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        detail::add_scales(memory, scale, batch_stride, e.m, e, "row scales");
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        const float* const first = scale + batch * batch_stride;
        detail::combine(
            acc, window,
            [&](const auto& access) {
                // The first element is inside if any element is.
                const float s = tegula::internal::read_scalar<typename Window::target>(
                    first + access.coordinate.index()[0], access.all || access.contains(0));
                array<float, Window::plan::vector> values;
                static_for<Window::plan::vector>([&](auto j) { values[j] = s; });
                return values;
            },
            [](T x, float s) { return detail::rescale<Use>(x, s); });
    }
};

/// value *= scale[batch * batch_stride + n] (or /=).
template <scaling Use = scaling::multiply>
struct scale_columns
{
    static constexpr bool same_for_every_row = true;
    const float* scale = nullptr;
    long_index_t batch_stride = 0;

    status check(const extents& e) const
    {
        return detail::check_scales("the list of column scales", scale, batch_stride, e.n, e);
    }
    template <class Memory>
    void memory(const extents& e, Memory& memory) const
    {
        detail::add_scales(memory, scale, batch_stride, e.n, e, "column scales");
    }

    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& acc, const Window& window, long_index_t batch) const
    {
        using T = typename Accumulator::value_type;
        const float* const first = scale + batch * batch_stride;
        detail::combine(
            acc, window,
            [&](const auto& access) {
                const float* const at = first + access.coordinate.index()[1];
                array<float, Window::plan::vector> values;
                static_for<Window::plan::vector>([&](auto j) {
                    values[j] = tegula::internal::read_scalar<typename Window::target>(at + j, access.all ||
                                                                                                   access.contains(j));
                });
                return values;
            },
            [](T x, float s) { return detail::rescale<Use>(x, s); });
    }
};

} // namespace tegula::epilogue
