#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/device/device_amd.hpp>"

#include <tegula/mma/device/device_amd.hpp>
