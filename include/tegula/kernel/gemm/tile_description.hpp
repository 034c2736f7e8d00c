#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/choose/tile_description.hpp>"

#include <tegula/kernel/gemm/choose/tile_description.hpp>
