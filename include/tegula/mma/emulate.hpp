#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/emulation/emulate.hpp>"

#include <tegula/mma/emulation/emulate.hpp>
