#pragma once

#include <tegula/emulator/counters.hpp>

#include <string>

namespace examples {

/// Throws bad_input where counters are to be written to `path` of a run that has none; `device` is the option's word.
void check_counters(const std::string& path, bool checks, const std::string& device);

/// Writes what the emulator counted as JSON to the file that `option` names. Throws bad_input.
void write_counters(const char* option, const std::string& path, const tegula::emulator::counters& counters);

} // namespace examples
