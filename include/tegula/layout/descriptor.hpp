#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/descriptor/descriptor.hpp>"

#include <tegula/layout/descriptor/descriptor.hpp>
