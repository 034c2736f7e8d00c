// Operations on rows of floats, for the instructions of one region: included once in the namespace of each instruction
// set (block/packed/packed_rows.hpp), inside its region. I is an instruction whose accumulators are float. Rows have any
// length and lie at any address.

/// 2 to the power x as exp2_by_polynomial computes it, for numbers below 127.5.
template <class I>
TEGULA_X86_INLINE typename I::vector exp2_of(typename I::vector x)
{
    using vector = typename I::vector;
    const vector t = x < vector{} - 126.5f ? vector{} - 127.0f : x;
    const vector shifted = t + 12582912.0f;
    const vector f = t - (shifted - 12582912.0f);
    vector p = vector{} + arch::x86::exp2_polynomial[0];
#pragma GCC unroll 8
    for (int i = 1; i < 8; ++i)
        p = p * f + arch::x86::exp2_polynomial[i];
    return p * (vector)(((typename I::words)shifted + 127u) << 23);
}

/// The first n elements of a register, `rest` in the place of the others.
template <class I, int... Js>
TEGULA_X86_INLINE typename I::vector first_elements(typename I::vector x, int n, float rest,
                                                    std::integer_sequence<int, Js...>)
{
    const typename vector_register<std::int32_t, sizeof(x)>::type numbers = {Js...};
    return numbers < n ? x : typename I::vector{} + rest;
}

/// n neighbours, at most a register of them; the others are 0.
template <class I>
TEGULA_X86_INLINE typename I::vector read_part(const float* p, int n)
{
    return n == I::columns ? read_vector<I>(p) : (typename I::vector)I::read_some(p, n);
}
template <class I>
TEGULA_X86_INLINE void write_part(float* p, typename I::vector x, int n)
{
    n == I::columns ? write_vector<I>(p, x) : I::write_some(p, x, n);
}

/// Op over f.of(j, n), the register of the n elements of a row from j on; past its end, `neutral`. Four registers of
/// partial results hide the latency of Op. They take at most 16 numbers each before four others get them: a long row of
/// large numbers would lose their last digits.
template <class I, class Op, class F>
TEGULA_X86_INLINE float fold_row(index_t count, float neutral, F&& f)
{
    using vector = typename I::vector;
    constexpr index_t n = I::columns;
    vector all[4], parts[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
        all[i] = vector{} + neutral;
    index_t j = 0;
    while (j + 4 * n <= count) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
            parts[i] = f.of(j + i * n, n);
        j += 4 * n;
        for (int round = 1; round < 16 && j + 4 * n <= count; ++round, j += 4 * n)
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i)
                parts[i] = Op::of(parts[i], f.of(j + i * n, n));
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
            all[i] = Op::of(all[i], parts[i]);
    }
    for (; j + n <= count; j += n)
        all[0] = Op::of(all[0], f.of(j, n));
    if (j < count)
        all[1] = Op::of(all[1], first_elements<I>(f.of(j, static_cast<int>(count - j)), static_cast<int>(count - j),
                                                  neutral, std::make_integer_sequence<int, I::columns>{}));
    return combine_elements<I, Op>(Op::of(Op::of(all[0], all[1]), Op::of(all[2], all[3])));
}

/// fold_row over f.of(register) of the elements at x.
template <class I, class F>
struct of_elements
{
    const float* x;
    F f;
    TEGULA_X86_INLINE typename I::vector of(index_t j, int n) const { return f.of(read_part<I>(x + j, n)); }
};
template <class I, class Op, class F>
TEGULA_X86_INLINE float fold_row(const float* x, index_t count, float neutral, const F& f)
{
    return fold_row<I, Op>(count, neutral, of_elements<I, F>{x, f});
}

/// f.of(j, n) for the registers of a row: n elements from j on.
template <class I, class F>
TEGULA_X86_INLINE void for_each_part(index_t count, F&& f)
{
    index_t j = 0;
    for (; j + I::columns <= count; j += I::columns)
        f.of(j, I::columns);
    if (j < count)
        f.of(j, static_cast<int>(count - j));
}

template <class I>
struct as_it_is
{
    static TEGULA_X86_INLINE typename I::vector of(typename I::vector x) { return x; }
};
template <class I>
struct magnitude
{
    static TEGULA_X86_INLINE typename I::vector of(typename I::vector x)
    {
        return (typename I::vector)((typename I::words)x & 0x7fffffffu);
    }
};
template <class I>
struct scaled
{
    float factor;
    TEGULA_X86_INLINE typename I::vector of(typename I::vector x) const { return x * factor; }
};
template <class I>
struct exponential
{
    float scale, reference;
    TEGULA_X86_INLINE typename I::vector of(typename I::vector x) const { return exp2_of<I>((x - reference) * scale); }
};
/// The greatest of the numbers of a row, -inf if there is none.
template <class I>
inline float highest_of(I, const float* x, index_t count)
{
    return fold_row<I, greater_of_two>(x, count, -__builtin_inff(), as_it_is<I>{});
}

/// The largest magnitude of the numbers of a row, 0 if there is none.
template <class I>
inline float largest_of(I, const float* x, index_t count)
{
    return fold_row<I, greater_of_two>(x, count, 0, magnitude<I>{});
}

/// The sum of factor * x.
template <class I>
inline float sum_of(I, const float* x, index_t count, float factor)
{
    return fold_row<I, sum_of_two>(x, count, 0, scaled<I>{factor});
}

/// The sum of the squares of factor * x - mean, and in `sum` that of the differences. The rounding of a mean makes it
/// other than 0.
template <class I>
inline float squares_of(I, const float* x, index_t count, float factor, float mean, float& sum)
{
    using vector = typename I::vector;
    constexpr index_t n = I::columns;
    vector squares[4] = {}, sums[4] = {};
    index_t j = 0;
    for (; j + 4 * n <= count; j += 4 * n)
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const vector difference = read_vector<I>(x + j + i * n) * factor - mean;
            sums[i] += difference;
            squares[i] += difference * difference;
        }
    for (; j < count; j += n) {
        const int there = static_cast<int>(count - j < n ? count - j : n);
        vector difference = read_part<I>(x + j, there) * factor - mean;
        if (there < n)
            difference = first_elements<I>(difference, there, 0, std::make_integer_sequence<int, I::columns>{});
        sums[0] += difference;
        squares[0] += difference * difference;
    }
    sum = combine_elements<I, sum_of_two>((sums[0] + sums[1]) + (sums[2] + sums[3]));
    return combine_elements<I, sum_of_two>((squares[0] + squares[1]) + (squares[2] + squares[3]));
}

/// The sum of 2^(scale * (x - reference)).
template <class I>
inline float sum_of_exponentials_of(I, const float* x, index_t count, float scale, float reference)
{
    return fold_row<I, sum_of_two>(x, count, 0, exponential<I>{scale, reference});
}

template <class I>
struct exponentials_of_row
{
    float* to;
    const float* from;
    exponential<I> power;
    TEGULA_X86_INLINE typename I::vector of(index_t j, int n) const
    {
        const typename I::vector e = power.of(read_part<I>(from + j, n));
        write_part<I>(to + j, e, n);
        return e;
    }
};
/// to = 2^(scale * (from - reference)), which may be one row; their sum.
template <class I>
inline float exponentials_of(I, float* to, const float* from, index_t count, float scale, float reference)
{
    return fold_row<I, sum_of_two>(count, 0, exponentials_of_row<I>{to, from, {scale, reference}});
}

template <class I>
struct scaled_row
{
    float *x, factor;
    TEGULA_X86_INLINE void of(index_t j, int n) const { write_part<I>(x + j, read_part<I>(x + j, n) * factor, n); }
};
/// x *= factor.
template <class I>
inline void scale_row(I, float* x, index_t count, float factor)
{
    for_each_part<I>(count, scaled_row<I>{x, factor});
}

template <class I>
struct sum_of_rows
{
    float* to;
    const float *x, *y;
    TEGULA_X86_INLINE void of(index_t j, int n) const
    {
        write_part<I>(to + j, read_part<I>(x + j, n) + read_part<I>(y + j, n), n);
    }
};
/// to = x + y; `to` may be one of them.
template <class I>
inline void add_rows(I, float* to, const float* x, const float* y, index_t count)
{
    for_each_part<I>(count, sum_of_rows<I>{to, x, y});
}

template <class I, bool Operands>
struct normalized_row
{
    float* to;
    const float* x;
    float unit, mean, factor;
    const float *weight, *bias, *smooth;
    TEGULA_X86_INLINE void of(index_t j, int n) const
    {
        typename I::vector v = (read_part<I>(x + j, n) * unit - mean) * factor;
        if constexpr (Operands) {
            if (weight != nullptr)
                v *= read_part<I>(weight + j, n);
            if (bias != nullptr)
                v += read_part<I>(bias + j, n);
            if (smooth != nullptr)
                v *= read_part<I>(smooth + j, n);
        }
        write_part<I>(to + j, v, n);
    }
};
/// to = ((x * unit - mean) * factor * weight + bias) * smooth without the operands that are null; `to` may be x.
template <class I>
inline void normalize_row(I, float* to, const float* x, index_t count, float unit, float mean, float factor,
                          const float* weight, const float* bias, const float* smooth)
{
    if (weight == nullptr && bias == nullptr && smooth == nullptr)
        for_each_part<I>(count, normalized_row<I, false>{to, x, unit, mean, factor, nullptr, nullptr, nullptr});
    else
        for_each_part<I>(count, normalized_row<I, true>{to, x, unit, mean, factor, weight, bias, smooth});
}
