#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/strided_algebra.hpp>"

#include <tegula/notation/strided_algebra.hpp>
