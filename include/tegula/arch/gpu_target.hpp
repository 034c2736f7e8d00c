#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// A target: a GPU or CPU to compile for, as a type. chip() describes the chip. The static members are the primitives that kernels
/// are written with. in_this_pass() says whether this compiler pass makes code for the target: a device pass for targets of
/// its architecture, a host pass for all targets, emulated. run_kernel asks it.
template <class T>
concept gpu_target = requires {
    { T::chip().wave_size + 0 };
    { T::wave_size + 0 };
    { T::in_this_pass() };
    { T::has_async_copy };
};

/// The default number of threads of a block. On a CPU a block is one thread.
template <class Target>
inline constexpr int default_block_threads = Target::wave_size == 1 ? 1 : 256;

/// Elements for each lane, as a multiple of those of a GPU. The only lane of a CPU takes 8 times as many, so that the cost of a
/// tile's addresses is small.
template <class Target>
inline constexpr int lane_multiple = Target::wave_size == 1 ? 8 : 1;

/// Whether kernels of the target run as native code of the CPU, without the emulator.
template <class Target>
inline constexpr bool is_native_cpu = requires { requires !Target::is_strict; };

namespace detail {

/// Fails to compile, with a sentence, if Target is no target.
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
