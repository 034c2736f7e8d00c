#pragma once

#include <tegula/core/call_site.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// Numbers the calls of the program, small enough for the records of accesses. 0: no call, or one past the last
/// number.
class call_sites
{
public:
    std::uint16_t number_of(const call_site& where)
    {
        slot& s = recent_[(reinterpret_cast<std::uintptr_t>(where.file) / 8 + where.line + where.column) % recent];
        if (s.number == 0 || !(s.where == where))
            s = {where, find(where)};
        return s.number;
    }
    const call_site& operator[](std::uint16_t number) const { return all_[number]; }

private:
    static constexpr std::size_t recent = 64;
    struct slot
    {
        call_site where{};
        std::uint16_t number = 0;
    };

    std::uint16_t find(const call_site& where)
    {
        for (std::size_t i = 1; i < all_.size(); ++i)
            if (all_[i] == where)
                return static_cast<std::uint16_t>(i);
        if (where.file == nullptr || all_.size() > 0xffff)
            return 0;
        all_.push_back(where);
        return static_cast<std::uint16_t>(all_.size() - 1);
    }

    std::vector<call_site> all_{1};
    slot recent_[recent]{};
};

/// "kernel.hpp:12", with two folders; empty for no line.
inline std::string line_text(const call_site& where)
{
    if (where.file == nullptr)
        return "";
    const char* from = where.file + std::strlen(where.file);
    for (int folders = 0; from != where.file; --from)
        if (from[-1] == '/' && ++folders > 2)
            break;
    return std::string(from) + ":" + std::to_string(where.line);
}

} // namespace tegula::emulator::detail
