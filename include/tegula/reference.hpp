#pragma once

/// For programs and tests: references computed in 64 bits with their error bounds, random data, .npy files, conversion
/// plans carried out on the host.

#include <tegula/reference/attention.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/attention_rounding.hpp>
#include <tegula/reference/blocked_product.hpp>
#include <tegula/reference/convolution.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/gemm.hpp>
#include <tegula/reference/npy.hpp>
#include <tegula/reference/npy_header.hpp>
#include <tegula/reference/product_check.hpp>
#include <tegula/reference/random.hpp>
#include <tegula/reference/registry.hpp>
#include <tegula/reference/rows.hpp>
#include <tegula/reference/run_conversion.hpp>
#include <tegula/reference/with_type.hpp>
