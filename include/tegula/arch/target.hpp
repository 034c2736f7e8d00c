#pragma once

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>

namespace tegula {

/// A GPU to compile for, as a type: chip() describes it, its static members are the primitives kernels are written
/// with. A kernel's body belongs under `if constexpr (Target::in_this_pass())`, so that each device pass compiles the
/// kernels of its own target only; a host pass compiles them all, emulated.
template <class T>
concept gpu_target = requires {
    { T::chip().wave_size + 0 };
    { T::wave_size + 0 };
    { T::in_this_pass() };
    { T::has_async_copy };
};

/// The description of a target as an object, for whoever needs its address in a host pass.
template <gpu_target Target>
inline constexpr chip_info chip_of = Target::chip();

} // namespace tegula
