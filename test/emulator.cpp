// The emulator, compiled once for all tests.

#include <tegula/emulator/launch_run.hpp>
