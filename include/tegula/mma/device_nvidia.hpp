#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/device/device_nvidia.hpp>"

#include <tegula/mma/device/device_nvidia.hpp>
