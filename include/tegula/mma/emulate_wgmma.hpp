#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/emulation/emulate_wgmma.hpp>"

#include <tegula/mma/emulation/emulate_wgmma.hpp>
