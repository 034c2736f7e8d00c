#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/emulation/slot_value.hpp>"

#include <tegula/mma/emulation/slot_value.hpp>
