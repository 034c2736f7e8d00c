#pragma once

/// Attention on the CPU that the program runs on: cpu_attention<arch::host>(device, arguments). x86-64 alone; no flags are
/// asked of users.

#include <tegula/host/cpu_attention.hpp>
