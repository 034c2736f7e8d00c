#pragma once

#include <tegula/host/emulated_forms.hpp>
#include <tegula/host/launch_warp_specialized.hpp>

namespace tegula {

/// Runs a warp_specialized_gemm on the emulator, as on a GPU of `multiprocessors`; launch_warp_specialized with an
/// emulated_device. Counters are those of all kernels.
template <class Kernel>
emulator::launch_result emulate_warp_specialized(Kernel kernel, const typename Kernel::product_type& product,
                                                 int multiprocessors = 132, emulator::run_config config = {},
                                                 index_t splits = 1, gemm_workspace workspace = {})
{
    emulated_device device{std::move(config), {}, multiprocessors};
    static_cast<void>(launch_warp_specialized(device, kernel, product, splits, workspace));
    return device.result;
}

} // namespace tegula
