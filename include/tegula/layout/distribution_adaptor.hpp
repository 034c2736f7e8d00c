#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/descriptor/distribution_adaptor.hpp>"

#include <tegula/layout/descriptor/distribution_adaptor.hpp>
