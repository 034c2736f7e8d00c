#pragma once

#include <tegula/tensor/access.hpp>

namespace tegula {

namespace detail {

/// An access without the elements that a mask leaves out, in addition to those outside the view.
template <class Access>
struct masked_access : Access
{
    static_assert(Access::vector <= 32);
    std::uint32_t mask; ///< bit j: the mask has element j
    bool all;

    TEGULA_INLINE masked_access(const Access& access, std::uint32_t bits)
        : Access(access), mask(bits), all(access.all && bits == every)
    {}
    TEGULA_INLINE bool contains(int element) const { return (mask >> element & 1) != 0 && Access::contains(element); }

private:
    static constexpr std::uint32_t every = 0xffffffffu >> (32 - Access::vector);
};

template <class Window, int A, class Mask, class Access>
TEGULA_INLINE masked_access<Access> with_mask(const Access& access, const Mask& mask)
{
    std::uint32_t bits = 0;
    static_for<Window::plan::vector>([&](auto j) { bits |= (mask[Window::plan::register_of(A, j)] ? 1u : 0u) << j; });
    return {access, bits};
}

template <class Window, class Mask>
consteval bool check_mask()
{
    static_assert(std::is_same_v<typename Mask::value_type, bool> &&
                      same_distribution<typename Window::distribution, typename Mask::distribution>,
                  "tegula: a mask is a tile of bool in the window's distribution; convert() it first");
    return true;
}

} // namespace detail

/// Loads the elements of the window's tile that are inside the view and whose mask is true. The others are not read:
/// they are `fill`. A vector whose mask is all true is read at once.
template <class Window, class Mask>
TEGULA_INLINE auto masked_load(const Window& window, const Mask& mask,
                               typename Window::value_type fill = typename Window::value_type{},
                               call_site where = call_site::here())
{
    static_assert(detail::check_mask<Window, Mask>());
    distributed_tensor<typename Window::value_type, typename Window::distribution> tensor;
    for_each_access<default_bounds<Window>>(
        window,
        [&](auto a, const auto& access) {
            detail::scatter_registers<Window, a>(tensor,
                                                 detail::read_access(detail::with_mask<Window, a>(access, mask), fill));
        },
        where);
    return tensor;
}

/// Writes the elements whose mask is true. One replica of a replicated element writes, and its mask counts.
template <class Window, class Tensor, class Mask>
TEGULA_INLINE void masked_store(const Window& window, const Tensor& tensor, const Mask& mask,
                                call_site where = call_site::here())
{
    static_assert(detail::check_tensor_of<Window, Tensor>() && detail::check_mask<Window, Mask>());
    const bool mine = detail::writes_its_elements<Window>();
    for_each_access<default_bounds<Window>>(
        window,
        [&](auto a, const auto& access) {
            detail::write_access(detail::with_mask<Window, a>(access, mask),
                                 detail::gather_registers<Window, a>(tensor), mine);
        },
        where);
}

} // namespace tegula
