#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/ldmatrix_staging.hpp>"

#include <tegula/conversion/ldmatrix_staging.hpp>
