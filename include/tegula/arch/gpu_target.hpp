#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// A GPU to compile for, as a type: chip() describes it, its static members are the primitives kernels are written
/// with. in_this_pass() says whether the compiler makes code for it now: a device pass does for the targets of its own
/// architecture, a host pass for all, emulated. run_kernel asks it.
template <class T>
concept gpu_target = requires {
    { T::chip().wave_size + 0 };
    { T::wave_size + 0 };
    { T::in_this_pass() };
    { T::has_async_copy };
};

/// Threads of a block of a kernel that has no reason for another number. On a CPU a block is one thread.
template <class Target>
inline constexpr int usual_block_threads = Target::wave_size == 1 ? 1 : 256;

/// How many times a GPU lane's share of a tile a CPU's only lane takes, so that the tile pays for its addresses.
template <class Target>
inline constexpr int share_of_lane = Target::wave_size == 1 ? 8 : 1;

/// Whether kernels of the target run as the CPU's own code, with nothing emulated.
template <class Target>
inline constexpr bool is_native_cpu = requires { requires !Target::is_strict; };

namespace detail {

/// The rule that what is given as a target is one.
template <class Target>
struct is_a_target
{
    static_assert(gpu_target<Target>, "tegula: this type is no target; name a GPU of tegula/arch/target.hpp: "
                                      "arch::gfx942, arch::sm_90a ... (the template argument is the type)");
    static constexpr bool ok = true;
};

} // namespace detail

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::is_a_target;
} // namespace tegula::internal
