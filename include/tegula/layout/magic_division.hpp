#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/core/magic_division.hpp>"

#include <tegula/core/magic_division.hpp>
