#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/operand_layout.hpp>"

#include <tegula/mma/table/operand_layout.hpp>
