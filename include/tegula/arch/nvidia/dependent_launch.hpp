#pragma once

#include <tegula/arch/nvidia/mbarrier.hpp>

/// Programmatic dependent launch, from sm_90a on (PTX ISA, "griddepcontrol"): a grid that starts before the one in
/// front of it in its stream has ended, as gpu_device::overlaps_launches asks for. The work of a kernel before
/// wait_for_previous_grid() overlaps with the end of the grid in front.

namespace tegula::arch::nvidia {

/// Returns when the grids in front have ended and what they wrote is visible. Access what they write, and write what
/// they read, only after this call: in lanes that called it, or that synchronise with one that did. Every block calls
/// it, since a grid that has ended stands for those in front of it, too. Without such a grid it returns at once.
TEGULA_INLINE void wait_for_previous_grid([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("griddepcontrol.wait;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::wait_for_previous_grid(where);
#endif
}

/// The next grid may start when every block has called this, in one lane at least, or ended. It orders no memory: the
/// next grid waits by itself.
TEGULA_INLINE void launch_next_grid([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::launch_next_grid(where);
#endif
}

} // namespace tegula::arch::nvidia
