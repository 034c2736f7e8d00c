#pragma once

/// Layouts made visible: tables of text, SVG pictures, a page to explore, an explanation in words, and the analysis of
/// sectors and bank conflicts. For programs on the host.

#include <tegula/drawing/analysis.hpp>
#include <tegula/drawing/draw.hpp>
#include <tegula/drawing/draw_ascii.hpp>
#include <tegula/drawing/draw_html.hpp>
#include <tegula/drawing/draw_svg.hpp>
#include <tegula/drawing/explain.hpp>
