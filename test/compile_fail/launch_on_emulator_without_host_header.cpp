// A kernel that is launched on the emulator without the header of what launches.
//
// a beginner's mistake
// expect: tegula: what runs a kernel is in
// expect: <tegula/host.hpp>; include it
// flags: -DTEGULA_EMULATOR_ELSEWHERE

#include <tegula/tensor.hpp>
#ifdef TEGULA_CONTROL
#include <tegula/host.hpp>
#endif

using namespace tegula;

struct nothing
{
    using target = arch::sm_80;
    static constexpr int block_threads = 32;
    TEGULA_HOST_DEVICE void operator()(float*) const {}
};

bool run(float* data)
{
    emulated_device device;
    return launch(device, {}, nothing{}, data).ok();
}
