#pragma once

#include <tegula/layout/encoding.hpp>
#include <tegula/notation/nested.hpp>

namespace tegula {

/// The arrays of a nested layout, one entry for each tensor dimension; nested_value says what they mean.
template <index_t... Lengths>
struct subgroup_tile : sequence<Lengths...>
{};
template <index_t... Lengths>
struct batch_tile : sequence<Lengths...>
{};
template <index_t... Lengths>
struct outer_tile : sequence<Lengths...>
{};
template <index_t... Lengths>
struct thread_tile : sequence<Lengths...>
{};
template <index_t... Lengths>
struct element_tile : sequence<Lengths...>
{};
template <index_t... Strides>
struct subgroup_strides : sequence<Strides...>
{};
template <index_t... Strides>
struct thread_strides : sequence<Strides...>
{};

/// One rule is one template, so that the compiler prints the numbers as its arguments.
namespace nested_rules {

template <bool Ok>
struct arrays_have_one_entry_a_dimension
{
    static_assert(Ok, "tegula: the seven arrays of a nested layout differ in length; give one entry for each tensor "
                      "dimension");
};
template <bool Ok, int Level, int Dim, long_index_t Length>
struct tiles_are_positive
{
    static_assert(Ok, "tegula: a tile of a nested layout is below 1; tiles start at 1 (the template arguments are the "
                      "level, 0 subgroup to 4 element, the tensor dimension and the tile)");
};
template <bool Ok, int Level, int Dim, long_index_t Stride>
struct strides_are_not_negative
{
    static_assert(Ok,
                  "tegula: a stride of a nested layout is below 0; a stride is 0 or more (the template arguments are "
                  "the level, 0 subgroup or 3 thread, the tensor dimension and the stride)");
};
template <bool Ok, int Level, int Dim, long_index_t Length>
struct distributed_tiles_have_a_stride
{
    static_assert(Ok,
                  "tegula: a subgroup or thread tile above 1 has stride 0, which leaves elements without an owner; "
                  "give it a stride, or make it a batch tile (the template arguments are the level, 0 subgroup or 3 "
                  "thread, the tensor dimension and the tile)");
};
template <bool Ok, int Level, int Dim, long_index_t Stride, long_index_t Span>
struct digits_stand_apart
{
    static_assert(Ok,
                  "tegula: a stride of a nested layout is no multiple of what the smaller strides span (the template "
                  "arguments are the level, 0 subgroup or 3 thread, the tensor dimension, the stride and the span)");
};
template <bool Ok, int Level, int Dim, long_index_t Span, long_index_t Threads>
struct digits_fit_the_workgroup
{
    static_assert(Ok, "tegula: the digits of a nested layout span more threads than there are, or do not divide them "
                      "(the template arguments are the level of the last digit, its tensor dimension, the span and the "
                      "number of subgroups, of lanes, or of threads)");
};
template <bool Ok, long_index_t Lanes, long_index_t Subgroups>
struct workgroup_has_threads
{
    static_assert(Ok,
                  "tegula: a workgroup needs at least one subgroup of at least one lane (the template arguments are "
                  "the lanes and the subgroups)");
};
template <bool Ok>
struct sizes_fit_64_bits
{
    static_assert(Ok, "tegula: the product of a nested layout's tiles does not fit 63 bits; use a smaller tile");
};

} // namespace nested_rules

namespace detail {

constexpr nested_violation find_violation(const nested_violations& found, nested_rule rule, bool& ok)
{
    for (const nested_violation& v : found)
        if (v.rule == rule) {
            ok = false;
            return v;
        }
    return {};
}

struct nested_check
{
    bool ok = true;
    nested_violation at;
    constexpr nested_check(const nested_violations& found, nested_rule rule) : at(find_violation(found, rule, ok)) {}
};

/// True when Source::layout is valid over Source::workgroup; otherwise the compilation stops at a rule it breaks.
template <class Source>
consteval bool enforce_nested_rules()
{
    constexpr auto found = validate(Source::layout, Source::workgroup);
    if constexpr (!found.empty()) {
        constexpr nested_check rank(found, nested_rule::same_rank), tile(found, nested_rule::tile_is_positive),
            negative(found, nested_rule::stride_not_negative), none(found, nested_rule::workgroup_is_positive),
            hole(found, nested_rule::tile_has_a_stride), apart(found, nested_rule::digits_stand_apart),
            fit(found, nested_rule::digits_fit_workgroup), size(found, nested_rule::size_fits_encoding);
        (void)sizeof(nested_rules::arrays_have_one_entry_a_dimension<rank.ok>);
        (void)sizeof(nested_rules::tiles_are_positive<tile.ok, tile.at.level, tile.at.dim, tile.at.value>);
        (void)sizeof(
            nested_rules::strides_are_not_negative<negative.ok, negative.at.level, negative.at.dim, negative.at.value>);
        (void)sizeof(nested_rules::workgroup_has_threads<none.ok, none.at.value, none.at.limit>);
        (void)sizeof(nested_rules::distributed_tiles_have_a_stride<hole.ok, hole.at.level, hole.at.dim, hole.at.value>);
        (void)sizeof(
            nested_rules::digits_stand_apart<apart.ok, apart.at.level, apart.at.dim, apart.at.value, apart.at.limit>);
        (void)sizeof(
            nested_rules::digits_fit_the_workgroup<fit.ok, fit.at.level, fit.at.dim, fit.at.value, fit.at.limit>);
        (void)sizeof(nested_rules::sizes_fit_64_bits<size.ok>);
    }
    return found.empty();
}

template <index_t... Is>
constexpr nested_value::lengths_type to_nested_lengths(sequence<Is...>)
{
    nested_value::lengths_type v;
    (v.push_back(Is), ...);
    return v;
}

} // namespace detail

/// A nested layout as a type, made only of types and integers. `value` is the nested_value all algebra works on.
///
///     nested_layout<subgroup_tile<2, 1>, batch_tile<1, 2>, outer_tile<1, 1>, thread_tile<8, 8>, element_tile<1, 4>,
///                   subgroup_strides<1, 0>, thread_strides<8, 1>>
template <class SubgroupTile, class BatchTile, class OuterTile, class ThreadTile, class ElementTile,
          class SubgroupStrides, class ThreadStrides>
struct nested_layout;

template <index_t... S, index_t... B, index_t... O, index_t... T, index_t... E, index_t... Ss, index_t... Ts>
struct nested_layout<subgroup_tile<S...>, batch_tile<B...>, outer_tile<O...>, thread_tile<T...>, element_tile<E...>,
                     subgroup_strides<Ss...>, thread_strides<Ts...>>
{
    static constexpr nested_value value{
        detail::to_nested_lengths(sequence<S...>{}), detail::to_nested_lengths(sequence<B...>{}),
        detail::to_nested_lengths(sequence<O...>{}), detail::to_nested_lengths(sequence<T...>{}),
        detail::to_nested_lengths(sequence<E...>{}), detail::to_nested_lengths(sequence<Ss...>{}),
        detail::to_nested_lengths(sequence<Ts...>{})};
};

namespace detail {

template <class Nested, index_t SubgroupSize, index_t Subgroups>
struct nested_source
{
    static constexpr const nested_value& layout = Nested::value;
    static constexpr workgroup_shape workgroup{SubgroupSize, Subgroups};
    static_assert(enforce_nested_rules<nested_source>());
    static constexpr encoding_value raw = to_encoding(layout, workgroup);
};

template <class Source, class Dims>
struct canonical_nested;

template <class Source, int... D>
struct canonical_nested<Source, std::integer_sequence<int, D...>>
{
    static constexpr nested_value v = Source::value;
    using type = nested_layout<subgroup_tile<v.subgroup_tile[D]...>, batch_tile<v.batch_tile[D]...>,
                               outer_tile<v.outer_tile[D]...>, thread_tile<v.thread_tile[D]...>,
                               element_tile<v.element_tile[D]...>, subgroup_strides<v.subgroup_strides[D]...>,
                               thread_strides<v.thread_strides[D]...>>;
};

} // namespace detail

/// The tile_distribution_encoding of a nested layout over a workgroup of `Subgroups` subgroups of `SubgroupSize` lanes.
/// A layout that leaves elements without an owner, or that the workgroup cannot hold, does not compile.
template <class Nested, index_t SubgroupSize, index_t Subgroups>
using nested_encoding = encoding_from<detail::nested_source<Nested, SubgroupSize, Subgroups>>;

/// The nested_layout of Source, a type with a static constexpr nested_value `value`: this is how the result of an
/// operation becomes a type again.
template <class Source>
using nested_from = typename detail::canonical_nested<Source, internal::count_to<Source::value.rank()>>::type;

} // namespace tegula
