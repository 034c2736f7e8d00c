#pragma once

/// What nearly every file of the folders tensor, mma, block and kernel includes, parsed once for all of them: a
/// precompiled header, which no file includes itself.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"
