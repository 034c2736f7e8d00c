#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/block/dequantizing_loader.hpp>"

#include <tegula/block/deprecated.hpp>
#include <tegula/block/dequantizing_loader.hpp>
