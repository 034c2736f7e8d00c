#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// Arithmetic on a lane's floats: on a GPU two at a time, by one instruction where the target has it. The one lane of a CPU
/// takes one at a time, which compilers vectorize.
template <class Target>
struct float_pairs
{
    static constexpr int width = Target::wave_size == 1 ? 1 : 2;
    using pair = array<float, width>;
    /// CDNA and Blackwell have them; for RDNA the compiler takes pairs apart.
    static constexpr bool packed =
        width == 2 && (Target::chip().vendor == vendor::amd || Target::chip().has_packed_floats);

    /// A pair of one number.
    static TEGULA_INLINE pair of(float x)
    {
        if constexpr (width == 1)
            return {x};
        else
            return {x, x};
    }
    static TEGULA_INLINE pair add(const pair& x, const pair& y)
    {
        if constexpr (packed)
            return Target::packed_add(x, y);
        else
            return each([&](int i) { return x[i] + y[i]; });
    }
    static TEGULA_INLINE pair multiply(const pair& x, const pair& y)
    {
        if constexpr (packed)
            return Target::packed_multiply(x, y);
        else
            return each([&](int i) { return x[i] * y[i]; });
    }
    /// x * y + z
    static TEGULA_INLINE pair multiply_add(const pair& x, const pair& y, const pair& z)
    {
        if constexpr (packed)
            return Target::packed_multiply_add(x, y, z);
        else
            return each([&](int i) { return tegula::multiply_add(x[i], y[i], z[i]); });
    }

    /// Pair p of N numbers; a last number without a second has 0 beside it.
    template <class P, int N>
    static TEGULA_INLINE pair get(const array<float, N>& x, P p)
    {
        if constexpr (width == 1)
            return {x[p]};
        else
            return {x[2 * p], 2 * p + 1 < N ? x[min(2 * p + 1, N - 1)] : 0.0f};
    }
    /// x = f(pair p of x, p) for every pair.
    TEGULA_CALLS_BACK
    template <int N, class F>
    static TEGULA_INLINE void update(array<float, N>& x, const F& f)
    {
        internal::for_registers<count<N>>([&](auto p) TEGULA_INLINE_LAMBDA {
            const pair y = f(get(x, p), p);
            x[width * p] = y[0];
            if (width == 2 && 2 * p + 1 < N)
                x[min(2 * p + 1, N - 1)] = y[width - 1];
        });
    }
    /// The sum over the pairs of N numbers; f(sum, p) adds pair p to a sum.
    TEGULA_CALLS_BACK
    template <int N, class F>
    static TEGULA_INLINE float sum(const F& f)
    {
        pair parts[2] = {};
        internal::for_registers<count<N>>([&](auto p) TEGULA_INLINE_LAMBDA { parts[p % 2] = f(parts[p % 2], p); });
        const pair both = add(parts[0], parts[1]);
        return width == 1 ? both[0] : both[0] + both[width - 1];
    }

private:
    template <int N>
    static constexpr int count = (N + width - 1) / width;

    TEGULA_CALLS_BACK
    template <class F>
    static TEGULA_INLINE pair each(const F& f)
    {
        pair result;
        for (int i = 0; i < width; ++i)
            result[i] = f(i);
        return result;
    }
};

} // namespace tegula
