#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/host/launch_warp_specialized.hpp>"

#include <tegula/host/deprecated.hpp>
#include <tegula/host/launch_warp_specialized.hpp>
