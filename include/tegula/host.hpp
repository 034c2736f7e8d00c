#pragma once

/// Launches of kernels on the emulator and, in a file that nvcc or clang compiles for a GPU, on that GPU, with device
/// memory. Programs and tests compare results with <tegula/reference.hpp>.

#include <tegula/host/block_quantized.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/gpu_runtime.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/product_list.hpp>
#include <tegula/host/tensor_map.hpp>
