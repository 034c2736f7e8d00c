#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/draw_html.hpp>"

#include <tegula/drawing/draw_html.hpp>
