#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/operand_encoding.hpp>"

#include <tegula/mma/table/operand_encoding.hpp>
