#pragma once

#include <tegula/layout/transform/transforms.hpp>

namespace tegula {

/// The index of every dimension of an adaptor: bottom dimensions first, then each transform's upper dimensions in
/// order; the top dimensions are the last. Bottom indices may be wider (an element offset has 64 bits).
template <class Bottom, int NumBottom, int NumHidden>
struct hidden_index
{
    array<Bottom, NumBottom> bottom;
    array<index_t, NumHidden - NumBottom> rest;

    template <int I>
    constexpr TEGULA_INLINE auto& at()
    {
        if constexpr (I < NumBottom)
            return bottom[I];
        else
            return rest[I - NumBottom];
    }
    template <int I>
    constexpr TEGULA_INLINE const auto& at() const
    {
        if constexpr (I < NumBottom)
            return bottom[I];
        else
            return rest[I - NumBottom];
    }
};

template <class Transforms, class LowerIds, class UpperIds, int NumBottom, int NumTop, class Bottom = index_t>
struct tensor_adaptor;

/// A chain of transforms that maps the index of its top dimensions to the index of its bottom dimensions.
///
/// Transform i takes the hidden dimensions LowerIds[i] (nearer the bottom) and makes the hidden dimensions UpperIds[i].
/// Build it with make_adaptor and chain_adaptors, which number the dimensions.
template <class... Transforms, class... LowerIds, class... UpperIds, int NumBottom, int NumTop, class Bottom>
struct tensor_adaptor<tuple<Transforms...>, tuple<LowerIds...>, tuple<UpperIds...>, NumBottom, NumTop, Bottom>
{
    static constexpr int num_bottom = NumBottom;
    static constexpr int num_top = NumTop;
    static constexpr int num_hidden = (UpperIds::size() + ... + NumBottom);
    static constexpr int num_transforms = sizeof...(Transforms);
    static_assert(num_hidden <= 64, "tegula: an adaptor has at most 64 dimensions, hidden ones included");

    using bottom_type = Bottom;
    using hidden = hidden_index<Bottom, NumBottom, num_hidden>;
    using lower_ids = tuple<LowerIds...>;
    using upper_ids = tuple<UpperIds...>;

    [[no_unique_address]] tuple<Transforms...> transforms;

    /// Length of top dimension I: constant<N> if it is known at compile time, else index_t.
    template <int I>
    constexpr TEGULA_INLINE auto length() const
    {
        static_assert(0 <= I && I < NumTop, "tegula: there is no such top dimension");
        constexpr int id = num_hidden - NumTop + I;
        return get<maker_of(id)>(transforms).template upper_length<place_of(id)>();
    }
    constexpr TEGULA_INLINE multi_index<NumTop> lengths() const { return lengths(top_indices{}); }

    /// One index per bottom dimension. Indices outside the lengths map outside of the data; see is_valid.
    constexpr TEGULA_INLINE array<Bottom, NumBottom> calculate_bottom_index(const multi_index<NumTop>& top) const
    {
        return calculate_hidden_index(top).bottom;
    }

    /// Every dimension's index at once; coordinates keep it.
    constexpr TEGULA_INLINE hidden calculate_hidden_index(const multi_index<NumTop>& top) const
    {
        hidden h{};
        set_top(h, top, top_indices{});
        lower_all(h, transform_indices{});
        return h;
    }

    /// Moves h by `step` of the top dimensions. Moving: bit i is set if the step of top dimension i may not be 0.
    /// Indices that cannot change are not computed.
    template <std::uint64_t Moving = ~std::uint64_t{0}>
    constexpr TEGULA_INLINE void move_hidden_index(hidden& h, const multi_index<NumTop>& step) const
    {
        hidden diff{};
        set_top(diff, step, top_indices{});
        add_top(h, diff, top_indices{});
        update_all<moving_hidden(Moving)>(h, diff, transform_indices{});
    }

    /// Whether every transform finds the index inside its real data (not in padding, not a hole).
    constexpr TEGULA_INLINE bool is_valid(const hidden& h) const { return is_valid(h, transform_indices{}); }

    /// Guarantees of the top dimensions from those of the bottom dimensions.
    static consteval array<vector_guarantee, NumTop> guarantees(const array<vector_guarantee, NumBottom>& bottom)
    {
        array<vector_guarantee, num_hidden> all{};
        for (int i = 0; i < NumBottom; ++i)
            all[i] = bottom[i];
        (raise<Transforms>(all, LowerIds{}, UpperIds{}), ...);
        array<vector_guarantee, NumTop> top{};
        for (int i = 0; i < NumTop; ++i)
            top[i] = all[num_hidden - NumTop + i];
        return top;
    }

private:
    using top_indices = std::make_integer_sequence<int, NumTop>;
    using transform_indices = std::make_integer_sequence<int, num_transforms>;

    template <int... Is>
    constexpr TEGULA_INLINE multi_index<NumTop> lengths(std::integer_sequence<int, Is...>) const
    {
        return {static_cast<index_t>(length<Is>())...};
    }
    template <int... Is>
    static constexpr TEGULA_INLINE void set_top(hidden& h, const multi_index<NumTop>& top,
                                                std::integer_sequence<int, Is...>)
    {
        ((h.template at<num_hidden - NumTop + Is>() = top[Is]), ...);
    }
    template <int... Is>
    static constexpr TEGULA_INLINE void add_top(hidden& h, const hidden& diff, std::integer_sequence<int, Is...>)
    {
        ((h.template at<num_hidden - NumTop + Is>() += diff.template at<num_hidden - NumTop + Is>()), ...);
    }

    // From the top down, transform by transform.
    template <int... Is>
    constexpr TEGULA_INLINE void lower_all(hidden& h, std::integer_sequence<int, Is...>) const
    {
        constexpr int last = num_transforms - 1;
        (lower(get<last - Is>(transforms), h, tuple_element<last - Is, lower_ids>{},
               tuple_element<last - Is, upper_ids>{}),
         ...);
    }
    template <class Transform, index_t... Lower, index_t... Upper>
    static constexpr TEGULA_INLINE void lower(const Transform& transform, hidden& h, sequence<Lower...>,
                                              sequence<Upper...>)
    {
        if constexpr (sizeof...(Lower) > 0) {
            const auto index =
                map_to_lower<lower_type<Lower...>>(transform, multi_index<sizeof...(Upper)>{h.template at<Upper>()...});
            int i = 0;
            ((h.template at<Lower>() = index[i++]), ...);
        }
    }

    template <std::uint64_t Moving, int... Is>
    constexpr TEGULA_INLINE void update_all(hidden& h, hidden& diff, std::integer_sequence<int, Is...>) const
    {
        constexpr int last = num_transforms - 1;
        (update<Moving>(get<last - Is>(transforms), h, diff, tuple_element<last - Is, lower_ids>{},
                        tuple_element<last - Is, upper_ids>{}),
         ...);
    }
    template <std::uint64_t Moving, class Transform, index_t... Lower, index_t... Upper>
    static constexpr TEGULA_INLINE void update(const Transform& transform, hidden& h, hidden& diff, sequence<Lower...>,
                                               sequence<Upper...>)
    {
        if constexpr (sizeof...(Lower) > 0 && (moves(Moving, Upper) || ...)) {
            using low = lower_type<Lower...>;
            array<low, sizeof...(Lower)> index{h.template at<Lower>()...};
            array<low, sizeof...(Lower)> change{};
            update_lower_index<low>(transform, change, index,
                                    multi_index<sizeof...(Upper)>{diff.template at<Upper>()...},
                                    multi_index<sizeof...(Upper)>{h.template at<Upper>()...});
            int i = 0;
            ((h.template at<Lower>() = index[i++]), ...);
            i = 0;
            ((diff.template at<Lower>() = change[i++]), ...);
        }
    }

    template <int... Is>
    constexpr TEGULA_INLINE bool is_valid(const hidden& h, std::integer_sequence<int, Is...>) const
    {
        return (is_valid_at(get<Is>(transforms), h, UpperIds{}) && ...);
    }
    template <class Transform, index_t... Upper>
    static constexpr TEGULA_INLINE bool is_valid_at(const Transform& transform, const hidden& h, sequence<Upper...>)
    {
        return is_valid_upper_index(transform, multi_index<sizeof...(Upper)>{h.template at<Upper>()...});
    }

    // Lower indices of a transform are wide if all of them are bottom dimensions; no others are.
    template <index_t... Lower>
    using lower_type = std::conditional_t<((Lower < NumBottom) && ...), Bottom, index_t>;

    static constexpr TEGULA_HOST_DEVICE bool moves(std::uint64_t moving, int id) { return (moving >> id) & 1; }

    static consteval std::uint64_t moving_hidden(std::uint64_t top)
    {
        std::uint64_t moving = 0;
        for (int i = 0; i < NumTop; ++i)
            moving |= std::uint64_t{moves(top, i)} << (num_hidden - NumTop + i);
        // Transforms are listed bottom first. As many passes as there are transforms miss nothing.
        for (int pass = 0; pass < num_transforms; ++pass)
            ((moving |= moving_lower(moving, LowerIds{}, UpperIds{})), ...);
        return moving;
    }
    template <index_t... Lower, index_t... Upper>
    static consteval std::uint64_t moving_lower([[maybe_unused]] std::uint64_t moving, sequence<Lower...>,
                                                sequence<Upper...>)
    {
        return (moves(moving, Upper) || ...) ? ((std::uint64_t{1} << Lower) | ... | std::uint64_t{0}) : 0;
    }

    template <class Transform, index_t... Lower, index_t... Upper>
    static consteval void raise(array<vector_guarantee, num_hidden>& all, sequence<Lower...>, sequence<Upper...>)
    {
        [[maybe_unused]] const auto upper =
            Transform::upper_guarantees(array<vector_guarantee, sizeof...(Lower)>{all[Lower]...});
        int i = 0;
        ((all[Upper] = upper[i++]), ...);
    }

    /// The transform that makes hidden dimension id, and which of its upper dimensions that is.
    static consteval int maker_of(int id)
    {
        int maker = 0, transform = 0;
        ((maker = position(id, UpperIds{}) >= 0 ? transform : maker, ++transform), ...);
        return maker;
    }
    static consteval int place_of(int id)
    {
        int place = 0;
        ((place = position(id, UpperIds{}) >= 0 ? position(id, UpperIds{}) : place), ...);
        return place;
    }
    template <index_t... Ids>
    static consteval int position(int id, sequence<Ids...>)
    {
        int found = -1, i = 0;
        ((found = Ids == id ? i : found, ++i), ...);
        return found;
    }
};

/// The rules of a list of transforms, each naming the offender.
template <bool Ok, int Dimension>
struct every_lower_dimension_has_one_transform
{
    static_assert(
        Ok, "tegula: every dimension below must be taken by exactly one transform; pass_through keeps one as it is "
            "(the template argument is the dimension)");
};
template <bool Ok, int Dimension>
struct every_upper_dimension_has_one_transform
{
    static_assert(Ok, "tegula: the upper dimensions of all transforms together must be 0, 1, 2, ... once each "
                      "(the template argument is the dimension)");
};
template <bool Ok, int Transform>
struct transform_has_its_number_of_dimensions
{
    static_assert(Ok, "tegula: a transform is given more or fewer lower or upper dimensions than it has "
                      "(the template argument is its position in the list)");
};

namespace detail {
/// The first of 0 .. count-1 that is not exactly once in the ids, or -1. If an id is out of range, another is missing.
template <class... Ids>
consteval int first_misnumbered(tuple<Ids...>)
{
    constexpr int count = (Ids::size() + ... + 0);
    int uses[count + 1] = {};
    [[maybe_unused]] const auto use = [&]<index_t... Is>(sequence<Is...>) {
        ((Is >= 0 && Is < count ? ++uses[Is] : 0), ...);
    };
    (use(Ids{}), ...);
    for (int i = 0; i < count; ++i)
        if (uses[i] != 1)
            return i;
    return -1;
}

template <class... Transforms, class... Lower, class... Upper>
consteval int first_misfit(const tuple<Transforms...>*, tuple<Lower...>, tuple<Upper...>)
{
    int misfit = -1, i = 0;
    ((misfit =
          misfit < 0 && (Transforms::num_lower != Lower::size() || Transforms::num_upper != Upper::size()) ? i : misfit,
      ++i),
     ...);
    return misfit;
}

template <index_t... Ids>
sequence<Ids...> shifted_ids(sequence<Ids...>, constant<0>);
template <index_t... Ids, index_t By>
sequence<(Ids + By)...> shifted_ids(sequence<Ids...>, constant<By>);

template <class Ids, int By>
struct shift_ids;
template <class... Ids, int By>
struct shift_ids<tuple<Ids...>, By>
{
    using type = tuple<decltype(shifted_ids(Ids{}, constant<By>{}))...>;
};

template <class Ids>
inline constexpr int count_ids = 0;
template <class... Ids>
inline constexpr int count_ids<tuple<Ids...>> = (Ids::size() + ... + 0);

template <class A, class B>
struct concatenation;
template <class... As, class... Bs>
struct concatenation<tuple<As...>, tuple<Bs...>>
{
    using type = tuple<As..., Bs...>;
};
} // namespace detail

/// One stage: transform i takes bottom dimensions LowerIds[i] and makes top dimensions UpperIds[i].
///
/// transforms  tuple of transforms
/// lower, upper  tuples of sequences, one sequence per transform; all bottom dimensions 0, 1, ... are named once in
///             `lower`, all top dimensions once in `upper`
template <class Bottom = index_t, class... Transforms, class... LowerIds, class... UpperIds>
constexpr TEGULA_INLINE auto make_adaptor(const tuple<Transforms...>& transforms, tuple<LowerIds...> lower,
                                          tuple<UpperIds...> upper)
{
    using lower_ids = tuple<LowerIds...>;
    using upper_ids = tuple<UpperIds...>;
    static_assert(sizeof...(Transforms) == sizeof...(LowerIds) && sizeof...(Transforms) == sizeof...(UpperIds),
                  "tegula: each transform needs one sequence of lower and one of upper dimensions");
    constexpr int bad_lower = detail::first_misnumbered(lower_ids{});
    constexpr int bad_upper = detail::first_misnumbered(upper_ids{});
    constexpr int misfit =
        detail::first_misfit(static_cast<const tuple<Transforms...>*>(nullptr), lower_ids{}, upper_ids{});
    (void)every_lower_dimension_has_one_transform<(bad_lower < 0), bad_lower>{};
    (void)every_upper_dimension_has_one_transform<(bad_upper < 0), bad_upper>{};
    (void)transform_has_its_number_of_dimensions<(misfit < 0), misfit>{};
    (void)lower;
    (void)upper;

    constexpr int num_bottom = detail::count_ids<lower_ids>;
    constexpr int num_top = detail::count_ids<upper_ids>;
    using shifted_upper = typename detail::shift_ids<upper_ids, num_bottom>::type;
    return tensor_adaptor<tuple<Transforms...>, lower_ids, shifted_upper, num_bottom, num_top, Bottom>{transforms};
}

/// `over` stacked on `under`: the bottom dimensions of `over` are the top dimensions of `under`.
template <class Under, class Over>
constexpr TEGULA_INLINE auto chain_adaptors(const Under& under, const Over& over)
{
    static_assert(Under::num_top == Over::num_bottom,
                  "tegula: the upper adaptor must have as many bottom dimensions as the lower one has top dimensions");
    constexpr int shift = Under::num_hidden - Under::num_top;
    using lower_ids =
        typename detail::concatenation<typename Under::lower_ids,
                                       typename detail::shift_ids<typename Over::lower_ids, shift>::type>::type;
    using upper_ids =
        typename detail::concatenation<typename Under::upper_ids,
                                       typename detail::shift_ids<typename Over::upper_ids, shift>::type>::type;
    using transforms = typename detail::concatenation<decltype(Under::transforms), decltype(Over::transforms)>::type;
    return tensor_adaptor<transforms, lower_ids, upper_ids, Under::num_bottom, Over::num_top,
                          typename Under::bottom_type>{internal::concatenate(under.transforms, over.transforms)};
}

/// One more stage of transforms on top of an adaptor: `lower` names its top dimensions, `upper` the new ones.
template <class Adaptor, class Transforms, class LowerIds, class UpperIds>
constexpr TEGULA_INLINE auto transform_adaptor(const Adaptor& adaptor, const Transforms& transforms, LowerIds lower,
                                               UpperIds upper)
{
    return chain_adaptors(adaptor, make_adaptor(transforms, lower, upper));
}

} // namespace tegula
