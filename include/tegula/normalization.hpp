#pragma once

/// Kernels on the rows of tensors: softmax, layer and RMS normalisation with fused operations, cross-entropy, each with
/// its gradients; top-k with softmax. launch() of host/launch.hpp starts them.

#include <tegula/kernel/loss/cross_entropy.hpp>
#include <tegula/kernel/normalization/norm.hpp>
#include <tegula/kernel/normalization/norm_backward.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>
#include <tegula/kernel/normalization/softmax.hpp>
#include <tegula/kernel/normalization/softmax_backward.hpp>
#include <tegula/kernel/normalization/topk_softmax.hpp>
