#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/linear_algebra.hpp>"

#include <tegula/notation/linear_algebra.hpp>
