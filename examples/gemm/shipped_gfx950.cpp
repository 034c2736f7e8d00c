#include "shipped_rows.hpp"

using namespace gemm_example;
using target = tegula::arch::gfx950;

static const bool added = add_shipped_rows<target>(shipped_kernels<target>{});
