// targets: sm_90a

#include "measure.gpu.hpp"

static const bool added = memory_benchmark::add_target<tegula::arch::sm_90a>();
