#pragma once

#include <tegula/arch/x86/features.hpp>
#include <tegula/arch/x86/region.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/core/half.hpp>

#include <immintrin.h>

/// Matrix products of x86 as instructions on registers. Family x86_vector of the instruction table is an outer product
/// of one row of A and one register of columns of B; family x86_tile has those of AMX on tiles.

namespace tegula::x86 {

template <class Element, int Bytes>
struct vector_register
{
    typedef Element type __attribute__((vector_size(Bytes)));
    /// The vector type in memory: it may be unaligned and alias objects of other types.
    typedef Element in_memory __attribute__((vector_size(Bytes), aligned(1), may_alias));
};

/// The members that the instructions have in common. Each adds, in the region of its instruction set,
///
///   needed               features that the machine must have
///   multiply(c, a, b)    c += a b; all words of a are one repeated word of a row
///   widen(p)             if a word has several elements: neighbours at p as the low elements of the words
///   convert(p)           if elements in memory have another type than the instruction's: a register of words
///   read_some(p, n), write_some(p, v, n)  if reads_some: the first n words, 0 to columns, of one element each; the
///                                         others are read as zeros
///
/// A, B, C        elements as the instruction takes them
/// Word           as long as the per_word neighbouring k of a row that it multiplies at a time
/// Rows, Vectors  register tile: Rows x (Vectors * columns) accumulators, in addition to Vectors registers of B
template <class Word, int Bytes, class A, class B, class C, int Rows, int Vectors>
struct instruction_base
{
    using word = Word;
    using a_type = A;
    using b_type = B;
    using c_type = C;
    /// Registers: the compilers' operators and shuffles work on these, but not on the intrinsics' own types.
    using words = typename vector_register<Word, Bytes>::type;
    using vector = typename vector_register<C, Bytes>::type;
    using words_in_memory = typename vector_register<Word, Bytes>::in_memory;
    using vector_in_memory = typename vector_register<C, Bytes>::in_memory;

    static constexpr int columns = Bytes / static_cast<int>(sizeof(Word)); ///< columns of B and C in one register
    static constexpr int per_word = static_cast<int>(sizeof(Word) / sizeof(B));
    static constexpr int rows = Rows;
    static constexpr int vectors = Vectors;
    static constexpr int tile_columns = Vectors * columns;
    static constexpr Word a_bias = 0;   ///< XORed into the words of A if the instruction takes them as unsigned
    static constexpr int word_step = 1; ///< panels are filled up to a multiple of that many words of k
    static constexpr bool is_tile = false;
    static constexpr bool reads_some = false; ///< has read_some and write_some
    /// Whether it is worth using on this machine: other instructions may be faster.
    static bool pays() { return true; }
    /// Products of words that a core begins in a cycle.
    static constexpr int words_per_cycle(const multiply_rates& rates)
    {
        return columns * (Bytes == 64 ? rates.of_64_bytes : rates.of_32_bytes);
    }
};

/// The bits of floats from those of float8_e4m3, one in each word. The exponent of normal numbers is moved from bias 7
/// to 127. The eight smaller patterns count units of 2^-9, and 0x7f is NaN.
template <class Floats, class Words>
TEGULA_X86_INLINE void widen_e4m3(Words& x)
{
    const Words magnitude = x & 0x7fu;
    const Floats small = ((Floats)(magnitude + 0x4b000000u) - 0x1p23f) * 0x1p-9f; // 2^23 + magnitude
    const Words normal = (magnitude << 20) + (120u << 23);
    const Words finite = magnitude < 8u ? (Words)small : normal;
    x = (magnitude == 0x7fu ? Words{} + 0x7fc00000u : finite) | (x & 0x80u) << 24;
}

/// Tile registers of 16 rows of 64 bytes, four of accumulators, two of A and two of B: 32 rows by 32 columns, 16 words
/// of k at a time. Packing and conversion use AVX-512, which every processor with tiles has.
template <class Element, class C>
struct tile_instruction_base : instruction_base<std::uint32_t, 64, Element, Element, C, 32, 2>
{
    static constexpr bool is_tile = true;
    static constexpr int word_step = 16;
    /// A product of tiles, 16 x 16 x 16 words, in 16 cycles (Intel 64 and IA-32 Architectures Optimization Reference
    /// Manual, chapter on AMX).
    static constexpr int words_per_cycle(const multiply_rates&) { return 256; }
};

} // namespace tegula::x86

// The register tiles take 16 registers of AVX2 and 32 of AVX-512: accumulators, `vectors` of B, one word of A.

TEGULA_X86_BEGIN(TEGULA_X86_AVX2)
namespace tegula::x86::avx2 {

struct fma_f32 : instruction_base<std::uint32_t, 32, float, float, float, 6, 2>
{
    static constexpr feature_set needed = feature::avx2;
    static constexpr bool reads_some = true;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    }
    static TEGULA_X86_INLINE __m256i first_words(int n)
    {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    static TEGULA_X86_INLINE words read_some(const float* p, int n)
    {
        return (words)_mm256_maskload_ps(p, first_words(n));
    }
    static TEGULA_X86_INLINE void write_some(float* p, vector v, int n)
    {
        _mm256_maskstore_ps(p, first_words(n), (__m256)v);
    }
    static TEGULA_X86_INLINE words convert(const half* p)
    {
        return (words)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static TEGULA_X86_INLINE words convert(const bfloat16* p)
    {
        return (words)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
                                        16);
    }
    static TEGULA_X86_INLINE words convert(const float8_e4m3* p)
    {
        words x = (words)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        widen_e4m3<vector>(x);
        return x;
    }
};

struct fma_f64 : instruction_base<std::uint64_t, 32, double, double, double, 6, 2>
{
    static constexpr feature_set needed = feature::avx2;
    static constexpr bool reads_some = true;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    }
    static TEGULA_X86_INLINE __m256i first_words(int n)
    {
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
    }
    static TEGULA_X86_INLINE words read_some(const double* p, int n)
    {
        return (words)_mm256_maskload_pd(p, first_words(n));
    }
    static TEGULA_X86_INLINE void write_some(double* p, vector v, int n)
    {
        _mm256_maskstore_pd(p, first_words(n), (__m256d)v);
    }
};

/// int16, and int8 without a dot product of its own: 16-bit products of neighbours, summed in pairs, then added. Exact
/// modulo 2^32.
struct madd_i16 : instruction_base<std::uint32_t, 32, std::int16_t, std::int16_t, std::int32_t, 6, 2>
{
    static constexpr feature_set needed = feature::avx2;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm256_add_epi32((__m256i)c, _mm256_madd_epi16((__m256i)a, (__m256i)b));
    }
    static TEGULA_X86_INLINE words widen(const std::int8_t* p)
    {
        return (words)_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))) & 0xffffu;
    }
    static TEGULA_X86_INLINE words widen(const std::int16_t* p)
    {
        return (words)_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static TEGULA_X86_INLINE words convert(const std::int8_t* p)
    {
        return (words)_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
};

} // namespace tegula::x86::avx2
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX_VNNI)
namespace tegula::x86::avx_vnni {

struct dot_i8 : instruction_base<std::uint32_t, 32, std::uint8_t, std::int8_t, std::int32_t, 6, 2>
{
    static constexpr feature_set needed = feature::avx2 | feature::avx_vnni;
    static constexpr std::uint32_t a_bias = 0x80808080u;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm256_dpbusd_avx_epi32((__m256i)c, (__m256i)a, (__m256i)b);
    }
    static TEGULA_X86_INLINE words widen(const std::int8_t* p)
    {
        return (words)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    }
};

/// int16: products of neighbours and their sum in one instruction.
struct dot_i16 : instruction_base<std::uint32_t, 32, std::int16_t, std::int16_t, std::int32_t, 6, 2>
{
    static constexpr feature_set needed = feature::avx2 | feature::avx_vnni;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm256_dpwssd_avx_epi32((__m256i)c, (__m256i)a, (__m256i)b);
    }
    static TEGULA_X86_INLINE words widen(const std::int16_t* p)
    {
        return (words)_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
};

} // namespace tegula::x86::avx_vnni
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512)
namespace tegula::x86::avx512 {

struct fma_f32 : instruction_base<std::uint32_t, 64, float, float, float, 14, 2>
{
    static constexpr feature_set needed = feature::avx512;
    static constexpr bool reads_some = true;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    }
    static TEGULA_X86_INLINE words read_some(const float* p, int n)
    {
        return (words)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
    }
    static TEGULA_X86_INLINE void write_some(float* p, vector v, int n)
    {
        _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
    }
    static TEGULA_X86_INLINE words convert(const half* p)
    {
        // Without a mask GCC 12 warns of its own header.
        return (words)_mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static TEGULA_X86_INLINE words convert(const bfloat16* p)
    {
        return (words)_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))
               << 16;
    }
    static TEGULA_X86_INLINE words convert(const float8_e4m3* p)
    {
        words x = (words)_mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        widen_e4m3<vector>(x);
        return x;
    }
};

struct fma_f64 : instruction_base<std::uint64_t, 64, double, double, double, 14, 2>
{
    static constexpr feature_set needed = feature::avx512;
    static constexpr bool reads_some = true;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
    }
    static TEGULA_X86_INLINE words read_some(const double* p, int n)
    {
        return (words)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p);
    }
    static TEGULA_X86_INLINE void write_some(double* p, vector v, int n)
    {
        _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), (__m512d)v);
    }
};

} // namespace tegula::x86::avx512
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512_DOT)
namespace tegula::x86::avx512_dot {

struct dot_bf16 : instruction_base<std::uint32_t, 64, bfloat16, bfloat16, float, 14, 2>
{
    static constexpr feature_set needed = feature::avx512 | feature::avx512_bf16;
    /// On Intel's Sapphire Rapids products in registers run at 0.6 to 0.8 times the speed of fma_f32, to whose type
    /// elements can be converted as they are packed (docs/cpu.md).
    static bool pays() { return !host_is_intel(); }
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b);
    }
    static TEGULA_X86_INLINE words widen(const bfloat16* p)
    {
        return (words)_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
};

struct dot_i8 : instruction_base<std::uint32_t, 64, std::uint8_t, std::int8_t, std::int32_t, 14, 2>
{
    static constexpr feature_set needed = feature::avx512 | feature::avx512_vnni;
    static constexpr std::uint32_t a_bias = 0x80808080u;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm512_dpbusd_epi32((__m512i)c, (__m512i)a, (__m512i)b);
    }
    static TEGULA_X86_INLINE words widen(const std::int8_t* p)
    {
        return (words)_mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
};

struct dot_i16 : instruction_base<std::uint32_t, 64, std::int16_t, std::int16_t, std::int32_t, 14, 2>
{
    static constexpr feature_set needed = feature::avx512 | feature::avx512_vnni;
    static TEGULA_X86_INLINE void multiply(vector& c, words a, words b)
    {
        c = (vector)_mm512_dpwssd_epi32((__m512i)c, (__m512i)a, (__m512i)b);
    }
    static TEGULA_X86_INLINE words widen(const std::int16_t* p)
    {
        return (words)_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
};

} // namespace tegula::x86::avx512_dot
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512_FP16)
namespace tegula::x86::avx512_fp16 {

/// c += a b of 32 halves, summed in half, at twice the rate of fma_f32. Sums have 11 bits, too few for a product of
/// matrices (a sum of ones stays at 2048). No kernel takes it; f16 is multiplied as f32, or by the tiles of AMX.
struct fma_f16
{
    static constexpr feature_set needed = feature::avx512 | feature::avx512_fp16;
    static TEGULA_X86_INLINE void multiply(__m512i& c, __m512i a, __m512i b)
    {
        c = (__m512i)_mm512_fmadd_ph((__m512h)a, (__m512h)b, (__m512h)c);
    }
};

} // namespace tegula::x86::avx512_fp16
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AMX)
namespace tegula::x86::amx {

/// Each has multiply_rows(), tiles 0 and 1 += tile 4 times tiles 6 and 7, and multiply_more_rows(), tiles 2 and 3 +=
/// tile 5 times tiles 6 and 7. Numbers of tiles are part of the instruction and must be written out.
struct dot_bf16 : tile_instruction_base<bfloat16, float>
{
    static constexpr feature_set needed = feature::avx512 | feature::amx_tile | feature::amx_bf16;
    static TEGULA_X86_INLINE words widen(const bfloat16* p)
    {
        return (words)_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static TEGULA_X86_INLINE void multiply_rows()
    {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
    }
    static TEGULA_X86_INLINE void multiply_more_rows()
    {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
};

/// Written as bytes (VEX.128.F2.0F38.W0 5C): compilers before g++ 13 do not know tdpfp16ps.
struct dot_f16 : tile_instruction_base<half, float>
{
    static constexpr feature_set needed = feature::avx512 | feature::amx_tile | feature::amx_fp16;
    static TEGULA_X86_INLINE words widen(const half* p)
    {
        return (words)_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static TEGULA_X86_INLINE void multiply_rows()
    {
        asm volatile(".byte 0xc4, 0xe2, 0x4b, 0x5c, 0xc4"); // tdpfp16ps tmm0, tmm4, tmm6
        asm volatile(".byte 0xc4, 0xe2, 0x43, 0x5c, 0xcc"); // tdpfp16ps tmm1, tmm4, tmm7
    }
    static TEGULA_X86_INLINE void multiply_more_rows()
    {
        asm volatile(".byte 0xc4, 0xe2, 0x4b, 0x5c, 0xd5"); // tdpfp16ps tmm2, tmm5, tmm6
        asm volatile(".byte 0xc4, 0xe2, 0x43, 0x5c, 0xdd"); // tdpfp16ps tmm3, tmm5, tmm7
    }
};

struct dot_i8 : tile_instruction_base<std::int8_t, std::int32_t>
{
    static constexpr feature_set needed = feature::avx512 | feature::amx_tile | feature::amx_int8;
    static TEGULA_X86_INLINE words widen(const std::int8_t* p)
    {
        return (words)_mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static TEGULA_X86_INLINE void multiply_rows()
    {
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
    }
    static TEGULA_X86_INLINE void multiply_more_rows()
    {
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
};

} // namespace tegula::x86::amx
TEGULA_X86_END()
