#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/lane_exchange.hpp>"

#include <tegula/conversion/lane_exchange.hpp>
