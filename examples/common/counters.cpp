#include "counters.hpp"

#include "bad_input.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace examples {

void check_counters(const std::string& path, bool checks, const std::string& device)
{
    if (!path.empty() && !checks)
        throw bad_input("--counters needs the emulator's checks, which count; leave out --checks off");
    if (!path.empty() && (device == "gpu" || device == "cpu"))
        throw bad_input("--counters are the emulator's; take --device emulator");
}

void write_counters(const char* option, const std::string& path, const tegula::emulator::counters& counters)
{
    const nlohmann::ordered_json record = {{"mma_instructions", counters.mma_instructions},
                                           {"shared_load_conflicts", counters.shared_load_conflicts},
                                           {"shared_store_conflicts", counters.shared_store_conflicts},
                                           {"global_loads", counters.global_loads},
                                           {"global_stores", counters.global_stores},
                                           {"global_load_sectors", counters.global_load_sectors},
                                           {"global_store_sectors", counters.global_store_sectors},
                                           {"barriers", counters.barriers},
                                           {"shared_bytes", counters.shared_bytes}};
    std::ofstream file(path);
    file << record.dump(1) << "\n";
    file.close();
    if (!file)
        throw bad_input(std::string(option) + " \"" + path + "\" cannot be written: " + std::strerror(errno));
}

} // namespace examples
