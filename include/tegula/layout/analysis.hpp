#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/analysis.hpp>"

#include <tegula/drawing/analysis.hpp>
