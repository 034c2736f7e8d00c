// A GEMM that is run without the header of what runs it.
//
// a beginner's mistake
// expect: tegula: what runs a kernel is in
// expect: <tegula/host.hpp>; include it
// flags: -DTEGULA_EMULATOR_ELSEWHERE

#include <tegula/gemm.hpp>
#ifdef TEGULA_CONTROL
#include <tegula/host.hpp>
#endif

using namespace tegula;
using target = arch::sm_80;
using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 32, 2, 2>;
using kernel = gemm_kernels<tile, float, epilogue::none>::element_wise;

bool run(const kernel::arguments& arguments) { return emulate(kernel{}, arguments).status.ok(); }
