#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/conversion/conversion_plan.hpp>"

#include <tegula/conversion/conversion_plan.hpp>
