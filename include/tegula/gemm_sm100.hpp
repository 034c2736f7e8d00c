#pragma once

/// Matrix products for sm_100a and sm_103a: tensor copies, mbarriers, pairs of blocks, tcgen05.mma into tensor memory,
/// persistent tiles.

#include <tegula/gemm.hpp>
#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
