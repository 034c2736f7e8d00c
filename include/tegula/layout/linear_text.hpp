#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/linear_text.hpp>"

#include <tegula/notation/linear_text.hpp>
