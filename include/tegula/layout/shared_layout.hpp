#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/shared/shared_layout.hpp>"

#include <tegula/layout/shared/shared_layout.hpp>
