#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

}
