#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/host/launch_forms.hpp>"

#include <tegula/host/deprecated.hpp>
#include <tegula/host/launch_forms.hpp>
