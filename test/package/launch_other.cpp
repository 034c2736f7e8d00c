#include "launch.hpp"

bool launch_of_other_source() { return copies(); }
