#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/drawing/explain.hpp>"

#include <tegula/drawing/explain.hpp>
