// The emulator's engine, compiled once for all sources of a project that launch kernels. They define
// TEGULA_EMULATOR_ELSEWHERE, as this one does.

#ifndef TEGULA_EMULATOR_ELSEWHERE
#define TEGULA_EMULATOR_ELSEWHERE
#endif

#include <tegula/emulator/launch_run.hpp>
