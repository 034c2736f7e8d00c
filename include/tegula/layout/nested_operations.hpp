#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/nested_operations.hpp>"

#include <tegula/notation/nested_operations.hpp>
