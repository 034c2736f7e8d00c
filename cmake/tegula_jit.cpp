// The library tegula_jit: jit.hpp behind the interface in C, with the emulator's engine.

#include <tegula/jit.hpp>
#include <tegula/jit/c_interface.h>

#include <cstring>

struct tegula_jit_kernel
{
    tegula::jit::kernel kernel;
};

namespace {

using namespace tegula;

int answer(const status& s, const std::string& report, char* message, std::size_t size)
{
    const std::string text = s.message() + (report.empty() ? "" : "\n" + report);
    if (message != nullptr && size > 0) {
        const std::size_t n = std::min(text.size(), size - 1);
        std::memcpy(message, text.data(), n);
        message[n] = 0;
    }
    return s ? 0 : static_cast<int>(s.code());
}

std::string text_of(const char* text) { return text == nullptr ? std::string() : text; }

} // namespace

int tegula_jit_get_kernel(const tegula_jit_request* request, tegula_jit_kernel** kernel, char* message, size_t size)
{
    const std::string name = text_of(request->device);
    const std::optional<jit::runs_on> device = jit::find_device(name);
    *kernel = nullptr;
    if (!device)
        return answer(status(status_code::invalid_argument, "the device is \"")
                          << name.c_str() << "\"; it must be emulator, gpu or cpu",
                      {}, message, size);
    const jit::kernel found =
        jit::get_kernel({text_of(request->source), text_of(request->kernel), text_of(request->target), *device});
    if (found)
        *kernel = new tegula_jit_kernel{found};
    return answer(found.state(), {}, message, size);
}

const char* tegula_jit_parameters(const tegula_jit_kernel* kernel) { return kernel->kernel.parameters(); }

namespace {

launch_config config_of(const tegula_jit_launch* launch)
{
    launch_config config;
    config.grid = {launch->grid[0], launch->grid[1], launch->grid[2]};
    config.shared_bytes = launch->shared_bytes;
    if (launch->name != nullptr)
        config.name = launch->name;
    return config;
}

} // namespace

int tegula_jit_check(const tegula_jit_kernel* kernel, const tegula_jit_launch* launch, char* message, size_t size)
{
    return answer(kernel->kernel.check_values(config_of(launch), text_of(launch->types), launch->arguments), {},
                  message, size);
}

long long tegula_jit_blocks(const tegula_jit_kernel* kernel, const tegula_jit_launch* launch)
{
    return kernel->kernel.blocks_of_values(config_of(launch), text_of(launch->types), launch->arguments);
}

int tegula_jit_run(const tegula_jit_kernel* kernel, const tegula_jit_launch* launch, char* message, size_t size)
{
    jit::emulation on;
    on.checks = launch->unchecked == 0;
    for (int i = 0; i < launch->memory_entries; ++i) {
        const tegula_jit_memory& m = launch->memory[i];
        on.memory.push_back({m.begin, m.bytes, m.name, static_cast<jit::memory_entry::access>(m.access)});
    }
    const status s =
        kernel->kernel.launch_values(on, launch->stream, config_of(launch), text_of(launch->types), launch->arguments);
    return answer(s, on.report, message, size);
}

void tegula_jit_release(tegula_jit_kernel* kernel) { delete kernel; }
