#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/draw_svg.hpp>"

#include <tegula/drawing/draw_svg.hpp>
