#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/shared_staging.hpp>"

#include <tegula/conversion/deprecated.hpp>
#include <tegula/conversion/shared_staging.hpp>
