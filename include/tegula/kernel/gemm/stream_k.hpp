#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/stream_k.hpp>"

#include <tegula/kernel/gemm/forms/stream_k.hpp>
