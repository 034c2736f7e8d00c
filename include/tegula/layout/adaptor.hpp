#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/descriptor/adaptor.hpp>"

#include <tegula/layout/descriptor/adaptor.hpp>
