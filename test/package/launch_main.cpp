// A program of someone else whose two sources both launch kernels on the emulator.
#include "launch.hpp"

bool launch_of_other_source();

int main() { return copies() && launch_of_other_source() ? 0 : 1; }
