// The operations of the softmax on rows of floats, for the instructions of one region: included once in the namespace
// of each instruction set (block/packed/packed_rows.hpp), inside its region. I is an instruction whose accumulators are
// float; `count` is whole registers.

/// 2 to the power x as exp2_by_polynomial computes it, for numbers up to 128.
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

/// The greatest of the numbers of a row, -inf if there is none.
template <class I>
inline float highest_of(I, const float* x, index_t count)
{
    using vector = typename I::vector;
    vector highest = vector{} - __builtin_inff();
    for (index_t j = 0; j < count; j += I::columns)
        highest = greater_of_two::of(highest, read_vector<I>(x + j));
    return combine_elements<I, greater_of_two>(highest);
}

/// x = 2^(scale * (x - reference)); their sum.
template <class I>
inline float exponentials_of(I, float* x, index_t count, float scale, float reference)
{
    using vector = typename I::vector;
    vector sum{};
    for (index_t j = 0; j < count; j += I::columns) {
        const vector e = exp2_of<I>((read_vector<I>(x + j) - reference) * scale);
        write_vector<I>(x + j, e);
        sum += e;
    }
    return combine_elements<I, sum_of_two>(sum);
}

/// x *= factor.
template <class I>
inline void scale_row(I, float* x, index_t count, float factor)
{
    for (index_t j = 0; j < count; j += I::columns)
        write_vector<I>(x + j, read_vector<I>(x + j) * factor);
}
