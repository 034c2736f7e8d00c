#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/conversion_digits.hpp>"

#include <tegula/conversion/conversion_digits.hpp>
