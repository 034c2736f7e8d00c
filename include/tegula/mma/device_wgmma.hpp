#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/mma/device/device_wgmma.hpp>"

#include <tegula/mma/device/device_wgmma.hpp>
