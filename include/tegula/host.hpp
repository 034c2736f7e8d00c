#pragma once

/// Launches of kernels on the emulator and, in a file that nvcc or clang compiles for a GPU, on that GPU, with device
/// memory. <tegula/reference.hpp> has what programs and tests compare results with.

#include <tegula/host/attention_memory.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/emulated_attention.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/host/emulated_forms.hpp>
#include <tegula/host/emulated_gemm.hpp>
#include <tegula/host/emulated_warp_specialized.hpp>
#include <tegula/host/gemm_memory.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/gpu_runtime.hpp>
#include <tegula/host/holds_pointer.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/launch_append.hpp>
#include <tegula/host/launch_attention.hpp>
#include <tegula/host/launch_attention_backward.hpp>
#include <tegula/host/launch_block_scaled.hpp>
#include <tegula/host/launch_convolution.hpp>
#include <tegula/host/launch_elementwise.hpp>
#include <tegula/host/launch_forms.hpp>
#include <tegula/host/launch_gemm.hpp>
#include <tegula/host/launch_list.hpp>
#include <tegula/host/launch_microscaled.hpp>
#include <tegula/host/launch_moe.hpp>
#include <tegula/host/launch_movement.hpp>
#include <tegula/host/launch_reduction.hpp>
#include <tegula/host/launch_rows.hpp>
#include <tegula/host/launch_scan.hpp>
#include <tegula/host/launch_warp_specialized.hpp>
#include <tegula/host/launch_warp_specialized_attention.hpp>
#include <tegula/host/prologue_memory.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/host/tensor_memory.hpp>
