#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/text.hpp>"

#include <tegula/notation/text.hpp>
