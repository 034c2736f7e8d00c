#pragma once

/// Layouts in other notations than R/H/P/Y: shape:stride layouts, linear layouts over F2 and XOR swizzles, each with
/// its algebra, its text and the conversions that exist. Needs a C++20 host compiler and nothing else.

#include <tegula/layout/f2.hpp>
#include <tegula/layout/linear_algebra.hpp>
#include <tegula/layout/linear_encoding.hpp>
#include <tegula/layout/linear_layout.hpp>
#include <tegula/layout/linear_text.hpp>
#include <tegula/layout/strided_algebra.hpp>
#include <tegula/layout/strided_encoding.hpp>
#include <tegula/layout/strided_layout.hpp>
#include <tegula/layout/strided_linear.hpp>
#include <tegula/layout/strided_text.hpp>
#include <tegula/layout/xor_swizzle.hpp>
