#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/strided_linear.hpp>"

#include <tegula/notation/strided_linear.hpp>
