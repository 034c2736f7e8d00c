/// Kernels on rows and shapes that compile soon; kernels.json has the others.

#include "test/gpu/on_gpu_rows.hpp"
#include "test/gpu/on_gpu_shapes.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_80;

static const bool added[] = {add_softmax_gradients<target, half>(), add_shapes<target, half>()};
