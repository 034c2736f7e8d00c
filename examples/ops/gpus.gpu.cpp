// One target a compiler is enough: there is no kernel here.
// targets: sm_80 gfx942

#include "examples/common/find_gpus.hpp"
