#pragma once

/// Everything kernels are written with. Programs that run them on the emulator add <tegula/emulator.hpp>.

#include <tegula/conversion.hpp>
#include <tegula/gemm.hpp>
#include <tegula/grid.hpp>
#include <tegula/layout.hpp>
#include <tegula/mma.hpp>
#include <tegula/tensor.hpp>
#include <tegula/version.hpp>
