#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/shared_staging_padded.hpp>"

#include <tegula/conversion/shared_staging_padded.hpp>
