#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/descriptor/coordinate.hpp>"

#include <tegula/layout/descriptor/coordinate.hpp>
