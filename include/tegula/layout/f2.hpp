#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/core/f2.hpp>"

#include <tegula/core/f2.hpp>
