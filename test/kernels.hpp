#pragma once

/// Precompiled header of the folders tensor, mma, block and kernel: nearly all their files need these headers.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"
