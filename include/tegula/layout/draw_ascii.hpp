#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/draw_ascii.hpp>"

#include <tegula/drawing/draw_ascii.hpp>
