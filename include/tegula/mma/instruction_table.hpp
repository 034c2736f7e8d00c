#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/instruction_table.hpp>"

#include <tegula/mma/table/instruction_table.hpp>
