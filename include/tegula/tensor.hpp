#pragma once

/// Tensors, tile windows and distributed tensors, and what moves them.

#include <tegula/arch/target.hpp>
#include <tegula/layout.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/tensor_view.hpp>
#include <tegula/tensor/tile_window.hpp>
