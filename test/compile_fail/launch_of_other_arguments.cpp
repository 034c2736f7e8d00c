// A launch with an argument too many.
//
// a beginner's mistake
// expect: tegula: the kernel's operator() does not take the arguments of this launch
// flags: -DTEGULA_EMULATOR_ELSEWHERE

#include <tegula/host/emulated_device.hpp>

using namespace tegula;

struct nothing
{
    using target = arch::sm_80;
    static constexpr int block_threads = 32;
#ifdef TEGULA_CONTROL
    TEGULA_HOST_DEVICE void operator()(float*, index_t) const {}
#else
    TEGULA_HOST_DEVICE void operator()(float*) const {}
#endif
};

status start(emulated_device& device, float* data) { return launch(device, {}, nothing{}, data, 3); }
