#pragma once

/// Runs kernels on a CPU that behaves like a strict GPU.

#include <tegula/emulator/interface.hpp>
#include <tegula/emulator/launch.hpp>
