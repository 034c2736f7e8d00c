#include "library/tegula_library.h"

#include "library/operations.hpp"

#include <algorithm>
#include <map>

namespace gpu_library {

using tegula::registered;
using tegula::status;

namespace {

thread_local std::string message;

template <class... Parts>
std::string joined(const Parts&... parts)
{
    std::string all;
    (all.append(parts), ...);
    return all;
}

int say(const status& s)
{
    if (!s)
        message = s.message();
    return static_cast<int>(s.code());
}

const kernel& entry(const kernel* k) { return *k; }
const operation& entry(const operation& o) { return o; }

/// The one with that name; null, and a message with the function that names all, if there is none.
template <class T>
auto find(const std::vector<T>& all, const char* name, const char* what, const char* lister)
    -> decltype(&entry(all.front()))
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const T& x) { return entry(x).name == name; });
    if (found != all.end())
        return &entry(*found);
    message = joined("the library has no ", what, " \"", name, "\"; ", lister, "() names all");
    return nullptr;
}

const kernel* find_kernel(const char* name) { return find(registered<kernel*>(), name, "kernel", "tegula_kernels"); }

const operation* find_operation(const char* name)
{
    return find(registered<operation>(), name, "operation", "tegula_operations");
}

int keep(const status& s, starter&& start, void** handle)
{
    if (s)
        *handle = new starter(std::move(start));
    return say(s);
}

std::string describe(const kernel& k)
{
    std::string members; // no name or type has a quote
    for (const member& m : k.members())
        members += joined(members.empty() ? "" : ", ", "{\"name\": \"", m.name, "\", \"type\": \"", m.type,
                          "\", \"at\": ", std::to_string(m.at), ", \"default\": ", m.default_value, "}");
    return joined("{\"name\": \"", k.name, "\", \"kernel\": \"", k.type, "\", \"arguments\": \"", k.arguments,
                  "\", \"bytes\": ", std::to_string(k.bytes), ", \"members\": [", members, "]}");
}

} // namespace

extern "C" {

const char* tegula_message() { return message.c_str(); }

const char* tegula_kernels()
{
    static const std::string names = [] {
        std::vector<std::string> sorted;
        for (const kernel* k : registered<kernel*>())
            sorted.push_back(k->name + "\n");
        std::sort(sorted.begin(), sorted.end());
        std::string all;
        for (const std::string& name : sorted)
            all += name;
        return all;
    }();
    return names.c_str();
}

const char* tegula_describe(const char* name)
{
    static const std::map<std::string, std::string> texts = [] {
        std::map<std::string, std::string> all;
        for (const kernel* k : registered<kernel*>())
            all.emplace(k->name, describe(*k));
        return all;
    }();
    return find_kernel(name) == nullptr ? nullptr : texts.at(name).c_str();
}

int tegula_prepare_kernel(const char* name, const void* arguments, size_t bytes, void** handle)
{
    const kernel* k = find_kernel(name);
    if (k == nullptr)
        return static_cast<int>(tegula::status_code::invalid_argument);
    if (bytes != k->bytes)
        return say(status(tegula::status_code::invalid_argument, name)
                   << ": arguments of " << static_cast<long long>(bytes) << " bytes, where "
                   << static_cast<long long>(k->bytes) << " are expected, a " << k->arguments.c_str());
    starter start;
    const status s = k->prepare(arguments, start);
    return keep(s, std::move(start), handle);
}

const char* tegula_operations()
{
    static const std::string names = [] {
        std::string all;
        for (const operation& o : registered<operation>())
            all += o.name + "\n";
        return all;
    }();
    return names.c_str();
}

long tegula_workspace(const char* name, const long* sizes)
{
    const operation* o = find_operation(name);
    return o == nullptr ? -1 : o->workspace(sizes);
}

int tegula_prepare(const char* name, const long* sizes, void* const* pointers, void** handle)
{
    const operation* o = find_operation(name);
    if (o == nullptr)
        return static_cast<int>(tegula::status_code::invalid_argument);
    starter start;
    const status s = o->prepare(sizes, pointers, start);
    return keep(s, std::move(start), handle);
}

int tegula_start(void* handle, void* stream) { return say((*static_cast<const starter*>(handle))(stream)); }

void tegula_release(void* handle) { delete static_cast<starter*>(handle); }
}

} // namespace gpu_library
