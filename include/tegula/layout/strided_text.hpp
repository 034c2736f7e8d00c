#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/strided_text.hpp>"

#include <tegula/notation/strided_text.hpp>
