// A launch on a GPU in a file that a C++ compiler compiles.
//
// expect: tegula: this file is compiled by a C++ compiler, which makes no code for a gpu_device; name it .cu
// flags: -DTEGULA_EMULATOR_ELSEWHERE

#include <tegula/host.hpp>

using namespace tegula;

struct nothing
{
    using target = arch::sm_80;
    static constexpr int block_threads = 32;
    TEGULA_HOST_DEVICE void operator()(float*) const {}
};

#ifdef TEGULA_CONTROL
status start(emulated_device& device, float* data) { return launch(device, {}, nothing{}, data); }
#else
status start(float* data) { return launch(gpu_device{}, {}, nothing{}, data); }
#endif
