#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/tile_window.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// Whether an access compares its coordinates with the lengths of the view. `unchecked` is for tiles known to lie
/// inside; the emulator still reports an access outside the memory.
enum class bounds { checked, unchecked };

/// The bounds of load and store by default: checked for views of memory, unchecked for registers, which windows cover.
template <class Window>
inline constexpr bounds default_bounds =
    Window::view_type::space == address_space::registers ? bounds::unchecked : bounds::checked;

/// Whether each vector of a view lies wholly inside or wholly outside; the descriptor promises it by `whole_vectors`.
template <class View>
inline constexpr bool has_whole_vectors = false;
template <class View>
    requires(View::descriptor_type::whole_vectors)
inline constexpr bool has_whole_vectors<View> = true;

/// One vector access of one lane: where it starts and which of its elements lie inside the view.
template <bounds Bounds, class Window>
struct lane_access
{
    using coordinate_type = typename Window::coordinate_type;
    using view_type = typename Window::view_type;
    using value_type = typename Window::value_type;
    static constexpr int vector = Window::plan::vector;

    const Window& window;
    coordinate_type coordinate;
    bool all;          ///< every element is inside
    call_site where{}; ///< line of the call, for reports

    TEGULA_INLINE auto* pointer(int element = 0) const { return window.view.data + coordinate.offset() + element; }

    TEGULA_INLINE bool contains(int element) const
    {
        if constexpr (Bounds == bounds::unchecked)
            return true;
        multi_index<Window::num_dims> x = coordinate.index();
        x[Window::vector_dim] += element;
        return window.view.descriptor.is_valid(x);
    }

#if !TEGULA_DEVICE_PASS
    /// Memory may continue after the view, so nothing else finds an access outside the view.
    void require_valid(bool inside) const
    {
        if (!inside)
            arch::emulation::fail("an access to an element that the view does not have",
                                  "keep the window inside its view, or let it check bounds", where);
    }
    /// require_valid for the last element of a vector that begins at x.
    void require_valid_end(const char* name, const void* data, multi_index<Window::num_dims> x) const
    {
        x[Window::vector_dim] += vector - 1;
        if (!window.view.descriptor.is_valid(x)) {
            Window::target::set_element(name, x.values, Window::num_dims, data);
            require_valid(false);
        }
    }
#endif

    /// Tells the emulator which element the next access touches first.
    TEGULA_INLINE void label(int element = 0) const { label_of(window.view.name, window.view.data, element); }
    /// label() for another tensor that has the view's indices.
    TEGULA_INLINE void label_of([[maybe_unused]] const char* name, [[maybe_unused]] const void* data,
                                [[maybe_unused]] int element = 0) const
    {
#if !TEGULA_DEVICE_PASS
        using target = typename Window::target;
        if (target::labels_enabled()) {
            multi_index<Window::num_dims> x = coordinate.index();
            x[Window::vector_dim] += element;
            target::set_element(name, x.values, Window::num_dims, data,
                                static_cast<int>(sizeof(typename Window::value_type)));
            if constexpr (Bounds == bounds::unchecked)
                require_valid(window.view.descriptor.is_valid(x));
            if constexpr (Bounds == bounds::unchecked || has_whole_vectors<view_type>)
                if (element == 0 && vector > 1 && all)
                    require_valid_end(name, data, x);
        }
#endif
    }
};

namespace detail {

/// Whether every element of the access at c is inside the view. The valid elements along a dimension are one run, so
/// the first and the last element decide.
template <bounds Bounds, class Window>
TEGULA_INLINE bool covers(const Window& w, const typename Window::coordinate_type& c)
{
    constexpr int last = Window::plan::vector - 1;
    if constexpr (Bounds == bounds::unchecked)
        return true;
    else if constexpr (last == 0 || has_whole_vectors<typename Window::view_type>)
        return w.contains(c);
    else
        return w.contains(c) && w.template contains<last>(c);
}

} // namespace detail

/// The one traversal behind load, store, update and async_load: calls body(constant<a>, lane_access) for every vector
/// access of the calling lane, in register order.
TEGULA_CALLS_BACK
template <bounds Bounds, class Window, class Body>
TEGULA_INLINE void for_each_access(const Window& window, Body&& body, call_site where = call_site::here())
{
    static_for<Window::plan::accesses>([&](auto a) {
        const auto c = window.template access_coordinate<a>();
        TEGULA_INLINE_CALL body(a, lane_access<Bounds, Window>{window, c, detail::covers<Bounds>(window, c), where});
    });
}

namespace detail {

/// Calls f(0) ... f(N - 1). The loop is not unrolled: vectors that are half inside are rare, and kernels should stay
/// small. For registers it is, because they have no run-time index.
TEGULA_CALLS_BACK
template <address_space Space, int N, class F>
TEGULA_INLINE void for_each_element(const F& f)
{
    if constexpr (Space == address_space::registers) {
        static_for<N>(f);
    } else {
        TEGULA_ROLLED
        for (int j = 0; j < N; ++j)
            f(j);
    }
}

/// Reads the elements at `from` for which the access has elements inside its view; the others are `fill`. `name` and
/// `data` are those of the tensor that is read, for reports. Nothing is touched if `mine` is false.
template <class Access, class T>
TEGULA_INLINE auto read_words_of(const Access& access, T* from, const char* name, const void* data,
                                 std::remove_const_t<T> fill, bool mine = true)
{
    using view_type = typename Access::view_type;
    using target = typename view_type::target;
    constexpr int n = Access::vector;
    constexpr address_space space = view_type::space;
    access.label_of(name, data);
    auto values = read_words<target, space, n>(from, access.all && mine, access.where);
    if (access.all)
        return values;
    values.fill(fill);
    if constexpr (n > 1 && !has_whole_vectors<view_type>) {
        for_each_element<space, n>([&](auto j) {
            if (mine && access.contains(j)) {
                access.label_of(name, data, j);
                values.set(j, read_scalar<target, space>(from + j, true, access.where));
            }
        });
    }
    return values;
}
template <class Access, class T>
TEGULA_INLINE auto read_elements(const Access& access, T* from, const char* name, const void* data,
                                 std::remove_const_t<T> fill)
{
    return read_words_of(access, from, name, data, fill).values();
}

/// The elements of an access; those outside the view are `fill`.
template <class Access>
TEGULA_INLINE auto read_access_words(const Access& access, typename Access::value_type fill, bool mine = true)
{
    const auto& view = access.window.view;
    return read_words_of(access, access.pointer(), view.name, view.data, fill, mine);
}
template <class Access>
TEGULA_INLINE auto read_access(const Access& access, typename Access::value_type fill, bool mine = true)
{
    return read_access_words(access, fill, mine).values();
}

/// Writes element j of an access, if it is inside the view.
template <class Access>
TEGULA_INLINE void write_element(const Access& access, int j, const typename Access::value_type& value)
{
    using view_type = typename Access::view_type;
    if (access.contains(j)) {
        access.label(j);
        write_scalar<typename view_type::target, view_type::space>(access.pointer(j), value, true, access.where);
    }
}
/// Writes elements j of an access for all j of Js.
template <class Access, class Values, int... Js>
TEGULA_INLINE void write_elements(const Access& access, const Values& values, std::integer_sequence<int, Js...>)
{
    // Unrolled: a run-time index would move the values to scratch memory.
    (write_element(access, Js, values[Js]), ...);
}

/// Writes the elements of an access that are inside the view; none if `mine` is false (another replica writes).
template <class Access>
TEGULA_INLINE void write_access(const Access& access, const array<typename Access::value_type, Access::vector>& values,
                                bool mine)
{
    using view_type = typename Access::view_type;
    using target = typename view_type::target;
    constexpr int n = Access::vector;
    constexpr address_space space = view_type::space;
    static_assert(!std::is_const_v<typename view_type::element_type>,
                  "tegula: the view is of const elements; only a view of writable ones can be stored to");
    access.label();
    write_vector<target, space, n>(access.pointer(), values, access.all && mine, access.where);
    if constexpr (n > 1 && !has_whole_vectors<view_type>)
        if (!access.all && mine)
            write_elements(access, values, std::make_integer_sequence<int, n>{});
}

/// Whether the calling lane is the replica that writes its elements.
template <class Window>
TEGULA_INLINE bool writes_its_elements()
{
    using distribution = typename Window::distribution;
    if constexpr (distribution::replication == 1)
        return true;
    else
        return distribution::is_first_replica(partition_index<typename Window::target, distribution>());
}

template <class Window, int A, class Tensor, class Values, int... Js>
TEGULA_INLINE void gather_registers(const Tensor& tensor, Values& values, std::integer_sequence<int, Js...>)
{
    ((values[Js] = tensor.registers[Window::plan::register_of(A, Js)]), ...);
}
template <class Window, int A, class Tensor>
TEGULA_INLINE auto gather_registers(const Tensor& tensor)
{
    array<typename Tensor::value_type, Window::plan::vector> values;
    gather_registers<Window, A>(tensor, values, std::make_integer_sequence<int, Window::plan::vector>{});
    return values;
}

template <class Window, int A, class Tensor, class Values>
TEGULA_INLINE void scatter_registers(Tensor& tensor, const Values& values)
{
    using plan = typename Window::plan;
    constexpr int first = plan::register_of(A, 0), step = plan::register_step(A);
    // A loop if it can be one: compilers take longer over a function for each element.
    if constexpr (step != 0)
        for (int j = 0; j < plan::vector; ++j)
            tensor.registers[first + j * step] = values[j];
    else
        static_for<plan::vector>([&](auto j) { tensor.registers[plan::register_of(A, j)] = values[j]; });
}

/// Checks that a tensor can move through a window. Element types are converted by cast.
template <class Window, class Tensor>
consteval bool check_tensor_of()
{
    static_assert(same_distribution<typename Window::distribution, typename Tensor::distribution>,
                  "tegula: the tensor and the tile window differ in their distribution; convert() the tensor");
    static_assert(std::is_same_v<typename Window::value_type, typename Tensor::value_type>,
                  "tegula: the tensor and the view differ in their element type; cast() the tensor");
    return true;
}

} // namespace detail

/// Reads the window's tile into `tensor`. Elements outside the view become `fill`.
template <bounds Bounds, class Window, class Tensor>
TEGULA_INLINE void load(Tensor& tensor, const Window& window,
                        typename Window::value_type fill = typename Window::value_type{},
                        call_site where = call_site::here())
{
    static_assert(detail::check_tensor_of<Window, Tensor>());
    for_each_access<Bounds>(
        window,
        [&](auto a, const auto& access) {
            detail::scatter_registers<Window, a>(tensor, detail::read_access(access, fill));
        },
        where);
}

/// Loads the window's tile. Bounds are checked, except in registers. Use load<bounds::unchecked>(window) only if the
/// whole tile lies inside the view.
template <class Window>
TEGULA_INLINE auto load(const Window& window, typename Window::value_type fill = typename Window::value_type{},
                        call_site where = call_site::here())
{
    return load<default_bounds<Window>>(window, fill, where);
}
template <bounds Bounds, class Window>
TEGULA_INLINE auto load(const Window& window, typename Window::value_type fill = typename Window::value_type{},
                        call_site where = call_site::here())
{
    distributed_tensor<typename Window::value_type, typename Window::distribution> tensor;
    load<Bounds>(tensor, window, fill, where);
    return tensor;
}

/// Writes the tile. Elements outside the view are skipped. If an element is replicated, only its first replica writes.
/// Lanes that the distribution does not tell apart (a P without digits) all write.
template <bounds Bounds, class Window, class Tensor>
TEGULA_INLINE void store(const Window& window, const Tensor& tensor, call_site where = call_site::here())
{
    static_assert(detail::check_tensor_of<Window, Tensor>());
    const bool mine = detail::writes_its_elements<Window>();
    for_each_access<Bounds>(
        window,
        [&](auto a, const auto& access) {
            detail::write_access(access, detail::gather_registers<Window, a>(tensor), mine);
        },
        where);
}

template <class Window, class Tensor>
TEGULA_INLINE void store(const Window& window, const Tensor& tensor, call_site where = call_site::here())
{
    store<default_bounds<Window>>(window, tensor, where);
}

/// element = op(element in memory, element of the tensor) for the whole tile, by the first replica of each element. If
/// half of a vector lies outside, op is also called for that half, with 0 for the element in memory, without effect.
TEGULA_CALLS_BACK
template <bounds Bounds, class Window, class Tensor, class Op>
TEGULA_INLINE void update(const Window& window, const Tensor& tensor, const Op& op, call_site where = call_site::here())
{
    static_assert(same_distribution<typename Window::distribution, typename Tensor::distribution>,
                  "tegula: the tensor and the tile window differ in their distribution; convert() the tensor");
    const bool mine = detail::writes_its_elements<Window>();
    for_each_access<Bounds>(
        window,
        [&](auto a, const auto& access) {
            auto values = detail::read_access(access, typename Window::value_type{}, mine);
            const auto news = detail::gather_registers<Window, a>(tensor);
            static_for<Window::plan::vector>([&](auto j) { values[j] = op(values[j], news[j]); });
            detail::write_access(access, values, mine);
        },
        where);
}

TEGULA_CALLS_BACK
template <class Window, class Tensor, class Op>
TEGULA_INLINE void update(const Window& window, const Tensor& tensor, const Op& op, call_site where = call_site::here())
{
    update<default_bounds<Window>>(window, tensor, op, where);
}

/// Starts an asynchronous copy of a global window's tile to a shared window of the same distribution. It uses no
/// registers. Elements outside the global view become zero. If an element is replicated, its first replica copies it.
/// The copy is complete after async_commit and async_wait; other lanes see it after a barrier after async_wait.
///
/// The hardware copies 4, 8 or 16 bytes. Narrower accesses, and vectors that lie partly outside, are loaded and stored
/// synchronously.
template <bounds Bounds, class SharedWindow, class GlobalWindow>
TEGULA_INLINE void async_load(const SharedWindow& to, const GlobalWindow& from, call_site where = call_site::here())
{
    using target = typename GlobalWindow::target;
    using value_type = typename GlobalWindow::value_type;
    static_assert(target::has_async_copy, "tegula: this target has no asynchronous copy; load and store instead");
    static_assert(std::is_same_v<typename SharedWindow::distribution, typename GlobalWindow::distribution> &&
                      SharedWindow::plan::vector == GlobalWindow::plan::vector &&
                      std::is_same_v<typename SharedWindow::value_type, value_type>,
                  "tegula: an asynchronous copy needs one distribution, one element type and one vector length on both "
                  "sides");
    static_assert(SharedWindow::vector_dim == GlobalWindow::vector_dim || GlobalWindow::plan::vector == 1,
                  "tegula: an asynchronous copy needs the same contiguous dimension on both sides");
    constexpr int n = GlobalWindow::plan::vector;
    constexpr int bytes = detail::piece_bytes<value_type, n>;
    constexpr int pieces = n * static_cast<int>(sizeof(value_type)) / bytes;
    const bool mine = detail::writes_its_elements<GlobalWindow>();
    const auto copy = [&](auto a, const auto& access) {
        const lane_access<bounds::unchecked, SharedWindow> there{to, to.template access_coordinate<a>(), true, where};
        if constexpr (bytes < 4) {
            detail::write_access(there, detail::read_access(access, value_type{}, mine), mine);
        } else {
            // Only lanes at a ragged end take the slow path; both paths are complete after the wait.
            const bool some = !access.all && n > 1 && (access.contains(0) || access.contains(n - 1));
            if (mine)
                there.label(); // the emulator compares it with the lengths of its view
            access.label();
            if (mine && !some)
                static_for<pieces>([&](auto i) {
                    target::template async_copy<bytes>(reinterpret_cast<std::byte*>(there.pointer()) + i * bytes,
                                                       reinterpret_cast<const std::byte*>(access.pointer()) + i * bytes,
                                                       access.all, where);
                });
            else if (mine)
                detail::write_access(there, detail::read_access(access, value_type{}), true);
            if constexpr (Bounds == bounds::checked)
                target::wave_barrier(where); // reconverge, so that the next copy is one instruction
        }
    };
    for_each_access<Bounds>(from, copy, where);
}
/// Copies with the bounds of the global view checked.
template <class SharedWindow, class GlobalWindow>
TEGULA_INLINE void async_load(const SharedWindow& to, const GlobalWindow& from, call_site where = call_site::here())
{
    async_load<default_bounds<GlobalWindow>>(to, from, where);
}

namespace encoding_rules {
template <bool Ok>
struct tiles_move_through_windows
{
    static_assert(Ok, "tegula: load, store and update move a tile through a window of a view: "
                      "load(make_tile_window<distribution>(view, {row, column}))");
};
} // namespace encoding_rules

// Views in the place of windows: these overloads fail to compile, with the message above.
template <class Target, address_space Space, class T, class Descriptor, class... Others>
TEGULA_INLINE void load(const tensor_view<Target, Space, T, Descriptor>&, const Others&...)
{
    static_assert(sizeof(encoding_rules::tiles_move_through_windows < sizeof(T) == 0 >));
}
template <class Target, address_space Space, class T, class Descriptor, class... Others>
TEGULA_INLINE void store(const tensor_view<Target, Space, T, Descriptor>&, const Others&...)
{
    static_assert(sizeof(encoding_rules::tiles_move_through_windows < sizeof(T) == 0 >));
}
template <class Target, address_space Space, class T, class Descriptor, class... Others>
TEGULA_INLINE void update(const tensor_view<Target, Space, T, Descriptor>&, const Others&...)
{
    static_assert(sizeof(encoding_rules::tiles_move_through_windows < sizeof(T) == 0 >));
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::gather_registers;
using tegula::detail::read_access;
using tegula::detail::read_access_words;
using tegula::detail::read_elements;
using tegula::detail::scatter_registers;
using tegula::detail::write_access;
using tegula::detail::writes_its_elements;
} // namespace tegula::internal
