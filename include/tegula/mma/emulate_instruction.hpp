#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/emulation/emulate_instruction.hpp>"

#include <tegula/mma/emulation/emulate_instruction.hpp>
