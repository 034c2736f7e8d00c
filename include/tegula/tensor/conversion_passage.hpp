#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/tensor/conversion_staging.hpp>"

#include <tegula/tensor/conversion_staging.hpp>
