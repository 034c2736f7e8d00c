#pragma once

/// Warp-specialised matrix products for sm_90a: tensor copies, mbarriers, clusters, wgmma, persistent tiles.

#include <tegula/gemm.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>
