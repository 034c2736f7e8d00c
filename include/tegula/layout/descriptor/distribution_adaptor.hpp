#pragma once

#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/layout/distribution.hpp>

namespace tegula {

namespace detail {

/// The transforms of an encoding. Its digits are numbered R first, then each X dimension's, in order.
template <class Encoding>
struct distribution_chain;

template <class Rs, class... Hs, class... PsMajor, class... PsMinor, index_t... YsMajor, index_t... YsMinor>
struct distribution_chain<tile_distribution_encoding<Rs, tuple<Hs...>, tuple<PsMajor...>, tuple<PsMinor...>,
                                                     sequence<YsMajor...>, sequence<YsMinor...>>>
{
    using encoding = tile_distribution_encoding<Rs, tuple<Hs...>, tuple<PsMajor...>, tuple<PsMinor...>,
                                                sequence<YsMajor...>, sequence<YsMinor...>>;
    static_assert(encoding::value.num_x() == sizeof...(Hs)); // refuses an invalid encoding first

    static constexpr int num_x = sizeof...(Hs);
    static constexpr int num_p = sizeof...(PsMajor);
    static constexpr int num_y = sizeof...(YsMajor);

    static consteval int digit(int major, int minor)
    {
        const int sizes[num_x + 1] = {Rs::size(), Hs::size()...};
        for (int i = 0; i < major; ++i)
            minor += sizes[i];
        return minor;
    }
    static consteval index_t digit_length(int major, int minor)
    {
        index_t length = major == 0 ? Rs::at(minor) : 1;
        int i = 0;
        ((length = ++i == major ? Hs::at(minor) : length), ...);
        return length;
    }

    /// The digits of one RH major: First, First + 1, ...
    template <int First, class Lengths>
    using digits_from = decltype(counted_sequence<First>(std::make_integer_sequence<int, Lengths::size()>{}));

    template <class Major, class Minor>
    struct partition;
    template <index_t... Major, index_t... Minor>
    struct partition<sequence<Major...>, sequence<Minor...>>
    {
        using digits = sequence<digit(Major, Minor)...>;
        using lengths = sequence<digit_length(Major, Minor)...>;
    };

    using y_lengths = sequence<digit_length(YsMajor, YsMinor)...>;

    /// The stage from X dimensions to their digits, which adds the replication digits.
    template <int... Xs>
    static constexpr TEGULA_INLINE auto split_xs(std::integer_sequence<int, Xs...>)
    {
        return make_adaptor(make_tuple(make_replicate_transform(Rs{}), make_unmerge_transform(Hs{})...),
                            tuple<sequence<>, sequence<Xs>...>{},
                            tuple<digits_from<0, Rs>, digits_from<digit(Xs + 1, 0), Hs>...>{});
    }
    /// The stage from digits to P and Y dimensions.
    template <int... Ps, int... Ys>
    static constexpr TEGULA_INLINE auto join_ps_ys(std::integer_sequence<int, Ps...>, std::integer_sequence<int, Ys...>)
    {
        return make_adaptor(
            make_tuple(make_merge_transform(typename partition<PsMajor, PsMinor>::lengths{})...,
                       make_pass_through_transform(constant<digit_length(YsMajor, YsMinor)>{})...),
            tuple<typename partition<PsMajor, PsMinor>::digits..., sequence<digit(YsMajor, YsMinor)>...>{},
            tuple<sequence<Ps>..., sequence<(num_p + Ys)>...>{});
    }
};

} // namespace detail

/// The adaptor of an encoding: bottom dimensions are the tensor dimensions X of the tile, top dimensions P, then Y.
/// Made of one replicate, one unmerge for each X and one merge for each P; all lengths are compile-time.
template <class Encoding>
constexpr TEGULA_INLINE auto make_ps_ys_to_xs_adaptor(Encoding = {})
{
    using chain = detail::distribution_chain<Encoding>;
    return chain_adaptors(chain::split_xs(std::make_integer_sequence<int, chain::num_x>{}),
                          chain::join_ps_ys(std::make_integer_sequence<int, chain::num_p>{},
                                            std::make_integer_sequence<int, chain::num_y>{}));
}

/// The register in which a lane keeps each of its elements: a descriptor over the Y dimensions.
/// YStrides is packed_registers (row-major in Y order) or a sequence of one stride per Y, in elements.
template <class Encoding, class YStrides = packed_registers>
constexpr TEGULA_INLINE auto make_ys_to_d_descriptor(Encoding = {}, YStrides = {})
{
    using lengths = typename detail::distribution_chain<Encoding>::y_lengths;
    if constexpr (is_sequence<YStrides>)
        return make_strided_descriptor(lengths{}, YStrides{});
    else
        return make_packed_descriptor(lengths{});
}

} // namespace tegula
