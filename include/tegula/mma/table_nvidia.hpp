#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/table_nvidia.hpp>"

#include <tegula/mma/table/table_nvidia.hpp>
