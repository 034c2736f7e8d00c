#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/table_amd.hpp>"

#include <tegula/mma/table/table_amd.hpp>
