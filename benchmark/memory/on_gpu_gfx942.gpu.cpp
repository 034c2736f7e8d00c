// targets: gfx942
// in the sample

#include "measure.gpu.hpp"

static const bool added = memory_benchmark::add_target<tegula::arch::gfx942>();
