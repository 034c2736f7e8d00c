#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/choose/choose_tile.hpp>"

#include <tegula/kernel/gemm/choose/choose_tile.hpp>
