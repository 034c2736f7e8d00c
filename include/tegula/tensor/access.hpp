#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Whether an access compares its coordinates with the lengths of the view. `unchecked` is for tiles known to lie
/// inside; the emulator still reports an access outside the memory.
enum class bounds { checked, unchecked };

/// Global tensors have edges; a tile in shared memory or registers is as large as its window.
template <class Window>
inline constexpr bounds default_bounds =
    Window::view_type::space == address_space::global ? bounds::checked : bounds::unchecked;

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
    bool all; ///< every element is inside

    TEGULA_INLINE auto* pointer(int element = 0) const { return window.view.data + coordinate.offset() + element; }

    TEGULA_INLINE bool contains(int element) const
    {
        if constexpr (Bounds == bounds::unchecked)
            return true;
        multi_index<Window::num_dims> x = coordinate.index();
        x[Window::vector_dim] += element;
        return window.view.descriptor.is_valid(x);
    }

    /// Tells the emulator which element the next access touches.
    TEGULA_INLINE void label() const
    {
        using target = typename Window::target;
        if (target::labels_enabled())
            target::set_element(window.view.name, coordinate.index().values, Window::num_dims);
    }
};

namespace detail {

template <bounds Bounds, class Window>
TEGULA_INLINE bool covers(const Window& w, const typename Window::coordinate_type& c)
{
    if constexpr (Bounds == bounds::unchecked)
        return true;
    auto last = c.index();
    last[Window::vector_dim] += Window::plan::vector - 1;
    return w.view.descriptor.is_valid(c.index()) && (Window::plan::vector == 1 || w.view.descriptor.is_valid(last));
}

} // namespace detail

/// The one traversal behind load, store, update and async_load: calls body(constant<a>, lane_access) for every vector
/// access of the calling lane, in register order.
TEGULA_CALLS_BACK
template <bounds Bounds, class Window, class Body>
TEGULA_INLINE void for_each_access(const Window& window, Body&& body)
{
    static_for<Window::plan::accesses>([&](auto a) {
        const auto c = window.template access_coordinate<a>();
        body(a, lane_access<Bounds, Window>{window, c, detail::covers<Bounds>(window, c)});
    });
}

namespace detail {

/// Reads N elements of T at p; nothing is touched and the result is zero where active is false.
template <class Target, address_space Space, int N, class T>
TEGULA_INLINE array<std::remove_const_t<T>, N> read_vector(T* p, bool active)
{
    using value_type = std::remove_const_t<T>;
    using raw = raw_vector<N* static_cast<int>(sizeof(T))>;
    const raw* from = reinterpret_cast<const raw*>(p);
    if constexpr (Space == address_space::global)
        return __builtin_bit_cast(array<value_type, N>, Target::load_global(from, active));
    else if constexpr (Space == address_space::shared)
        return __builtin_bit_cast(array<value_type, N>, Target::load_shared(from, active));
    else
        return active ? __builtin_bit_cast(array<value_type, N>, *from) : array<value_type, N>{};
}

template <class Target, address_space Space, int N, class T>
TEGULA_INLINE void write_vector(T* p, const array<T, N>& value, bool active)
{
    using raw = raw_vector<N* static_cast<int>(sizeof(T))>;
    raw* to = reinterpret_cast<raw*>(p);
    const raw bits = __builtin_bit_cast(raw, value);
    if constexpr (Space == address_space::global)
        Target::store_global(to, bits, active);
    else if constexpr (Space == address_space::shared)
        Target::store_shared(to, bits, active);
    else if (active)
        *to = bits;
}

/// Element j of a vector of registers for a run-time j, by comparing j with every position: an index would move the
/// vector to memory.
template <class T, int N>
TEGULA_INLINE T select_element(const array<T, N>& values, int j)
{
    T picked = values[0];
    static_for<N>([&](auto i) { picked = j == i ? values[i] : picked; });
    return picked;
}

/// The elements at `from` that lie where the access has elements of its own; the others are `fill`.
///
/// A vector that is half inside is rare: its elements are read by a loop that is not unrolled, to keep kernels small.
template <class Access, class T>
TEGULA_INLINE auto read_elements(const Access& access, T* from, std::remove_const_t<T> fill)
{
    using view_type = typename Access::view_type;
    using target = typename view_type::target;
    constexpr int n = Access::vector;
    auto values = read_vector<target, view_type::space, n>(from, access.all);
    if (access.all)
        return values;
    static_for<n>([&](auto j) { values[j] = fill; });
    if constexpr (n > 1) {
        TEGULA_ROLLED
        for (int j = 0; j < n; ++j)
            if (access.contains(j)) {
                const auto value = read_vector<target, view_type::space, 1>(from + j, true)[0];
                static_for<n>([&](auto i) { values[i] = j == i ? value : values[i]; });
            }
    }
    return values;
}

/// The elements of an access; those outside the view are `fill`.
template <class Access>
TEGULA_INLINE auto read_access(const Access& access, typename Access::value_type fill)
{
    access.label();
    return read_elements(access, access.pointer(), fill);
}

/// Writes the elements of an access that are inside the view; none where `mine` is false (another replica writes).
template <class Access>
TEGULA_INLINE void write_access(const Access& access, const array<typename Access::value_type, Access::vector>& values,
                                bool mine)
{
    using view_type = typename Access::view_type;
    using target = typename view_type::target;
    constexpr int n = Access::vector;
    access.label();
    write_vector<target, view_type::space, n>(access.pointer(), values, access.all && mine);
    if constexpr (n > 1)
        if (!access.all && mine) {
            TEGULA_ROLLED
            for (int j = 0; j < n; ++j)
                if (access.contains(j)) {
                    const array<typename Access::value_type, 1> one{select_element(values, j)};
                    write_vector<target, view_type::space, 1>(access.pointer(j), one, true);
                }
        }
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

template <class Window, int A, class Tensor>
TEGULA_INLINE auto gather_registers(const Tensor& tensor)
{
    array<typename Tensor::value_type, Window::plan::vector> values;
    static_for<Window::plan::vector>([&](auto j) {
        constexpr int r = Window::plan::register_of(A, j);
        values[j] = tensor.registers[r];
    });
    return values;
}

template <class Window, int A, class Tensor, class Values>
TEGULA_INLINE void scatter_registers(Tensor& tensor, const Values& values)
{
    static_for<Window::plan::vector>([&](auto j) {
        constexpr int r = Window::plan::register_of(A, j);
        tensor.registers[r] = values[j];
    });
}

} // namespace detail

/// Reads the window's tile into `tensor`. Elements outside the view become `fill`.
template <bounds Bounds, class Window, class T>
TEGULA_INLINE void load(distributed_tensor<T, typename Window::distribution>& tensor, const Window& window,
                        T fill = T{})
{
    for_each_access<Bounds>(window, [&](auto a, const auto& access) {
        detail::scatter_registers<Window, a>(tensor, detail::read_access(access, fill));
    });
}

template <class Window>
TEGULA_INLINE auto load(const Window& window, typename Window::value_type fill = typename Window::value_type{})
{
    distributed_tensor<typename Window::value_type, typename Window::distribution> tensor;
    load<default_bounds<Window>>(tensor, window, fill);
    return tensor;
}

/// Writes the tile. Elements outside the view are left out; of a replicated element one replica writes.
template <bounds Bounds, class Window>
TEGULA_INLINE void store(const Window& window,
                         const distributed_tensor<typename Window::value_type, typename Window::distribution>& tensor)
{
    const bool mine = detail::writes_its_elements<Window>();
    for_each_access<Bounds>(window, [&](auto a, const auto& access) {
        detail::write_access(access, detail::gather_registers<Window, a>(tensor), mine);
    });
}

template <class Window>
TEGULA_INLINE void store(const Window& window,
                         const distributed_tensor<typename Window::value_type, typename Window::distribution>& tensor)
{
    store<default_bounds<Window>>(window, tensor);
}

/// element = op(element in memory, element of the tensor) for the whole tile.
TEGULA_CALLS_BACK
template <class Window, class Tensor, class Op>
TEGULA_INLINE void update(const Window& window, const Tensor& tensor, Op op)
{
    constexpr bounds b = default_bounds<Window>;
    const bool mine = detail::writes_its_elements<Window>();
    for_each_access<b>(window, [&](auto a, const auto& access) {
        auto values = detail::read_access(access, typename Window::value_type{});
        const auto news = detail::gather_registers<Window, a>(tensor);
        static_for<Window::plan::vector>([&](auto j) { values[j] = op(values[j], news[j]); });
        detail::write_access(access, values, mine);
    });
}

/// Starts copying the tile of a global window into a shared window of the same distribution without passing registers.
/// Elements outside the global view become zero. The copy ends at the target's async_wait after async_commit.
template <bounds Bounds, class SharedWindow, class GlobalWindow>
TEGULA_INLINE void async_load(const SharedWindow& to, const GlobalWindow& from)
{
    using target = typename GlobalWindow::target;
    static_assert(target::has_async_copy, "tegula: this target has no asynchronous copy; load and store instead");
    static_assert(std::is_same_v<typename SharedWindow::distribution, typename GlobalWindow::distribution> &&
                      SharedWindow::plan::vector == GlobalWindow::plan::vector,
                  "tegula: an asynchronous copy needs one distribution and one vector length on both sides");
    constexpr int n = GlobalWindow::plan::vector;
    constexpr int bytes = n * static_cast<int>(sizeof(typename GlobalWindow::value_type));
    for_each_access<Bounds>(from, [&](auto a, const auto& access) {
        const lane_access<bounds::unchecked, SharedWindow> there{to, to.template access_coordinate<a>(), true};
        // Only the lanes at a ragged end take the slow way; both ways are complete after the wait.
        const bool some = !access.all && n > 1 && (access.contains(0) || access.contains(n - 1));
        access.label();
        if (!some)
            target::template async_copy<bytes>(there.pointer(), access.pointer(), access.all);
        else
            detail::write_access(there, detail::read_access(access, typename GlobalWindow::value_type{}), true);
    });
}

} // namespace tegula
