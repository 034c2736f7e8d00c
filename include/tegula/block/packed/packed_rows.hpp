#pragma once

#include <tegula/arch/x86/primitives.hpp>
#include <tegula/block/packed/panels.hpp>
#include <tegula/core/float_format.hpp>
#include <tegula/layout/distribution.hpp>

TEGULA_X86_BEGIN(TEGULA_X86_AVX2)
namespace tegula::x86::avx2 {
#include <tegula/block/packed/rows.inl>
}
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512)
namespace tegula::x86::avx512 {
#include <tegula/block/packed/rows.inl>
}
TEGULA_X86_END()

namespace tegula {

/// Rows of floats that lie in a block's shared memory, as the machine's own instructions see them. `count` elements of
/// a row are whole registers of the instruction.
template <class Instruction>
struct native_rows
{
    /// The greatest of the numbers, -inf if there is none.
    static float highest(const float* x, index_t count) { return highest_of(Instruction{}, x, count); }
    /// x = 2^(scale * (x - reference)); their sum.
    static float exponentials(float* x, index_t count, float scale, float reference)
    {
        return exponentials_of(Instruction{}, x, count, scale, reference);
    }
    /// x *= factor.
    static void scale(float* x, index_t count, float factor) { scale_row(Instruction{}, x, count, factor); }
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
