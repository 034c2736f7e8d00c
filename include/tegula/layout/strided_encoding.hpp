#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/strided_encoding.hpp>"

#include <tegula/notation/strided_encoding.hpp>
