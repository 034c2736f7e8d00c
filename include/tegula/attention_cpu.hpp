#pragma once

/// Attention on the CPU that the program runs on: launch(cpu_device, cpu_attention<arch::host>{}, arguments).
/// x86-64 alone; it needs no compiler flags.

#include <tegula/host/cpu_attention.hpp>
