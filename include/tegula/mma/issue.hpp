#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/device/issue.hpp>"

#include <tegula/mma/device/issue.hpp>
