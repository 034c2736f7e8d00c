#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/transform/transforms.hpp>"

#include <tegula/layout/transform/transforms.hpp>
