#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/core/array.hpp>

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
/// A view does not own its memory. `name` is what the emulator calls the tensor in a report.
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

template <class Target, address_space Space, class T, class Descriptor>
constexpr TEGULA_INLINE auto make_tensor_view(T* data, const Descriptor& descriptor, const char* name = "tensor")
{
    return tensor_view<Target, Space, T, Descriptor>{data, descriptor, name};
}

} // namespace tegula
