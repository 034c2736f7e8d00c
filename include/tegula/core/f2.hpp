#pragma once

/// Linear algebra over F2, the field of two elements, in words of 64 bits.
///
/// A vector is a word: bit i is coordinate i. A list of vectors is either a matrix, by its columns (column j is the
/// image of the unit vector 1 << j), or the generators of a span. Addition is XOR. Only functions with a stated
/// precondition can fail. Sizes: at most 64 coordinates and 64 columns.

#include <tegula/core/array.hpp>

namespace tegula::f2 {

using word = std::uint64_t;

inline constexpr int max_bits = 64;

/// Columns of a matrix, or generators of a span.
using vectors = static_vector<word, max_bits>;

constexpr word unit(int i) { return word{1} << i; }

/// All words below 2^n, as a mask; n in [0, 64].
constexpr word low_bits(int n) { return n >= max_bits ? ~word{0} : unit(n) - 1; }

/// unit(0), ..., unit(n - 1): the identity matrix.
constexpr vectors identity(int n)
{
    vectors v;
    for (int i = 0; i < n; ++i)
        v.push_back(unit(i));
    return v;
}

/// The vectors of a, then those of b. Precondition: together at most 64.
constexpr vectors concatenate(vectors a, const vectors& b)
{
    for (word v : b)
        a.push_back(v);
    return a;
}

/// Image of x: the sum of the columns j for which bit j of x is set. Bits of x past the last column are ignored.
constexpr word apply(const vectors& columns, word x)
{
    word y = 0;
    for (int j = 0; j < columns.size(); ++j)
        y ^= (x >> j & 1) != 0 ? columns[j] : 0;
    return y;
}

/// The matrix that applies b first, then a: column j is apply(a, b[j]).
constexpr vectors product(const vectors& a, const vectors& b)
{
    vectors c;
    for (word column : b)
        c.push_back(apply(a, column));
    return c;
}

namespace detail {

/// A sum of given vectors, and the sum of their tags. A tag says which vector it was, or holds what came with it.
struct tagged
{
    word value = 0;
    word tag = 0;
};

/// Gaussian elimination, vector by vector: at most one kept vector for each leading bit, in reduced echelon form (no
/// other kept vector has that bit).
class elimination
{
public:
    /// v plus kept vectors, so that the result has no leading bit of a kept vector.
    constexpr tagged reduce(tagged v) const
    {
        for (word rest = v.value & leading_; rest != 0; rest &= rest - 1)
            v = sum(v, kept_[__builtin_ctzll(rest)]);
        return v;
    }
    /// Reduces v, keeps the rest if it is not 0, and returns it. Value 0 means that v was in the span.
    constexpr tagged insert(tagged v)
    {
        v = reduce(v);
        if (v.value == 0)
            return v;
        const int lead = max_bits - 1 - __builtin_clzll(v.value);
        for (word rest = leading_; rest != 0; rest &= rest - 1) {
            tagged& other = kept_[__builtin_ctzll(rest)];
            if ((other.value >> lead & 1) != 0)
                other = sum(other, v);
        }
        kept_[lead] = v;
        leading_ |= unit(lead);
        return v;
    }
    /// One bit for each kept vector: its leading bit.
    constexpr word leading() const { return leading_; }
    /// The kept vectors, leading bit ascending.
    constexpr vectors basis() const
    {
        vectors v;
        for (word rest = leading_; rest != 0; rest &= rest - 1)
            v.push_back(kept_[__builtin_ctzll(rest)].value);
        return v;
    }

private:
    static constexpr tagged sum(tagged a, tagged b) { return {a.value ^ b.value, a.tag ^ b.tag}; }

    tagged kept_[max_bits]{};
    word leading_ = 0;
};

constexpr elimination eliminate(const vectors& generators)
{
    elimination e;
    for (word v : generators)
        e.insert({v, 0});
    return e;
}

} // namespace detail

/// Dimension of the span; the rank of the matrix.
constexpr int rank(const vectors& v) { return __builtin_popcountll(detail::eliminate(v).leading()); }

/// The basis of the span in reduced echelon form, leading bit ascending: equal for equal spans.
constexpr vectors basis(const vectors& generators) { return detail::eliminate(generators).basis(); }

/// Takes the `candidates`, in their order, that lie outside the span of `given` and of the candidates taken before.
/// Together they are a basis of the sum of both spans modulo the span of `given`.
constexpr vectors extension(const vectors& given, const vectors& candidates)
{
    detail::elimination e = detail::eliminate(given);
    vectors taken;
    for (word v : candidates)
        if (e.insert({v, 0}).value != 0)
            taken.push_back(v);
    return taken;
}

/// The vectors that are no sum of earlier ones, in their order: a basis of the span made of its own generators.
constexpr vectors independent(const vectors& generators) { return extension({}, generators); }

/// Unit vectors, lowest first, that extend the span to all of F2^n: a basis of one of its complements.
constexpr vectors complement(const vectors& generators, int n) { return extension(generators, identity(n)); }

/// A basis of the vectors in both spans, in reduced echelon form.
constexpr vectors intersection(const vectors& a, const vectors& b)
{
    detail::elimination e = detail::eliminate(a); // a tag is the part of the sum that came from b
    detail::elimination common;
    for (word v : independent(b)) {
        const detail::tagged left = e.insert({v, v});
        if (left.value == 0)
            common.insert({left.tag, 0});
    }
    return common.basis();
}

/// A basis, in reduced echelon form, of the x with apply(columns, x) = 0.
constexpr vectors kernel(const vectors& columns)
{
    detail::elimination e, zero;
    for (int j = 0; j < columns.size(); ++j) {
        const detail::tagged left = e.insert({columns[j], unit(j)});
        if (left.value == 0)
            zero.insert({left.tag, 0});
    }
    return zero.basis();
}

/// A right inverse on the image: a matrix p of `rows` columns. For every y in the image apply(p, y) is the least number
/// with apply(columns, apply(p, y)) = y. Outside the image p is linear and otherwise unspecified.
/// Precondition: every column is below 2^rows. The inverse if the matrix is invertible, and a left inverse if its
/// columns are independent.
constexpr vectors pseudo_inverse(const vectors& columns, int rows)
{
    detail::elimination e;
    for (int j = 0; j < columns.size(); ++j)
        e.insert({columns[j], unit(j)});
    const detail::elimination free = detail::eliminate(kernel(columns));
    vectors p;
    for (int i = 0; i < rows; ++i) {
        const detail::tagged left = e.reduce({unit(i), 0});
        p.push_back(free.reduce({left.tag, 0}).value);
    }
    return p;
}

/// Whether the matrix takes F2^n to F2^n one to one.
constexpr bool is_invertible(const vectors& columns, int n)
{
    word outside = 0;
    for (word v : columns)
        outside |= v & ~low_bits(n);
    return columns.size() == n && outside == 0 && rank(columns) == n;
}

/// Precondition: is_invertible(columns, columns.size()).
constexpr vectors inverse(const vectors& columns) { return pseudo_inverse(columns, columns.size()); }

/// Row i is a word whose bit j is bit i of column j.
constexpr vectors transpose(const vectors& columns, int rows)
{
    vectors t;
    for (int i = 0; i < rows; ++i) {
        word row = 0;
        for (int j = 0; j < columns.size(); ++j)
            row |= (columns[j] >> i & 1) << j;
        t.push_back(row);
    }
    return t;
}

} // namespace tegula::f2
