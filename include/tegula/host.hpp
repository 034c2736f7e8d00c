#pragma once

/// Around kernels: launches on the emulator and, in a file that nvcc or clang compiles for a GPU, on that GPU; device
/// memory, references and their error bounds, random data, .npy files.

#include <tegula/host/attention_error_bound.hpp>
#include <tegula/host/attention_memory.hpp>
#include <tegula/host/attention_reference.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/blocked_product.hpp>
#include <tegula/host/convolution_reference.hpp>
#include <tegula/host/deprecated.hpp>
#include <tegula/host/emulated_attention.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/host/emulated_forms.hpp>
#include <tegula/host/emulated_gemm.hpp>
#include <tegula/host/emulated_warp_specialized.hpp>
#include <tegula/host/error_bound.hpp>
#include <tegula/host/gemm_memory.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/gpu_runtime.hpp>
#include <tegula/host/holds_pointer.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/launch_attention.hpp>
#include <tegula/host/launch_attention_backward.hpp>
#include <tegula/host/launch_elementwise.hpp>
#include <tegula/host/launch_forms.hpp>
#include <tegula/host/launch_gemm.hpp>
#include <tegula/host/launch_microscaled.hpp>
#include <tegula/host/launch_movement.hpp>
#include <tegula/host/launch_reduction.hpp>
#include <tegula/host/launch_rows.hpp>
#include <tegula/host/launch_scan.hpp>
#include <tegula/host/launch_warp_specialized.hpp>
#include <tegula/host/npy.hpp>
#include <tegula/host/npy_header.hpp>
#include <tegula/host/product_check.hpp>
#include <tegula/host/prologue_memory.hpp>
#include <tegula/host/random.hpp>
#include <tegula/host/reference.hpp>
#include <tegula/host/registry.hpp>
#include <tegula/host/row_reference.hpp>
#include <tegula/host/run_conversion.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/host/tensor_memory.hpp>
#include <tegula/host/with_type.hpp>
