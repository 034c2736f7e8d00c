/// Kernels of one's own: function objects with members and with any arguments, grids of three dimensions.
// targets: sm_80 gfx942

#include "test/gpu/launch_checks.hpp"

#include <tegula/host/gpu_launch.hpp>

namespace tegula::test {
namespace {

#if defined(__HIP__)
using target = arch::gfx942;
#else
using target = arch::sm_80;
#endif

const bool added = (registered<kernel_check>().push_back({target::chip().name, runtime_name, "function objects",
                                                          [](std::uint64_t seed) {
                                                              gpu_device device;
                                                              return check_function_objects<target>(device, seed);
                                                          }}),
                    true);

} // namespace
} // namespace tegula::test
