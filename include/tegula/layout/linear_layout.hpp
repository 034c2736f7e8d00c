#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/linear_layout.hpp>"

#include <tegula/notation/linear_layout.hpp>
