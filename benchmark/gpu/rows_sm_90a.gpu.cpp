// targets: sm_90a

#include "rows.hpp"

using namespace gpu_library;

static const bool added = add_rows<tegula::arch::sm_90a, tegula::bfloat16>("bf16");
