#include "telemetry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace gemm_benchmark {

namespace {

/// The functions of NVML in use, declared here: its header is not in every toolkit. Values from the NVML API reference.
struct nvml
{
    using device = void*;
    static constexpr int success = 0;
    static constexpr int clock_sm = 1; // NVML_CLOCK_SM

    int (*init)() = nullptr;
    int (*driver_version)(char* text, unsigned length) = nullptr;
    int (*device_by_bus)(const char* bus, device*) = nullptr;
    int (*clock)(device, int kind, unsigned* megahertz) = nullptr;

    bool load()
    {
        void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        if (library == nullptr)
            return false;
        const auto find = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        return find(init, "nvmlInit_v2") && find(driver_version, "nvmlSystemGetDriverVersion") &&
               find(device_by_bus, "nvmlDeviceGetHandleByPciBusId_v2") && find(clock, "nvmlDeviceGetClockInfo") &&
               init() == success;
    }
};

std::string text_of(const std::string& path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

telemetry nvidia_telemetry(const std::string& pci_bus)
{
    telemetry t;
    nvml library;
    nvml::device device = nullptr;
    if (!library.load())
        return t;
    char version[96] = {};
    if (library.driver_version(version, sizeof(version)) == nvml::success)
        t.driver = version;
    if (library.device_by_bus(pci_bus.c_str(), &device) == nvml::success)
        t.megahertz = [library, device] {
            unsigned value = 0;
            return library.clock(device, nvml::clock_sm, &value) == nvml::success ? static_cast<double>(value) : 0.;
        };
    return t;
}

telemetry amd_telemetry(const std::string& pci_bus)
{
    telemetry t;
    std::string bus = pci_bus;
    std::transform(bus.begin(), bus.end(), bus.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string version = text_of("/sys/module/amdgpu/version");
    while (!version.empty() && version.back() == '\n')
        version.pop_back();
    if (!version.empty())
        t.driver = "amdgpu " + version;
    t.megahertz = [bus] { return marked_megahertz(text_of("/sys/bus/pci/devices/" + bus + "/pp_dpm_sclk")); };
    return t;
}

} // namespace gemm_benchmark
