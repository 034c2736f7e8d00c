#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/nested.hpp>"

#include <tegula/notation/nested.hpp>
