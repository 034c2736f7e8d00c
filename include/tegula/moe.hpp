#pragma once

/// Mixtures of experts: routing of tokens, sorting by expert, products that gather and scatter rows, and the whole
/// layer.

#include <tegula/kernel/moe/combine.hpp>
#include <tegula/kernel/moe/expert_gemm.hpp>
#include <tegula/kernel/moe/layer.hpp>
#include <tegula/kernel/moe/route.hpp>
#include <tegula/kernel/moe/sort.hpp>
#include <tegula/kernel/moe/tiles.hpp>
