/// Products in other kernels than GEMM's that compile soon; kernels.json has the others.

#include "test/gpu/on_gpu_attention.hpp"
#include "test/gpu/on_gpu_convolution.hpp"
#include "test/gpu/on_gpu_prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_80;
using tile = prologue_tiles<target, half>::small;

static const bool added[] = {add_convolution<tile, convolution_direction::forward>("forward small"),
                             add_moe<tile>("small"), add_append<append_kernel<target, half, 64>>("append 64")};
