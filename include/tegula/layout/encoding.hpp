#pragma once

#include <tegula/core/tuple.hpp>
#include <tegula/layout/digit_table.hpp>
#include <tegula/layout/encoding_algebra.hpp>

#include <utility>

namespace tegula {

/// One rule is one template, so that the compiler prints the digit as its arguments.
namespace encoding_rules {

template <bool Ok, int Major, int Minor>
struct every_digit_has_an_owner
{
    static_assert(Ok, "tegula: a digit of the encoding belongs to no P and no Y; give it to exactly one "
                      "(the template arguments are its RH major and minor)");
};
template <bool Ok, int Major, int Minor, int Owners>
struct every_digit_has_one_owner
{
    static_assert(Ok, "tegula: a digit of the encoding has more than one owner; give it to exactly one P or Y "
                      "(the template arguments are its RH major and minor and the number of owners)");
};
template <bool Ok, int Major, int Minor>
struct only_p_owns_replication
{
    static_assert(Ok, "tegula: an R digit belongs to a Y; only a P may own replication "
                      "(the template arguments are its RH major and minor)");
};
template <bool Ok, int Major, int Minor>
struct every_named_digit_exists
{
    static_assert(Ok, "tegula: a P or a Y names a digit that does not exist; use a major and a minor in range "
                      "(the template arguments are the RH major and minor)");
};
template <bool Ok, int Major, int Minor, int Length>
struct every_length_is_positive
{
    static_assert(Ok, "tegula: a digit of the encoding has a length below 1; lengths start at 1 "
                      "(the template arguments are its RH major, minor and length)");
};
template <bool Ok>
struct sizes_fit_64_bits
{
    static_assert(Ok, "tegula: the product of the digit lengths does not fit 63 bits; use a smaller tile");
};
template <bool Ok>
struct encoding_fits_capacity
{
    static_assert(Ok, "tegula: the encoding has more dimensions or digits than tegula::encoding_value keeps; "
                      "merge digits that stand side by side");
};
template <bool Ok, int Majors, int Minors>
struct majors_and_minors_pair_up
{
    static_assert(Ok, "tegula: the lists of RH majors and minors differ in length; every digit is one major and one "
                      "minor (the template arguments are the two lengths)");
};

} // namespace encoding_rules

namespace detail {

struct rule_check
{
    bool ok = true;
    rh_digit digit{};
    index_t value = 0;
};

constexpr rule_check check_rule(const violations& found, encoding_rule rule)
{
    for (const violation& v : found)
        if (v.rule == rule)
            return {false, v.digit, v.value};
    return {};
}

/// True when the encoding of Source (anything with a static constexpr `raw` encoding_value) is valid; otherwise the
/// compilation stops at the first rule it breaks.
template <class Source>
consteval bool enforce_rules()
{
    namespace rules = encoding_rules;
    constexpr violations found = validate(Source::raw);
    if constexpr (found.size() > 0) {
        constexpr auto at = [](encoding_rule rule) { return check_rule(validate(Source::raw), rule); };
        constexpr auto capacity = at(encoding_rule::capacity);
        constexpr auto length = at(encoding_rule::length_is_positive);
        constexpr auto exists = at(encoding_rule::digit_exists);
        constexpr auto y_r = at(encoding_rule::y_owns_no_replication);
        constexpr auto unowned = at(encoding_rule::digit_has_an_owner);
        constexpr auto twice = at(encoding_rule::digit_has_one_owner);
        constexpr auto size = at(encoding_rule::size_fits_64_bits);
        (void)sizeof(rules::encoding_fits_capacity<capacity.ok>);
        (void)sizeof(rules::every_length_is_positive<length.ok, length.digit.major, length.digit.minor, length.value>);
        (void)sizeof(rules::every_named_digit_exists<exists.ok, exists.digit.major, exists.digit.minor>);
        (void)sizeof(rules::only_p_owns_replication<y_r.ok, y_r.digit.major, y_r.digit.minor>);
        (void)sizeof(rules::every_digit_has_an_owner<unowned.ok, unowned.digit.major, unowned.digit.minor>);
        (void)sizeof(rules::every_digit_has_one_owner<twice.ok, twice.digit.major, twice.digit.minor, twice.value>);
        (void)sizeof(rules::sizes_fit_64_bits<size.ok>);
    }
    return found.empty();
}

template <index_t... Is>
constexpr encoding_value::lengths_type to_lengths(sequence<Is...>)
{
    encoding_value::lengths_type v;
    (v.push_back(Is), ...);
    return v;
}

template <index_t... Majors, index_t... Minors>
constexpr encoding_value::digits_type to_digits(sequence<Majors...>, sequence<Minors...>)
{
    (void)sizeof(encoding_rules::majors_and_minors_pair_up < sizeof...(Majors) == sizeof...(Minors), sizeof...(Majors),
                 sizeof...(Minors) >);
    encoding_value::digits_type v;
    if constexpr (sizeof...(Majors) == sizeof...(Minors))
        (v.push_back(rh_digit{Majors, Minors}), ...);
    return v;
}

template <class... Hs>
constexpr void append_hs(encoding_value& e, tuple<Hs...>)
{
    (e.hs.push_back(to_lengths(Hs{})), ...);
}

template <class... Majors, class... Minors>
constexpr void append_ps(encoding_value& e, tuple<Majors...>, tuple<Minors...>)
{
    (void)sizeof(encoding_rules::majors_and_minors_pair_up < sizeof...(Majors) == sizeof...(Minors), sizeof...(Majors),
                 sizeof...(Minors) >);
    if constexpr (sizeof...(Majors) == sizeof...(Minors))
        (e.ps.push_back(to_digits(Majors{}, Minors{})), ...);
}

template <class Rs, class Hs, class PsMajor, class PsMinor, class YsMajor, class YsMinor>
constexpr encoding_value to_encoding_value()
{
    encoding_value e;
    e.rs = to_lengths(Rs{});
    append_hs(e, Hs{});
    append_ps(e, PsMajor{}, PsMinor{});
    const auto ys = to_digits(YsMajor{}, YsMinor{});
    for (rh_digit d : ys)
        e.ys.push_back(d);
    return e;
}

} // namespace detail

/// A tile distribution as a type, made only of types and integers.
///
///   Rs               sequence of replication lengths
///   Hs               tuple of sequences: the factors of each tensor dimension, most significant first
///   PsMajor/PsMinor  tuples of sequences: the digits of each partition dimension, most significant first
///   YsMajor/YsMinor  sequences: the digit of each register dimension, in register order
///
/// `value` is the encoding_value all algebra works on. An encoding that breaks a rule does not compile.
template <class Rs, class Hs, class PsMajor, class PsMinor, class YsMajor, class YsMinor>
struct tile_distribution_encoding
{
    static constexpr encoding_value raw = detail::to_encoding_value<Rs, Hs, PsMajor, PsMinor, YsMajor, YsMinor>();
    static_assert(detail::enforce_rules<tile_distribution_encoding>());
    static constexpr const encoding_value& value = raw;
};

/// One digit by its place: minor `Minor` of the lengths of R (Major 0) or of tensor dimension Major - 1.
template <int Major, int Minor>
struct digit
{
    static constexpr index_t major = Major;
    static constexpr index_t minor = Minor;
};

namespace detail {

template <class Digits>
struct split_digits
{
    static_assert(!std::is_same_v<Digits, Digits>, "tegula: the digits of a P, or those of Y, are a tuple of digit<>: "
                                                   "tuple<digit<1, 2>, digit<2, 0>>");
};
template <class... Digits>
struct split_digits<tuple<Digits...>>
{
    static_assert((requires { typename sequence<Digits::major, Digits::minor>; } && ...),
                  "tegula: the digits of a P, or those of Y, are a tuple of digit<>: tuple<digit<1, 2>, digit<2, 0>>");
    using majors = sequence<Digits::major...>;
    using minors = sequence<Digits::minor...>;
};

template <class Rs, class Hs, class Ps, class Ys>
struct encoding_of_digits;
template <class Rs, class Hs, class... Ps, class Ys>
struct encoding_of_digits<Rs, Hs, tuple<Ps...>, Ys>
{
    using type = tile_distribution_encoding<Rs, Hs, tuple<typename split_digits<Ps>::majors...>,
                                            tuple<typename split_digits<Ps>::minors...>,
                                            typename split_digits<Ys>::majors, typename split_digits<Ys>::minors>;
};

} // namespace detail

/// A tile_distribution_encoding with each digit of P and Y spelled as a pair instead of in two lists:
///
///     tile_distribution_encoding_of<sequence<>,                                           // R
///                                   tuple<sequence<4, 2, 8>, sequence<2, 16>>,            // H
///                                   tuple<tuple<digit<1, 0>>,                             // P0, the wave
///                                         tuple<digit<1, 2>, digit<2, 0>>>,               // P1, the lane
///                                   tuple<digit<1, 1>, digit<2, 1>>>                      // Y
template <class Rs, class Hs, class Ps, class Ys>
using tile_distribution_encoding_of = typename detail::encoding_of_digits<Rs, Hs, Ps, Ys>::type;

/// An encoding: a type with a valid encoding_value.
template <class E>
concept encoding = requires {
    { E::value.num_x() };
};

namespace detail {

template <class Source, int Major, int... Is>
auto lengths_type_of(std::integer_sequence<int, Is...>) -> sequence<Source::raw.lengths(Major)[Is]...>;

template <class Source, int P, int... Is>
auto p_majors_of(std::integer_sequence<int, Is...>) -> sequence<Source::raw.ps[P][Is].major...>;
template <class Source, int P, int... Is>
auto p_minors_of(std::integer_sequence<int, Is...>) -> sequence<Source::raw.ps[P][Is].minor...>;

template <int N>
using count_to = std::make_integer_sequence<int, N>;

template <class Source, class Xs, class Ps, class Ys>
struct canonical_encoding;

template <class Source, int... Xs, int... Ps, int... Ys>
struct canonical_encoding<Source, std::integer_sequence<int, Xs...>, std::integer_sequence<int, Ps...>,
                          std::integer_sequence<int, Ys...>>
{
    using type = tile_distribution_encoding<
        decltype(lengths_type_of<Source, 0>(count_to<Source::raw.rs.size()>{})),
        tuple<decltype(lengths_type_of<Source, Xs + 1>(count_to<Source::raw.hs[Xs].size()>{}))...>,
        tuple<decltype(p_majors_of<Source, Ps>(count_to<Source::raw.ps[Ps].size()>{}))...>,
        tuple<decltype(p_minors_of<Source, Ps>(count_to<Source::raw.ps[Ps].size()>{}))...>,
        sequence<Source::raw.ys[Ys].major...>, sequence<Source::raw.ys[Ys].minor...>>;
};

} // namespace detail

/// The tile_distribution_encoding of Source, a type with a static constexpr encoding_value `raw`: this is how the
/// result of an algebra function becomes a type again.
template <class Source>
using encoding_from = typename detail::canonical_encoding<Source, detail::count_to<Source::raw.num_x()>,
                                                          detail::count_to<Source::raw.num_p()>,
                                                          detail::count_to<Source::raw.num_y()>>::type;

namespace detail {
template <class Outer, class Inner>
struct embed_source
{
    static_assert(Outer::value.num_x() == Inner::value.num_x(),
                  "tegula: embed needs two encodings with the same number of tensor dimensions");
    static constexpr encoding_value raw = embed(Outer::value, Inner::value);
};
template <class E, index_t... Dims>
struct reduce_source
{
    static_assert(((Dims >= 0 && Dims < E::value.num_x()) && ...),
                  "tegula: reduce names a tensor dimension that the encoding does not have");
    static constexpr encoding_value raw = reduce(E::value, make_dim_set(Dims...));
};
/// Whether `order` names each of n dimensions once.
constexpr bool is_permutation(const encoding_value::lengths_type& order, int n)
{
    dim_set seen;
    for (index_t dim : order)
        seen.bits |= dim >= 0 && dim < n ? 1u << dim : 0u;
    return order.size() == n && seen.bits == (1u << n) - 1;
}
template <class E, class Order>
struct transpose_source
{
    static_assert(is_permutation(to_lengths(Order{}), E::value.num_x()),
                  "tegula: transpose needs every tensor dimension once");
    static constexpr encoding_value raw = transpose(E::value, to_lengths(Order{}));
};
template <class E, class Begins, class Ends>
struct slice_source
{
    static_assert(Begins::size() == E::value.num_x() && Ends::size() == E::value.num_x(),
                  "tegula: a slice needs one begin and one end for every tensor dimension");
    static constexpr sliced_encoding sliced = slice(E::value, to_lengths(Begins{}), to_lengths(Ends{}));
    static_assert(sliced.possible, "tegula: a slice of a distributed tile must be cut along Y digits");
    static constexpr encoding_value raw = sliced.encoding;
};
template <class E, class Lengths>
struct reshape_source
{
    static constexpr reshaped_encoding reshaped = reshape(E::value, to_lengths(Lengths{}));
    static_assert(reshaped.possible,
                  "tegula: a shape cast needs as many elements, and lengths that divide the digits they cut");
    static constexpr encoding_value raw = reshaped.encoding;
};
template <class E, index_t Dim, index_t Count>
struct stack_source
{
    static_assert(Dim >= 0 && Dim < E::value.num_x() && Count > 0,
                  "tegula: tiles are stacked along one of their dimensions");
    static constexpr encoding_value raw = stack(E::value, Dim, Count);
};
} // namespace detail

/// `Inner` placed inside every element of `Outer`.
template <class Outer, class Inner>
using embed_encoding = encoding_from<detail::embed_source<Outer, Inner>>;
/// `E` reduced over the tensor dimensions Dims.
template <class E, index_t... Dims>
using reduce_encoding = encoding_from<detail::reduce_source<E, Dims...>>;
/// `E` with its tensor dimensions reordered: dimension i is dimension Order::at(i) of `E`.
template <class E, class Order>
using transpose_encoding = encoding_from<detail::transpose_source<E, Order>>;
/// The part [Begins, Ends) of `E`.
template <class E, class Begins, class Ends>
using slice_encoding = encoding_from<detail::slice_source<E, Begins, Ends>>;
/// `E` as a tile of lengths `Lengths`; elements keep their row-major numbers.
template <class E, class Lengths>
using reshape_encoding = encoding_from<detail::reshape_source<E, Lengths>>;
/// Count tiles of `E` one after the other along dimension Dim.
template <class E, index_t Dim, index_t Count>
using stack_encoding = encoding_from<detail::stack_source<E, Dim, Count>>;

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::count_to;
} // namespace tegula::internal
