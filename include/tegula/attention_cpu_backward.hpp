#pragma once

/// The gradients of attention on the CPU that the program runs on: cpu_attention_backward<arch::host>(device, arguments).
/// x86-64 alone.

#include <tegula/host/cpu_attention_backward.hpp>
