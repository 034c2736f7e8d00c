// The emulator, compiled once for all files that run kernels on it.

#define TEGULA_EMULATOR_ELSEWHERE

#include <tegula/emulator/launch_run.hpp>
