#pragma once

#include <tegula/arch/emulation.hpp>
#include <tegula/arch/gpu_target.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/status.hpp>

namespace tegula {

enum class address_space { global, shared, registers };

/// Data in memory seen as a tensor: where it starts and how an index becomes an offset.
///
///   Target      the GPU whose primitives touch it
///   Space       global, shared or register memory
///   T           element type; const for read-only data
///   Descriptor  maps a multi_index to an offset in elements: num_dims, is_valid, guaranteed_vector_length,
///               make_coordinate and move
///
/// A view does not own its memory. `name` is the tensor's name in the emulator's reports.
template <class Target, address_space Space, class T, class Descriptor>
struct tensor_view
{
    static_assert(internal::is_a_target<Target>::ok);

    using target = Target;
    using element_type = T;
    using value_type = std::remove_const_t<T>;
    using descriptor_type = Descriptor;

    static constexpr address_space space = Space;
    static constexpr int num_dims = Descriptor::num_dims;

    T* data;
    [[no_unique_address]] Descriptor descriptor;
    const char* name = "tensor";
};

#if !TEGULA_DEVICE_PASS
namespace detail {
/// Ends an emulated launch whose view has a length below 0: it would have no element, and the launch would do nothing.
template <int Dims>
void require_lengths(const char* name, const multi_index<Dims>& lengths, call_site where)
{
    for (int i = 0; i < Dims; ++i)
        if (lengths[i] < 0 && arch::emulation::inside_kernel()) {
            const auto what = status(status_code::device_error, "the view ")
                              << name << " has a length of " << lengths[i] << " along dimension " << i;
            arch::emulation::fail(what.message(), "give its descriptor lengths of 0 or more", where);
        }
}
} // namespace detail
#endif

/// The tensor at `data`; the descriptor gives the places of its elements. Lengths below 0 end an emulated launch.
template <class Target, address_space Space, class T, class Descriptor>
constexpr TEGULA_INLINE auto make_tensor_view(T* data, const Descriptor& descriptor, const char* name = "tensor",
                                              [[maybe_unused]] call_site where = call_site::here())
{
#if !TEGULA_DEVICE_PASS
    if constexpr (!is_native_cpu<Target> && requires { descriptor.lengths(); })
        if (!std::is_constant_evaluated())
            detail::require_lengths<Descriptor::num_dims>(name, descriptor.lengths(), where);
#endif
    return tensor_view<Target, Space, T, Descriptor>{data, descriptor, name};
}

} // namespace tegula
