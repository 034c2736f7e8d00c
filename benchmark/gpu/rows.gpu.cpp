// targets: sm_90a gfx942

#include "rows.hpp"

#if defined(__HIP__)
using target = tegula::arch::gfx942;
#else
using target = tegula::arch::sm_90a;
#endif

static const bool added = gpu_library::add_rows<target, tegula::bfloat16>("bf16");
