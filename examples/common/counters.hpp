#pragma once

#include <tegula/emulator/counters.hpp>

#include <string>

namespace examples {

/// Writes what the emulator counted as JSON to the file that `option` names. Throws bad_input.
void write_counters(const char* option, const std::string& path, const tegula::emulator::counters& counters);

} // namespace examples
