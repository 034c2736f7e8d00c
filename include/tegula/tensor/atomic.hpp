#pragma once

#include <tegula/tensor/access.hpp>

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

} // namespace tegula
