#pragma once

#include <tegula/tensor/access.hpp>

namespace tegula {

namespace detail {

template <class View, class Distribution, class... Indices>
consteval bool check_indices()
{
    static_assert(sizeof...(Indices) == View::num_dims,
                  "tegula: gather and scatter take one tile of indices for each dimension of the view");
    static_assert((same_distribution<Distribution, typename Indices::distribution> && ...),
                  "tegula: the tiles of indices and of values differ in their distribution; convert() them first");
    return true;
}

/// Pointer to an element of a view, and whether the element is inside.
template <class View>
struct element_place
{
    decltype(View::data) pointer;
    bool inside;
};

template <class View>
TEGULA_INLINE element_place<View> locate(const View& view, const multi_index<View::num_dims>& x)
{
    const bool inside = view.descriptor.is_valid(x);
#if !TEGULA_DEVICE_PASS
    if (View::target::labels_enabled())
        View::target::set_element(view.name, x.values, View::num_dims, view.data);
#endif
    const long_index_t offset = make_coordinate(view.descriptor, x).offset();
    return {view.data + (inside ? offset : 0), inside};
}

/// Calls body(register, element_place) for every element the lane holds that is `mine`.
TEGULA_CALLS_BACK
template <class Distribution, class View, class Body, class... Indices>
TEGULA_INLINE void for_each_place(const View& view, const Body& body, const Indices&... indices)
{
    static_for<Distribution::num_elements>([&](auto n) {
        constexpr int r = Distribution::register_at(Distribution::step(n));
        const multi_index<View::num_dims> x{static_cast<index_t>(indices[r])...};
        body(constant<r>{}, locate(view, x));
    });
}

} // namespace detail

/// Reads view[index...] element by element: one tile of indices for each dimension of the view, all of one
/// distribution. Elements outside the view are `fill`. Neighbours in memory are not read together: it is better to load
/// rows of a table through a window for each row.
template <class View, class First, class... Others>
TEGULA_INLINE auto gather(const View& view, value_at_call<typename View::value_type> fill, const First& index,
                          const Others&... others)
{
    using distribution = typename First::distribution;
    using value_type = typename View::value_type;
    using target = typename View::target;
    static_assert(detail::check_indices<View, distribution, First, Others...>());
    distributed_tensor<value_type, distribution> result;
    detail::for_each_place<distribution>(
        view,
        [&](auto r, const auto& place) {
            const value_type read = detail::read_scalar<target, View::space>(place.pointer, place.inside, fill.where);
            result[r] = choose(place.inside, read, fill.value);
        },
        index, others...);
    return result;
}

namespace detail {
template <class View, class T, class Distribution, class... Indices>
TEGULA_INLINE void scatter_at(call_site where, const View& view, const distributed_tensor<T, Distribution>& values,
                              const Indices&... indices)
{
    using target = typename View::target;
    static_assert(check_indices<View, Distribution, Indices...>());
    static_assert(std::is_same_v<T, typename View::element_type>,
                  "tegula: the tile and the view differ in their element type; cast() the tile");
    const bool mine = Distribution::is_first_replica(partition_index<target, Distribution>());
    for_each_place<Distribution>(
        view,
        [&](auto r, const auto& place) {
            write_scalar<target, View::space>(place.pointer, values[r], place.inside && mine, where);
        },
        indices...);
}

template <class View, class T, class Distribution, class... Indices>
TEGULA_INLINE void scatter_add_at(call_site where, const View& view, const distributed_tensor<T, Distribution>& values,
                                  const Indices&... indices)
{
    using target = typename View::target;
    static_assert(check_indices<View, Distribution, Indices...>());
    static_assert(View::space != address_space::registers, "tegula: scatter_add adds to global or shared memory");
    static_assert(std::is_same_v<T, typename View::element_type>,
                  "tegula: the tile and the view differ in their element type; cast() the tile");
    const bool mine = Distribution::is_first_replica(partition_index<target, Distribution>());
    for_each_place<Distribution>(
        view,
        [&](auto r, const auto& place) {
            if (!place.inside || !mine)
                return;
            if constexpr (View::space == address_space::global)
                target::atomic_add(place.pointer, values[r], where);
            else
                target::template shared_atomic<atomic_op::add>(place.pointer, values[r], where);
        },
        indices...);
}
} // namespace detail

/// view[index...] = value, element by element. Elements outside the view are left out; one replica of an element is
/// written. Two elements with the same indices race. (There is an overload for each usual number of indices: after a
/// pack there could be no default argument, which gives reports the line of the call.)
template <class View, class T, class Distribution, class I0>
TEGULA_INLINE void scatter(const View& view, const distributed_tensor<T, Distribution>& values, const I0& i0,
                           call_site where = call_site::here())
{
    detail::scatter_at(where, view, values, i0);
}
template <class View, class T, class Distribution, class I0, class I1>
TEGULA_INLINE void scatter(const View& view, const distributed_tensor<T, Distribution>& values, const I0& i0,
                           const I1& i1, call_site where = call_site::here())
{
    detail::scatter_at(where, view, values, i0, i1);
}
template <class View, class T, class Distribution, class... Indices>
    requires(sizeof...(Indices) > 2)
TEGULA_INLINE void scatter(const View& view, const distributed_tensor<T, Distribution>& values,
                           const Indices&... indices)
{
    detail::scatter_at(call_site::here(), view, values, indices...);
}

/// view[index...] += value by atomic additions, of float or int in global memory, also of unsigned int in shared
/// memory: elements with the same indices add up.
template <class View, class T, class Distribution, class I0>
TEGULA_INLINE void scatter_add(const View& view, const distributed_tensor<T, Distribution>& values, const I0& i0,
                               call_site where = call_site::here())
{
    detail::scatter_add_at(where, view, values, i0);
}
template <class View, class T, class Distribution, class I0, class I1>
TEGULA_INLINE void scatter_add(const View& view, const distributed_tensor<T, Distribution>& values, const I0& i0,
                               const I1& i1, call_site where = call_site::here())
{
    detail::scatter_add_at(where, view, values, i0, i1);
}
template <class View, class T, class Distribution, class... Indices>
    requires(sizeof...(Indices) > 2)
TEGULA_INLINE void scatter_add(const View& view, const distributed_tensor<T, Distribution>& values,
                               const Indices&... indices)
{
    detail::scatter_add_at(call_site::here(), view, values, indices...);
}

} // namespace tegula
