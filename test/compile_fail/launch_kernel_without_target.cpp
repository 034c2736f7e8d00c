// A kernel that does not say for which GPU it is.
//
// a beginner's mistake
// expect: tegula: a kernel is a function object with a type 'target' (arch::...) and a constant int 'block_threads'
// flags: -DTEGULA_EMULATOR_ELSEWHERE

#include <tegula/host/emulated_device.hpp>

using namespace tegula;

struct nothing
{
#ifdef TEGULA_CONTROL
    using target = arch::sm_80;
    static constexpr int block_threads = 32;
#endif
    TEGULA_HOST_DEVICE void operator()(float*) const {}
};

status start(emulated_device& device, float* data) { return launch(device, {}, nothing{}, data); }
