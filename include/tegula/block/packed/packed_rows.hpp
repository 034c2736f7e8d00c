#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/arch/x86/targets.hpp>
#include <tegula/block/lane_rows.hpp>
#include <tegula/block/packed/panels.hpp>
#include <tegula/core/float_format.hpp>
#include <tegula/layout/distribution.hpp>

TEGULA_X86_BEGIN(TEGULA_X86_AVX2)
namespace tegula::x86::avx2 {
#include <tegula/block/packed/rows.inl>
#include <tegula/block/packed/transposed.inl>
} // namespace tegula::x86::avx2
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512)
namespace tegula::x86::avx512 {
#include <tegula/block/packed/rows.inl>
#include <tegula/block/packed/transposed.inl>
} // namespace tegula::x86::avx512
TEGULA_X86_END()

namespace tegula {

/// Rows of floats, as the machine's own instructions see them.
template <class Instruction>
struct native_rows
{
    /// The greatest of the numbers, -inf if there is none.
    static float highest(const float* x, index_t count) { return highest_of(Instruction{}, x, count); }
    /// The largest magnitude, 0 if there is none; NaN does not count.
    static float largest(const float* x, index_t count) { return largest_of(Instruction{}, x, count); }
    /// The sum of factor * x.
    static float sum(const float* x, index_t count, float factor) { return sum_of(Instruction{}, x, count, factor); }
    /// The sum of the squares of factor * x - mean, and in `sum` that of the differences.
    static float squares(const float* x, index_t count, float factor, float mean, float& sum)
    {
        return squares_of(Instruction{}, x, count, factor, mean, sum);
    }
    static float squares(const float* x, index_t count, float factor, float mean)
    {
        float sum = 0;
        return squares(x, count, factor, mean, sum);
    }
    /// The sum of 2^(scale * (x - reference)). The exponents are below 127.5.
    static float sum_of_exponentials(const float* x, index_t count, float scale, float reference)
    {
        return sum_of_exponentials_of(Instruction{}, x, count, scale, reference);
    }
    /// x = 2^(scale * (x - reference)); their sum.
    static float exponentials(float* x, index_t count, float scale, float reference)
    {
        return exponentials(x, x, count, scale, reference);
    }
    /// to = 2^(scale * (from - reference)); their sum.
    static float exponentials(float* to, const float* from, index_t count, float scale, float reference)
    {
        return exponentials_of(Instruction{}, to, from, count, scale, reference);
    }
    /// x *= factor.
    static void scale(float* x, index_t count, float factor) { scale_row(Instruction{}, x, count, factor); }
    /// to = x + y; `to` may be one of them.
    static void add(float* to, const float* x, const float* y, index_t count)
    {
        add_rows(Instruction{}, to, x, y, count);
    }
    /// to = ((x * unit - mean) * factor * weight + bias) * smooth without the operands that are null; `to` may be x.
    static void normalize(float* to, const float* x, index_t count, float unit, float mean, float factor,
                          const float* weight, const float* bias, const float* smooth)
    {
        normalize_row(Instruction{}, to, x, count, unit, mean, factor, weight, bias, smooth);
    }
    /// f(x[i][j], {i, j}) for rows that are `pitch` elements apart.
    template <class F>
    static void change(float* x, index_t pitch, index_t rows, index_t columns, const F& f)
    {
        call_flat(Instruction{}, [&] {
            for (index_t i = 0; i < rows; ++i)
                for (index_t j = 0; j < columns; ++j)
                    f(x[i * pitch + j], multi_index<2>{i, j});
        });
    }
    /// f(x[i][j], y[i][j], {i, j}) for two separate matrices.
    template <class F>
    static void change_both(float* __restrict x, float* __restrict y, index_t pitch, index_t rows, index_t columns,
                            const F& f)
    {
        call_flat(Instruction{}, [&] {
            for (index_t i = 0; i < rows; ++i)
                for (index_t j = 0; j < columns; ++j)
                    f(x[i * pitch + j], y[i * pitch + j], multi_index<2>{i, j});
        });
    }
};

template <class Target>
    requires is_native_cpu<Target>
struct rows_of_lane<Target>
    : native_rows<std::conditional_t<std::is_same_v<Target, arch::x86_avx2>, x86::avx2::fma_f32, x86::avx512::fma_f32>>
{};

template <class Target, int Bytes>
    requires is_native_cpu<Target>
struct words_of_lane<Target, Bytes>
{
    using instruction = std::conditional_t<std::is_same_v<Target, arch::x86_avx2>,
                                           std::conditional_t<Bytes == 4, x86::avx2::fma_f32, x86::avx2::fma_f64>,
                                           std::conditional_t<Bytes == 4, x86::avx512::fma_f32, x86::avx512::fma_f64>>;
    static_assert(Bytes == 4 || Bytes == 8);

    /// to[j][i] = from[i][j] for i < rows and j < columns; pitches in words.
    static void transpose(void* to, long_index_t to_pitch, const void* from, long_index_t from_pitch, index_t rows,
                          index_t columns)
    {
        using word = typename instruction::a_type; // moved as bits
        transpose_words(instruction{}, static_cast<word*>(to), to_pitch, static_cast<const word*>(from), from_pitch,
                        rows, columns);
    }
};

/// The operations on rows by the primitives of a strict target, element by element.
template <class Target>
struct strict_rows
{
    static float highest(const float* x, index_t count)
    {
        float highest = -__builtin_inff();
        for (index_t j = 0; j < count; ++j)
            if (const float value = read(x + j); highest < value)
                highest = value;
        return highest;
    }
    static float exponentials(float* x, index_t count, float scale, float reference)
    {
        float sum = 0;
        for (index_t j = 0; j < count; ++j) {
            const float e = Target::exp2((read(x + j) - reference) * scale);
            write(x + j, e);
            sum += e;
        }
        return sum;
    }
    static void scale(float* x, index_t count, float factor)
    {
        for (index_t j = 0; j < count; ++j)
            write(x + j, read(x + j) * factor);
    }
    template <class F>
    static void change(float* x, index_t pitch, index_t rows, index_t columns, const F& f)
    {
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
                float value = read(x + i * pitch + j);
                f(value, multi_index<2>{i, j});
                write(x + i * pitch + j, value);
            }
    }
    template <class F>
    static void change_both(float* x, float* y, index_t pitch, index_t rows, index_t columns, const F& f)
    {
        change(x, pitch, rows, columns, [&](float& value, const multi_index<2>& i) {
            float* const at = y + i[0] * pitch + i[1];
            float other = read(at);
            f(value, other, i);
            write(at, other);
        });
    }

private:
    static float read(const float* p)
    {
        return __builtin_bit_cast(float, Target::load_shared(reinterpret_cast<const raw_vector<4>*>(p)));
    }
    static void write(float* p, float x)
    {
        Target::store_shared(reinterpret_cast<raw_vector<4>*>(p), __builtin_bit_cast(raw_vector<4>, x));
    }
};

} // namespace tegula
