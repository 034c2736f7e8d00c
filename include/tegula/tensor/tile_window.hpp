#pragma once

#include <tegula/layout/access_plan.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula {

namespace encoding_rules {
template <bool Ok, int Given, int Dimensions>
struct index_for_each_dimension
{
    static_assert(Ok, "tegula: the origin and the steps of a window have one index for each dimension of its view (the "
                      "template arguments are the indices given and the dimensions)");
};
template <bool Ok>
struct origin_in_braces
{
    static_assert(Ok,
                  "tegula: the origin of a window is written in braces, with an index for each dimension of its view: "
                  "make_tile_window<distribution>(view, {row, column})");
};
} // namespace encoding_rules

namespace detail {

/// The length of vectors along `dim` whose elements are adjacent in memory. They start at every multiple of it. 1 if
/// the descriptor guarantees none.
template <class Descriptor>
consteval index_t contiguous_length(int dim)
{
    if constexpr (requires { Descriptor::guaranteed_vector_stride(0); })
        return Descriptor::guaranteed_vector_stride(dim) == 1 ? Descriptor::guaranteed_vector_length(dim) : 1;
    else
        return Descriptor::guaranteed_vector_length(dim);
}

/// The dimension with the greatest contiguous_length; if several have it, the last of them.
template <class Descriptor>
consteval int find_vector_dim()
{
    int dim = Descriptor::num_dims - 1;
    for (int i = dim; i >= 0; --i)
        if (contiguous_length<Descriptor>(i) > contiguous_length<Descriptor>(dim))
            dim = i;
    return dim;
}

/// Moves a coordinate by a compile-time step. Parts of the coordinate that the step cannot change cost nothing.
template <class Descriptor, class Coordinate, index_t... Steps>
constexpr TEGULA_INLINE void move_by_constant(const Descriptor& descriptor, Coordinate& coordinate, sequence<Steps...>)
{
    if constexpr (requires { move_coordinate(descriptor, coordinate, sequence<Steps...>{}); })
        move_coordinate(descriptor, coordinate, sequence<Steps...>{});
    else
        move_coordinate(descriptor, coordinate, multi_index<sizeof...(Steps)>{Steps...});
}

/// a + b by component.
template <int N, int... Is>
TEGULA_INLINE multi_index<N> add_indices(const multi_index<N>& a, const multi_index<N>& b,
                                         std::integer_sequence<int, Is...>)
{
    return {a[Is] + b[Is]...};
}

template <int N, int... Is>
constexpr TEGULA_INLINE multi_index<N> to_index(const index_t (&x)[N], std::integer_sequence<int, Is...>)
{
    return {x[Is]...};
}

/// An index written in braces. An array would take zeros for the components left out.
template <int Dims, int N>
constexpr TEGULA_INLINE multi_index<Dims> index_of_all(const index_t (&x)[N])
{
    static_assert(sizeof(encoding_rules::index_for_each_dimension < N == Dims, N, Dims >));
    if constexpr (N == Dims)
        return to_index(x, std::make_integer_sequence<int, N>{});
    else
        return {};
}

template <int Dim, index_t Step, int... Is>
sequence<(Is == Dim ? Step : 0)...> step_along(std::integer_sequence<int, Is...>);

template <class Plan, int A, int... Is>
sequence<Plan::step(A)[Is]...> step_of_access(std::integer_sequence<int, Is...>);

/// One element; takes the place of a distribution that does not fit, so that the assertion is the only error.
template <int Dims, class = std::make_integer_sequence<int, Dims>>
struct distribution_of_one;
template <int Dims, int... Is>
struct distribution_of_one<Dims, std::integer_sequence<int, Is...>>
{
    using type = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<1 + 0 * Is>...>, tuple<>,
                                                              tuple<>, sequence<(Is + 1)...>, sequence<(0 * Is)...>>>;
};
template <class Distribution, int Dims>
struct fitting_distribution
{
    static constexpr bool fits = Distribution::num_x == Dims;
    using type = Distribution;
};
template <class Distribution, int Dims>
    requires(Distribution::num_x != Dims)
struct fitting_distribution<Distribution, Dims> : distribution_of_one<Dims>
{
    static constexpr bool fits = false;
};

} // namespace detail

/// A tile of a tensor, with the calling lane's place in it computed once.
///
/// The window starts at `origin` of the view and has the lengths of the distribution's tile. Its coordinate is that of
/// the lane's first element; move() adds a step to it. Parts of the tile may lie outside the view, also before its
/// start. Loads give each such element a fill value, stores skip it.
///
/// An access moves `plan::vector` elements along `vector_dim`, the dimension that is contiguous in memory. That is at
/// most 16 bytes, and more than one element only if the descriptor guarantees vectors and the distribution gives a lane
/// adjacent elements. Then preconditions are: origin and moves are multiples of it along vector_dim, and the view's
/// data is aligned to it. For other origins make the view with a run-time stride 1 or, if strides are run-time values,
/// without a promise: accesses are then single elements.
template <class View, class Distribution>
struct tile_window
{
private:
    using fitting = detail::fitting_distribution<distribution_of<Distribution>, View::num_dims>;

public:
    using view_type = View;
    using distribution = typename fitting::type;
    using target = typename View::target;
    using value_type = typename View::value_type;
    using descriptor_type = typename View::descriptor_type;
    using coordinate_type = decltype(make_coordinate(std::declval<descriptor_type>(), multi_index<View::num_dims>{}));

    static constexpr int num_dims = View::num_dims;
    static constexpr int vector_dim = detail::find_vector_dim<descriptor_type>();
    /// Longest vector the memory and the target allow, in elements.
    static constexpr int max_vector = [] {
        const index_t elements = detail::contiguous_length<descriptor_type>(vector_dim);
        const int widest = sizeof(value_type) < 16 ? 16 / static_cast<int>(sizeof(value_type)) : 1;
        return elements < widest ? static_cast<int>(elements) : widest;
    }();
    using plan = access_plan<distribution, vector_dim, max_vector>;

    View view;
    coordinate_type coordinate;

    /// Moves the window by `step`, in elements of the view.
    constexpr TEGULA_INLINE void move(const multi_index<num_dims>& step)
    {
        move_coordinate(view.descriptor, coordinate, step);
    }
    /// Moves the window by a step written in braces, of one index for each dimension.
    template <int N>
    constexpr TEGULA_INLINE void move(const index_t (&step)[N])
    {
        move(detail::index_of_all<num_dims>(step));
    }
    template <int N>
        requires(N != num_dims)
    constexpr TEGULA_INLINE void move(const array<index_t, N>& step)
    {
        move(step.values);
    }
    /// Moves the window by a step known at compile time.
    template <index_t... Steps>
    constexpr TEGULA_INLINE void move(sequence<Steps...> step)
    {
        static_assert(sizeof...(Steps) == num_dims, "tegula: a step has one component for each dimension");
        detail::move_by_constant(view.descriptor, coordinate, step);
    }

    /// Coordinate of the first element of access A.
    template <int A>
    constexpr TEGULA_INLINE coordinate_type access_coordinate() const
    {
        coordinate_type c = coordinate;
        detail::move_by_constant(view.descriptor, c, decltype(detail::step_of_access<plan, A>(dims{})){});
        return c;
    }

    /// Whether the view has an element at c.
    constexpr TEGULA_INLINE bool contains(const coordinate_type& c) const
    {
        if constexpr (requires { is_valid(view.descriptor, c); })
            return is_valid(view.descriptor, c);
        else
            return view.descriptor.is_valid(c.index());
    }
    /// Whether the view has the element Ahead places after c along vector_dim.
    template <int Ahead>
    constexpr TEGULA_INLINE bool contains(coordinate_type c) const
    {
        detail::move_by_constant(view.descriptor, c, decltype(detail::step_along<vector_dim, Ahead>(dims{})){});
        return contains(c);
    }

private:
    using dims = std::make_integer_sequence<int, num_dims>;

    // Last, because clang leaves out members after an assertion that fails and then reports that they are missing.
    static_assert(fitting::fits,
                  "tegula: the tile distribution and the tensor view differ in the number of dimensions");
};

/// The tile of `view` at `origin`, distributed by Distribution, which may be an encoding, over the calling lanes.
/// tile_window has the preconditions of the origin.
template <class Distribution, class View>
TEGULA_INLINE auto make_tile_window(const View& view, const multi_index<View::num_dims>& origin)
    -> tile_window<View, distribution_of<Distribution>>
{
    using distribution = typename tile_window<View, distribution_of<Distribution>>::distribution;
    const auto in_tile = distribution::origin(partition_index<typename View::target, distribution>());
    const auto x = detail::add_indices(in_tile, origin, std::make_integer_sequence<int, View::num_dims>{});
    return {view, make_coordinate(view.descriptor, x)};
}

/// make_tile_window with an origin written in braces, of one index for each dimension.
template <class Distribution, class View, int N>
TEGULA_INLINE auto make_tile_window(const View& view, const index_t (&origin)[N])
    -> tile_window<View, distribution_of<Distribution>>
{
    return make_tile_window<Distribution>(view, detail::index_of_all<View::num_dims>(origin));
}

// Origins that do not fit: these overloads fail to compile, with one message.
template <class Distribution, class View, int N>
    requires(N != View::num_dims)
TEGULA_INLINE auto make_tile_window(const View& view, const array<index_t, N>& origin)
    -> tile_window<View, distribution_of<Distribution>>
{
    return make_tile_window<Distribution>(view, origin.values);
}
template <class Distribution, class View, class... Indices>
    requires(std::is_convertible_v<Indices, index_t> && ...)
TEGULA_INLINE auto make_tile_window(const View& view, const Indices&...)
    -> tile_window<View, distribution_of<Distribution>>
{
    static_assert(sizeof(encoding_rules::origin_in_braces < sizeof(View) == 0 >));
    return make_tile_window<Distribution>(view, multi_index<View::num_dims>{});
}

} // namespace tegula
