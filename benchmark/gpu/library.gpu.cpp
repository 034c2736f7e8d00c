#include "library.hpp"

#include <algorithm>

namespace gpu_library {

std::vector<operation>& operations()
{
    static std::vector<operation> all;
    return all;
}

namespace {

thread_local std::string message;

int say(const tegula::status& s)
{
    if (!s)
        message = s.message();
    return s ? 0 : 1;
}

const operation* find(const char* name)
{
    const auto found =
        std::find_if(operations().begin(), operations().end(), [&](const auto& o) { return o.name == name; });
    if (found != operations().end())
        return &*found;
    message = std::string("the library has no operation \"") + name + "\"; tegula_operations() names all";
    return nullptr;
}

} // namespace

extern "C" {

const char* tegula_message() { return message.c_str(); }

const char* tegula_operations()
{
    static const std::string names = [] {
        std::string all;
        for (const operation& o : operations())
            all += o.name + "\n";
        return all;
    }();
    return names.c_str();
}

long tegula_workspace(const char* name, const long* sizes)
{
    const operation* o = find(name);
    return o == nullptr ? -1 : o->workspace(sizes);
}

int tegula_prepare(const char* name, const long* sizes, void* const* pointers, void** handle)
{
    const operation* o = find(name);
    if (o == nullptr)
        return 1;
    starter start;
    const tegula::status s = o->prepare(sizes, pointers, start);
    if (s)
        *handle = new starter(std::move(start));
    return say(s);
}

int tegula_start(void* handle, void* stream)
{
    tegula::gpu_device device;
    device.stream = static_cast<TEGULA_RUNTIME(Stream_t)>(stream);
    return say((*static_cast<const starter*>(handle))(device));
}

void tegula_release(void* handle) { delete static_cast<starter*>(handle); }
}

} // namespace gpu_library
