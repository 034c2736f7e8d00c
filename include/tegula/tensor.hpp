#pragma once

/// Tensors, tile windows and distributed tensors, and what moves, combines and rearranges them.

#include <tegula/arch/target.hpp>
#include <tegula/core/functions.hpp>
#include <tegula/core/host_missing.hpp>
#include <tegula/layout.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/arg_reduce.hpp>
#include <tegula/tensor/atomic.hpp>
#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/gather.hpp>
#include <tegula/tensor/masked.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/rearrange.hpp>
#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/replicas.hpp>
#include <tegula/tensor/scan.hpp>
#include <tegula/tensor/serial_region.hpp>
#include <tegula/tensor/sort.hpp>
#include <tegula/tensor/sweep.hpp>
#include <tegula/tensor/target_missing.hpp>
#include <tegula/tensor/tensor_view.hpp>
#include <tegula/tensor/tile_window.hpp>
#include <tegula/tensor/votes.hpp>
#include <tegula/tensor/whole_tile.hpp>
