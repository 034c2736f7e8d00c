// An NVIDIA chip's name says its compute capability, and by an "a" that no later chip runs its code.
#include <tegula/chip/chip_info.hpp>

namespace {

using tegula::chip_info;

constexpr bool is_named_by_capability(const chip_info& c)
{
    if (c.vendor != tegula::vendor::nvidia)
        return c.compute_capability == 0 && !c.has_own_code;
    int number = 0;
    const char* digit = c.name + 3; // behind "sm_"
    for (; *digit >= '0' && *digit <= '9'; ++digit)
        number = 10 * number + (*digit - '0');
    return number == c.compute_capability && c.has_own_code == (*digit == 'a');
}

constexpr bool are_named_by_capability()
{
    for (const chip_info* c : tegula::chip::all)
        if (!is_named_by_capability(*c))
            return false;
    return true;
}
static_assert(are_named_by_capability());

} // namespace
