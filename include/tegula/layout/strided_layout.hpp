#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/strided_layout.hpp>"

#include <tegula/notation/strided_layout.hpp>
