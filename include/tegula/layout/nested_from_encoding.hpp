#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/nested_from_encoding.hpp>"

#include <tegula/notation/nested_from_encoding.hpp>
