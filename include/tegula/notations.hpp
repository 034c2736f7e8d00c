#pragma once

/// Layouts in other notations than R/H/P/Y: nested layouts, shape:stride layouts, linear layouts over F2 and XOR
/// swizzles, each with its algebra, its text and the conversions that exist. Needs a C++20 host compiler and nothing
/// else.

#include <tegula/core/f2.hpp>
#include <tegula/notation/linear_algebra.hpp>
#include <tegula/notation/linear_encoding.hpp>
#include <tegula/notation/linear_layout.hpp>
#include <tegula/notation/linear_text.hpp>
#include <tegula/notation/nested.hpp>
#include <tegula/notation/nested_from_encoding.hpp>
#include <tegula/notation/nested_layout.hpp>
#include <tegula/notation/nested_operations.hpp>
#include <tegula/notation/strided_algebra.hpp>
#include <tegula/notation/strided_encoding.hpp>
#include <tegula/notation/strided_layout.hpp>
#include <tegula/notation/strided_linear.hpp>
#include <tegula/notation/strided_text.hpp>
#include <tegula/notation/text.hpp>
#include <tegula/notation/type_text.hpp>
#include <tegula/notation/xor_swizzle.hpp>
