#pragma once

#include <tegula/arch/raw_vector.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/call_site.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula::detail {

/// Bytes that one instruction moves of N neighbouring elements of T. A vector of several elements is aligned to the
/// power of two in its size; a single element only as its type requires.
template <class T, int N>
inline constexpr int piece_bytes = power_of_two_divisor(N * static_cast<int>(sizeof(T)),
                                                        N == 1 && alignof(T) < 16 ? static_cast<int>(alignof(T)) : 16);

/// N elements of T as the pieces that instructions move.
template <class T, int N>
using vector_pieces = array<raw_vector<piece_bytes<T, N>>, N* static_cast<int>(sizeof(T)) / piece_bytes<T, N>>;

/// N elements of T, in whole registers of 4 bytes if they fill them. Compilers take vectors of bytes apart, carry the
/// bytes through branches and loops and put them together again; words stay as they are.
template <class T, int N>
struct word_vector
{
    static constexpr bool packed = (sizeof(T) == 1 || sizeof(T) == 2) && N * sizeof(T) % 4 == 0;
    using word = std::conditional_t<packed, std::uint32_t, T>;
    static constexpr int per_word = packed ? 4 / static_cast<int>(sizeof(T)) : 1;

    array<word, N / per_word> words;

    TEGULA_INLINE array<T, N> values() const
    {
        const array<word, N / per_word> all = words;
        return __builtin_bit_cast(array<T, N>, all);
    }

    TEGULA_INLINE void fill(T value)
    {
        fill(value, std::make_integer_sequence<int, per_word>{}, std::make_integer_sequence<int, N / per_word>{});
    }

    /// Element j becomes `value`, for a run-time j: every position is compared with it, since an index would move the
    /// vector to memory.
    TEGULA_INLINE void set(int j, T value)
    {
        static_for<N>([&](auto i) {
            constexpr int w = i / per_word;
            constexpr int place = i % per_word;
            const word old = words[w];
            words[w] = choose(j == i, with<place>(old, value), old);
        });
    }

private:
    template <int... Is, int... Ws>
    TEGULA_INLINE void fill(T value, std::integer_sequence<int, Is...>, std::integer_sequence<int, Ws...>)
    {
        const array<T, per_word> same{(static_cast<void>(Is), value)...};
        const auto one = __builtin_bit_cast(word, same);
        ((words[Ws] = one), ...);
    }

    template <int I>
    static TEGULA_INLINE word with([[maybe_unused]] word old, T value)
    {
        if constexpr (packed) {
            constexpr int shift = I * static_cast<int>(sizeof(T)) * 8;
            constexpr std::uint32_t mask = (1u << sizeof(T) * 8) - 1;
            using bits = typename raw_word<sizeof(T)>::type;
            return (old & ~(mask << shift)) | static_cast<std::uint32_t>(__builtin_bit_cast(bits, value)) << shift;
        } else {
            return value;
        }
    }
};

/// Reads N elements of T at p; nothing is touched and the result is zero if active is false. `where`: for reports.
template <class Target, address_space Space, int N, class T>
TEGULA_INLINE word_vector<std::remove_const_t<T>, N> read_words(T* p, bool active,
                                                                [[maybe_unused]] call_site where = call_site::here())
{
    using value_type = std::remove_const_t<T>;
    using result = word_vector<value_type, N>;
    static_assert(std::is_trivially_copyable_v<value_type>, "tegula: the element type must be trivially copyable");
    if constexpr (Space == address_space::registers) {
        array<value_type, N> values{};
        if (active)
            static_for<N>([&](auto j) { values[j] = p[j]; });
        return __builtin_bit_cast(result, values);
    } else {
        vector_pieces<value_type, N> pieces;
        const auto* from = reinterpret_cast<const raw_vector<piece_bytes<value_type, N>>*>(p);
        static_for<pieces.size()>([&](auto i) {
            if constexpr (Space == address_space::global)
                pieces[i] = Target::load_global(from + i, active, where);
            else
                pieces[i] = Target::load_shared(from + i, active, where);
        });
        return __builtin_bit_cast(result, pieces);
    }
}

template <class Target, address_space Space, int N, class T>
TEGULA_INLINE array<std::remove_const_t<T>, N> read_vector(T* p, bool active, call_site where = call_site::here())
{
    return read_words<Target, Space, N>(p, active, where).values();
}

/// Writes N elements of T at p; nothing is touched if active is false.
template <class Target, address_space Space, int N, class T>
TEGULA_INLINE void write_vector(T* p, const array<T, N>& values, bool active,
                                [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(std::is_trivially_copyable_v<T>, "tegula: the element type must be trivially copyable");
    if constexpr (Space == address_space::registers) {
        if (active)
            static_for<N>([&](auto j) { p[j] = values[j]; });
    } else {
        const vector_pieces<T, N> pieces = __builtin_bit_cast(vector_pieces<T, N>, values);
        auto* to = reinterpret_cast<raw_vector<piece_bytes<T, N>>*>(p);
        static_for<pieces.size()>([&](auto i) {
            if constexpr (Space == address_space::global && sizeof(T) < 4 &&
                          requires { Target::store_global_whole(to + i, pieces[i], active); })
                Target::store_global_whole(to + i, pieces[i], active, where);
            else if constexpr (Space == address_space::global)
                Target::store_global(to + i, pieces[i], active, where);
            else
                Target::store_shared(to + i, pieces[i], active, where);
        });
    }
}

/// Reads one element.
template <class Target, address_space Space = address_space::global, class T>
TEGULA_INLINE std::remove_const_t<T> read_scalar(T* p, bool active = true, call_site where = call_site::here())
{
    return read_vector<Target, Space, 1>(p, active, where)[0];
}
template <class Target, address_space Space = address_space::global, class T>
TEGULA_INLINE void write_scalar(T* p, const std::type_identity_t<T>& value, bool active = true,
                                call_site where = call_site::here())
{
    write_vector<Target, Space, 1>(p, array<T, 1>{value}, active, where);
}

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::read_scalar;
using tegula::detail::read_vector;
using tegula::detail::read_words;
using tegula::detail::word_vector;
using tegula::detail::write_scalar;
using tegula::detail::write_vector;
} // namespace tegula::internal
