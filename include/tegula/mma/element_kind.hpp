#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/element_kind.hpp>"

#include <tegula/mma/table/element_kind.hpp>
