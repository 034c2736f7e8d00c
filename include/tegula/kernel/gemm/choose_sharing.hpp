#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/choose/choose_splits.hpp>"

#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/deprecated.hpp>
