/// Kernels of one's own: function objects with members and with any arguments, grids of three dimensions.

#include "test/gpu/on_gpu_launch.hpp"

#if defined(__HIP__)
using target = tegula::arch::gfx942;
#else
using target = tegula::arch::sm_80;
#endif

static const bool added = tegula::test::add_function_objects<target>();
