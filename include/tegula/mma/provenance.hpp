#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/table/provenance.hpp>"

#include <tegula/mma/table/provenance.hpp>
