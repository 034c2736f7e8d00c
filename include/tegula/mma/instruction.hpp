#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/instruction.hpp>"

#include <tegula/mma/table/instruction.hpp>
