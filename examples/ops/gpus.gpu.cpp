// One target a compiler is enough: there is no kernel here.

#include "examples/common/find_gpus.hpp"
