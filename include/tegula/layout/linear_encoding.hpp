#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/linear_encoding.hpp>"

#include <tegula/notation/linear_encoding.hpp>
