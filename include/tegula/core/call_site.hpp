#pragma once

#include <tegula/core/config.hpp>

#if !TEGULA_DEVICE_PASS && !__has_builtin(__builtin_COLUMN)
#include <source_location>
#endif

namespace tegula {

/// The place of a program from which a primitive is called, as its last parameter:
///
///     TEGULA_INLINE void block_barrier(call_site where = call_site::here());
///
/// The emulator prints the line in reports, and tells two barriers apart by line and column. Empty in a device pass.
/// std::source_location would also keep the function's name, in templates a long string for every instance.
struct call_site
{
#if TEGULA_DEVICE_PASS
    static TEGULA_HOST_DEVICE constexpr call_site here() { return {}; }
#else
    const char* file = nullptr;
    unsigned line = 0;
    unsigned column = 0;

    static constexpr call_site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
#if __has_builtin(__builtin_COLUMN)
                                    unsigned column = __builtin_COLUMN()
#else
                                    unsigned column = std::source_location::current().column()
#endif
    )
    {
        return {file, line, column};
    }
#endif
    friend bool operator==(const call_site&, const call_site&) = default; ///< file names by their address
};

/// An argument together with its call's place, for functions that end with any number of parameters.
template <class T>
struct value_at_call
{
    T value;
    call_site where;

    template <class U>
    constexpr TEGULA_INLINE value_at_call(const U& of, call_site at = call_site::here()) : value(of), where(at)
    {}
};

} // namespace tegula
