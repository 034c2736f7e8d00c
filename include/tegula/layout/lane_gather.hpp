#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/lane_gather.hpp>"

#include <tegula/conversion/lane_gather.hpp>
