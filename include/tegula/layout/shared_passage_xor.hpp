#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/shared_staging_xor.hpp>"

#include <tegula/conversion/shared_staging_xor.hpp>
