#pragma once

/// Convolutions of images with channels innermost, in two and three dimensions, forward and backward, by implicit GEMM.

#include <tegula/kernel/convolution/can_implement.hpp>
#include <tegula/kernel/convolution/im2col.hpp>
#include <tegula/kernel/convolution/operands.hpp>
#include <tegula/kernel/convolution/persistent.hpp>
#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/convolution/shape.hpp>
#include <tegula/kernel/convolution/tiles.hpp>
