#pragma once

// The driver and the clock of a GPU, as far as the system tells.

#include <functional>
#include <sstream>
#include <string>

namespace gemm_benchmark {

struct telemetry
{
    std::string driver = "unknown";
    /// The clock of the compute units now; 0 where nothing tells.
    std::function<double()> megahertz = [] { return 0.; };
};

/// By NVML, loaded at run time. `pci_bus` is what the runtime calls it, "0000:1b:00.0".
telemetry nvidia_telemetry(const std::string& pci_bus);
/// By the files of the amdgpu driver under /sys.
telemetry amd_telemetry(const std::string& pci_bus);

/// The clock that the amdgpu driver marks as the present one in the text of pp_dpm_sclk, lines like "1: 1700Mhz *"; 0
/// where none is marked.
inline double marked_megahertz(const std::string& table)
{
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && line.find('*') != std::string::npos) {
            double value = 0;
            std::istringstream(line.substr(colon + 1)) >> value;
            return value;
        }
    }
    return 0;
}

} // namespace gemm_benchmark
