#pragma once

/// The gradients of attention on the CPU that the program runs on:
/// launch(cpu_device, cpu_attention_backward<arch::host>{}, arguments). x86-64 alone. attention_cpu.hpp has no
/// gradients and compiles half a second faster.

#include <tegula/host/cpu_attention_backward.hpp>
