#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/draw.hpp>"

#include <tegula/drawing/draw.hpp>
