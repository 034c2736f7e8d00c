#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/draw_svg_panel.hpp>"

#include <tegula/drawing/draw_svg_panel.hpp>
