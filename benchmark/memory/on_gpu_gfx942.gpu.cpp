// targets: gfx942

#include "measure.gpu.hpp"

static const bool added = memory_benchmark::add_target<tegula::arch::gfx942>();
