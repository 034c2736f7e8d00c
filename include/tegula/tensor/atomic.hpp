#pragma once

#include <tegula/tensor/access.hpp>
#include <tegula/tensor/replicas.hpp>

namespace tegula {

namespace detail {

template <class T>
inline constexpr bool is_added_in_pairs = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

/// Checks the rules of atomic_add for elements of 16 bits.
template <class Window>
consteval bool check_pair_window()
{
    using target = typename Window::target;
    static_assert(
        adds_pairs<typename Window::value_type>(target::chip(), Window::view_type::space == address_space::shared),
        "tegula: the target has no atomic addition of pairs of these elements in this memory; add floats");
    static_assert(
        Window::plan::vector % 2 == 0,
        "tegula: elements of 16 bits are added in pairs; take a distribution whose lanes hold neighbours, and "
        "a view that promises vectors of 2 elements or more");
    return true;
}

/// Adds registers J and J + 1 of an access; for an element outside the view it adds -0, which changes nothing.
template <index_t J, class Window, class Access, class Values>
TEGULA_INLINE void add_pair_of_access(const Access& access, const Values& values)
{
    using T = typename Window::value_type;
    if (!access.contains(J) && !access.contains(J + 1))
        return;
    array<T, 2> pair{values[J], values[J + 1]};
    for (int i = 0; i < 2; ++i)
        if (!access.contains(J + i))
            pair[i] = convert<T>(-0.0f);
    access.label(J);
    Window::target::template add_pair<Window::view_type::space == address_space::shared>(
        access.pointer(J), __builtin_bit_cast(std::uint32_t, pair), access.where);
}

} // namespace detail

/// Adds the tensor to the tile in memory by atomic additions, so that the tiles of several waves or blocks add up.
/// Elements are float or int in global memory, or half and bfloat16 in global and shared memory. On a GPU the order in
/// which floats are added can differ from run to run. Elements outside the view are left out. One replica of a
/// replicated element is added.
///
/// Elements of 16 bits are added in pairs, if the target can (detail::adds_pairs). Preconditions: lanes hold
/// neighbours, and if the view ends in the middle of a pair, the memory of its other half belongs to the tensor.
template <class Window, class Tensor>
TEGULA_INLINE void atomic_add(const Window& window, const Tensor& tensor, call_site where = call_site::here())
{
    using target = typename Window::target;
    static_assert(detail::check_tensor_of<Window, Tensor>());
    const bool mine = detail::writes_its_elements<Window>();
    const auto add = [&](auto a, const auto& access) {
        const auto values = detail::gather_registers<Window, a>(tensor);
        if constexpr (detail::is_added_in_pairs<typename Window::value_type>) {
            static_assert(detail::check_pair_window<Window>());
            static_for<Window::plan::vector / 2>([&](auto j) {
                if (mine)
                    detail::add_pair_of_access<2 * j, Window>(access, values);
            });
        } else {
            static_for<Window::plan::vector>([&](auto j) {
                if (mine && access.contains(j)) {
                    access.label(j);
                    target::atomic_add(access.pointer(j), values[j], where);
                }
            });
        }
    };
    for_each_access<default_bounds<Window>>(window, add, where);
}

/// Bytes of shared memory that atomic_update and atomic_compare_exchange of a tile need to give all replicas the old
/// values of memory; 0 if replicas are in one wave.
template <class Window>
inline constexpr index_t atomic_scratch_bytes =
    replica_scratch_bytes<typename Window::target, typename Window::value_type, typename Window::distribution>;

namespace detail {

/// result = f(pointer to an element, its register) for those elements of the window inside its view that this lane
/// changes; `outside` for elements outside the view. Afterwards all replicas hold the first one's result.
TEGULA_CALLS_BACK
template <class Window, class F>
TEGULA_INLINE auto change_elements(const Window& window, typename Window::value_type outside, std::byte* scratch,
                                   call_site where, const F& f)
{
    using target = typename Window::target;
    distributed_tensor<typename Window::value_type, typename Window::distribution> before;
    const bool mine = writes_its_elements<Window>();
    const auto change = [&](auto a, const auto& access) {
        static_for<Window::plan::vector>([&](auto j) {
            constexpr int r = Window::plan::register_of(a, j);
            before[r] = outside;
            if (mine && access.contains(j)) {
                access.label(j);
                before[r] = f(access.pointer(j), constant<r>{});
            }
        });
    };
    for_each_access<default_bounds<Window>>(window, change, where);
    share_first_replica<target>(before, scratch, where);
    return before;
}

template <class Window>
inline constexpr bool in_global_memory = Window::view_type::space == address_space::global;

/// An integer type that compares as the bits of a T do.
template <class T>
using atomic_word = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
inline constexpr bool changes_as_word = std::is_floating_point_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// The target's own atomic operation on a place of the window's memory.
template <atomic_op Op, class Window, class T>
TEGULA_INLINE T issue_atomic(T* at, T value, call_site where)
{
    if constexpr (in_global_memory<Window>)
        return Window::target::template global_atomic<Op>(at, value, where);
    else
        return Window::target::template shared_atomic<Op>(at, value, where);
}
template <class Window, class T>
TEGULA_INLINE T issue_compare_exchange(T* at, T expected, T value, call_site where)
{
    if constexpr (in_global_memory<Window>)
        return Window::target::global_compare_exchange(at, expected, value, where);
    else
        return Window::target::shared_compare_exchange(at, expected, value, where);
}

/// Replaces a floating-point number in memory by the lesser (the greater) of it and `value`, by an operation on
/// integers. The bits of numbers that are not negative are in the numbers' order. Those of negative ones are in the
/// opposite order and, as unsigned integers, greater than all others.
template <atomic_op Op, class Window, class T>
TEGULA_INLINE T update_extreme(T* at, T value, call_site where)
{
    using word = atomic_word<T>;
    using plain = std::make_unsigned_t<word>;
    constexpr bool least = Op == atomic_op::min;
    // The NaN that comes before (after) all numbers.
    constexpr word nan = least ? word{-1} : static_cast<word>(static_cast<plain>(-1) >> 1);
    const word bits = value == value ? __builtin_bit_cast(word, value) : nan;
    if (bits >= 0)
        return __builtin_bit_cast(T, issue_atomic<Op, Window>(reinterpret_cast<word*>(at), bits, where));
    constexpr atomic_op opposite = least ? atomic_op::max : atomic_op::min;
    return __builtin_bit_cast(
        T, issue_atomic<opposite, Window>(reinterpret_cast<plain*>(at), static_cast<plain>(bits), where));
}

/// Operations for which not all targets have an instruction are built from those on integers.
template <atomic_op Op, class Window, class T>
TEGULA_INLINE T update_element(T* at, T value, call_site where)
{
    if constexpr (!changes_as_word<T>) {
        return issue_atomic<Op, Window>(at, value, where);
    } else if constexpr (Op == atomic_op::min || Op == atomic_op::max) {
        return update_extreme<Op, Window>(at, value, where);
    } else if constexpr (in_global_memory<Window> || sizeof(T) == 4) {
        return issue_atomic<Op, Window>(at, value, where);
    } else {
        using word = atomic_word<T>;
        auto* const bits = reinterpret_cast<word*>(at);
        if constexpr (Op == atomic_op::exchange) {
            return __builtin_bit_cast(T, issue_atomic<Op, Window>(bits, __builtin_bit_cast(word, value), where));
        } else {
            word held = issue_atomic<atomic_op::add, Window>(bits, word{0}, where), before;
            do {
                before = held;
                held = issue_compare_exchange<Window>(
                    bits, before, __builtin_bit_cast(word, __builtin_bit_cast(T, before) + value), where);
            } while (held != before);
            return __builtin_bit_cast(T, held);
        }
    }
}

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

/// memory = Op(memory, tensor) for each element of the tile, each as one atomic operation. Returns the old values, the
/// same in all replicas of an element, which is changed once. Elements outside the view are left out and return
/// T{}. The order between lanes and blocks is unspecified.
///
///   Op       atomic_op add, min, max or exchange. For floating-point numbers min and max are IEEE 754-2019's minimum
///            and maximum (-0 below 0, NaN if one is NaN), but a NaN that memory holds before the first may be lost
///   T        integers of 32 and 64 bits, float and double, in global and in shared memory
///   scratch  shared memory of atomic_scratch_bytes<Window>; as for reduce
template <atomic_op Op, class Window, class Tensor, class Scratch = detail::no_scratch>
TEGULA_INLINE auto atomic_update(const Window& window, const Tensor& tensor, Scratch scratch = nullptr,
                                 call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, atomic_scratch_bytes<Window>>) > 0);
    using T = typename Window::value_type;
    static_assert(detail::check_tensor_of<Window, Tensor>() && detail::check_atomic_window<Window>());
    return detail::change_elements(window, T{}, scratch, where, [&](T* at, auto r) {
        return detail::update_element<Op, Window>(at, tensor[r], where);
    });
}

/// memory = `tensor` if memory holds `expected`, element by element. Returns the old values. Floating-point numbers are
/// compared by their bits. Otherwise like atomic_update.
template <class Window, class Tensor, class Scratch = detail::no_scratch>
TEGULA_INLINE auto atomic_compare_exchange(const Window& window, const Tensor& expected, const Tensor& tensor,
                                           Scratch scratch = nullptr, call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, atomic_scratch_bytes<Window>>) > 0);
    using T = typename Window::value_type;
    static_assert(detail::check_tensor_of<Window, Tensor>() && detail::check_atomic_window<Window>());
    return detail::change_elements(window, T{}, scratch, where, [&](T* at, auto r) {
        if constexpr (detail::changes_as_word<T>) {
            using word = detail::atomic_word<T>;
            const auto bits = [](const T& x) { return __builtin_bit_cast(word, x); };
            return __builtin_bit_cast(T, detail::issue_compare_exchange<Window>(
                                             reinterpret_cast<word*>(at), bits(expected[r]), bits(tensor[r]), where));
        } else {
            return detail::issue_compare_exchange<Window>(at, expected[r], tensor[r], where);
        }
    });
}

} // namespace tegula
