#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/draw_palette.hpp>"

#include <tegula/drawing/draw_palette.hpp>
