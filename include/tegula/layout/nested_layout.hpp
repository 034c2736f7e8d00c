#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/nested_layout.hpp>"

#include <tegula/notation/nested_layout.hpp>
