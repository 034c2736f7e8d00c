#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/xor_swizzle.hpp>"

#include <tegula/notation/xor_swizzle.hpp>
