#pragma once

/// Attention on the CPU that the program runs on: cpu_attention<arch::host>(device, arguments). x86-64 alone; it needs no
/// compiler flags.

#include <tegula/host/cpu_attention.hpp>
