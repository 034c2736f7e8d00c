#pragma once

#include <tegula/arch/raw_vector.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/sequence.hpp>

#include <utility>

namespace tegula::detail {

/// Where the elements of one word of a written vector lie among the words of the vectors that were loaded.
struct word_sources
{
    int word[4]{};
    int byte[4]{}; ///< the element's first byte in its word
};

/// Rearranges a lane's elements of 1 or 2 bytes from the vectors of one access plan into those of another, in whole
/// words: the code that compilers make from single elements is longer and takes more registers.
template <class Target, class LoadPlan, class StorePlan, int ElementBytes>
struct transposed_words
{
    static constexpr int per_word = 4 / ElementBytes;
    static constexpr int words_of_load = LoadPlan::vector * ElementBytes / 4;
    static constexpr int words_of_store = StorePlan::vector * ElementBytes / 4;
    static constexpr bool possible = (ElementBytes == 1 || ElementBytes == 2) && LoadPlan::vector % per_word == 0 &&
                                     StorePlan::vector % per_word == 0;

    /// The words of store access A.
    template <int A, class Vectors>
    static TEGULA_INLINE array<std::uint32_t, words_of_store> gather(const Vectors& loaded)
    {
        array<std::uint32_t, words_of_store> words;
        gather<A>(words, loaded, std::make_integer_sequence<int, words_of_store>{});
        return words;
    }

private:
    template <int A, class Vectors, int... Ws>
    static TEGULA_INLINE void gather(array<std::uint32_t, words_of_store>& words, const Vectors& loaded,
                                     std::integer_sequence<int, Ws...>)
    {
        ((words[Ws] = gather_word<A, Ws>(loaded)), ...);
    }

    static consteval word_sources find_sources(int access, int word)
    {
        word_sources s;
        for (int i = 0; i < per_word; ++i) {
            const int wanted = StorePlan::register_of(access, word * per_word + i);
            int a = 0, j = 0;
            while (LoadPlan::register_of(a, j) != wanted)
                if (++j == LoadPlan::vector) {
                    j = 0;
                    ++a;
                }
            s.word[i] = a * words_of_load + j / per_word;
            s.byte[i] = j % per_word * ElementBytes;
        }
        return s;
    }

    template <int W, class Vectors>
    static TEGULA_INLINE std::uint32_t word_of(const Vectors& loaded)
    {
        return loaded[W / words_of_load].words[W % words_of_load];
    }

    template <int A, int W, class Vectors>
    static TEGULA_INLINE std::uint32_t gather_word(const Vectors& loaded)
    {
        constexpr word_sources s = computed_once<find_sources(A, W)>;
        if constexpr (ElementBytes == 2) {
            constexpr std::uint32_t first = s.byte[0], second = s.byte[1] + 4;
            return Target::template pick_bytes < first | (first + 1) << 4 | second << 8 |
                   (second + 1) << 12 > (word_of<s.word[0]>(loaded), word_of<s.word[1]>(loaded));
        } else {
            const std::uint32_t low = pair<s.word[0], s.byte[0], s.word[1], s.byte[1]>(loaded);
            const std::uint32_t high = pair<s.word[2], s.byte[2], s.word[3], s.byte[3]>(loaded);
            constexpr std::uint32_t first = place(s.byte[0], s.byte[1]), second = place(s.byte[2], s.byte[3]) + 4;
            return Target::template pick_bytes < first | (first + 1) << 4 | second << 8 |
                   (second + 1) << 12 > (low, high);
        }
    }

    /// Two bytes of two words. If it is the same byte of both, its neighbour's pair comes along, which another word
    /// of the transposed patch needs.
    template <int Word0, int Byte0, int Word1, int Byte1, class Vectors>
    static TEGULA_INLINE std::uint32_t pair(const Vectors& loaded)
    {
        constexpr std::uint32_t b0 = Byte0 == Byte1 ? Byte0 & ~1 : Byte0,
                                b1 = (Byte0 == Byte1 ? Byte1 & ~1 : Byte1) + 4;
        constexpr std::uint32_t next0 = b0 % 4 == 3 ? b0 : b0 + 1, next1 = b1 % 4 == 3 ? b1 : b1 + 1;
        return Target::template pick_bytes < b0 | b1 << 4 | next0 << 8 |
               next1 << 12 > (word_of<Word0>(loaded), word_of<Word1>(loaded));
    }
    /// Where pair() puts them.
    static consteval std::uint32_t place(int byte0, int byte1) { return byte0 == byte1 && byte0 % 2 == 1 ? 2 : 0; }
};

} // namespace tegula::detail
