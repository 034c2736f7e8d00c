// targets: sm_90a
// in the sample

#include "measure.gpu.hpp"

static const bool added = memory_benchmark::add_target<tegula::arch::sm_90a>();
