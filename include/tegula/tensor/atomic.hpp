#pragma once

#include <tegula/tensor/access.hpp>
#include <tegula/tensor/replicas.hpp>

namespace tegula {

/// Adds the tensor to the tile in memory by atomic additions of float or int, so that the tiles of several waves or
/// blocks add up; floats in no order that is the same from run to run on a GPU. Elements outside the view are left out;
/// of a replicated element one replica is added.
template <class Window, class Tensor>
TEGULA_INLINE void atomic_add(const Window& window, const Tensor& tensor)
{
    using target = typename Window::target;
    static_assert(detail::check_tensor_of<Window, Tensor>());
    const bool mine = detail::writes_its_elements<Window>();
    for_each_access<default_bounds<Window>>(window, [&](auto a, const auto& access) {
        const auto values = detail::gather_registers<Window, a>(tensor);
        static_for<Window::plan::vector>([&](auto j) {
            if (mine && access.contains(j)) {
                access.label(j);
                target::atomic_add(access.pointer(j), values[j]);
            }
        });
    });
}

/// Bytes of shared memory that atomic_update and atomic_compare_exchange of a tile need to tell all replicas what was in
/// memory; 0 if replicas are in one wave.
template <class Window>
inline constexpr index_t atomic_scratch_bytes =
    replica_scratch_bytes<typename Window::target, typename Window::value_type, typename Window::distribution>;

namespace detail {

/// result = f(place of an element, its register) for the elements of a window that its view has and the lane is to
/// change; `outside` for those that the view does not have. Then all replicas hold the same.
TEGULA_CALLS_BACK
template <class Window, class F>
TEGULA_INLINE auto change_elements(const Window& window, typename Window::value_type outside, std::byte* scratch,
                                   const F& f)
{
    using target = typename Window::target;
    distributed_tensor<typename Window::value_type, typename Window::distribution> before;
    const bool mine = writes_its_elements<Window>();
    for_each_access<default_bounds<Window>>(window, [&](auto a, const auto& access) {
        static_for<Window::plan::vector>([&](auto j) {
            constexpr int r = Window::plan::register_of(a, j);
            before[r] = outside;
            if (mine && access.contains(j)) {
                access.label(j);
                before[r] = f(access.pointer(j), constant<r>{});
            }
        });
    });
    share_first_replica<target>(before, scratch);
    return before;
}

template <class Window>
inline constexpr bool in_global_memory = Window::view_type::space == address_space::global;

template <class Window>
consteval bool check_atomic_window()
{
    static_assert(Window::view_type::space != address_space::registers,
                  "tegula: atomic operations are on global or shared memory");
    static_assert(!std::is_const_v<typename Window::view_type::element_type>,
                  "tegula: the view is of const elements; only those of writable ones can be changed");
    return true;
}

} // namespace detail

/// memory = Op(memory, tensor) for each element of the tile, each as one atomic operation; returns what was there before,
/// the same in all replicas of an element, which is changed once. Elements outside the view are left out and return
/// T{}. The order between lanes and blocks is any.
///
///   Op       atomic_op add, min, max or exchange
///   T        integers of 32 and 64 bits; float for add and exchange; double for the same in global memory
///   scratch  shared memory of atomic_scratch_bytes<Window>; as of reduce
template <atomic_op Op, class Window, class Tensor>
TEGULA_INLINE auto atomic_update(const Window& window, const Tensor& tensor, std::byte* scratch = nullptr)
{
    using target = typename Window::target;
    using T = typename Window::value_type;
    static_assert(detail::check_tensor_of<Window, Tensor>() && detail::check_atomic_window<Window>());
    return detail::change_elements(window, T{}, scratch, [&](T* at, auto r) {
        if constexpr (detail::in_global_memory<Window>)
            return target::template global_atomic<Op>(at, tensor[r]);
        else
            return target::template shared_atomic<Op>(at, tensor[r]);
    });
}

/// memory = `tensor` where memory holds `expected`, element by element; returns what was there before. T is an integer of
/// 32 or 64 bits; else as atomic_update.
template <class Window, class Tensor>
TEGULA_INLINE auto atomic_compare_exchange(const Window& window, const Tensor& expected, const Tensor& tensor,
                                           std::byte* scratch = nullptr)
{
    using target = typename Window::target;
    using T = typename Window::value_type;
    static_assert(detail::check_tensor_of<Window, Tensor>() && detail::check_atomic_window<Window>());
    return detail::change_elements(window, T{}, scratch, [&](T* at, auto r) {
        if constexpr (detail::in_global_memory<Window>)
            return target::global_compare_exchange(at, expected[r], tensor[r]);
        else
            return target::shared_compare_exchange(at, expected[r], tensor[r]);
    });
}

} // namespace tegula
