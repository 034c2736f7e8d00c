#pragma once

#include <tegula/core/status.hpp>

namespace tegula {

/// A value, or a status with the sentence that explains why there is none.
template <class T>
struct [[nodiscard]] outcome
{
    T value{};
    status error{};

    constexpr outcome(const T& v) : value(v) {}
    constexpr outcome(const status& why) : error(why) {}

    constexpr bool ok() const { return error.ok(); }
    constexpr explicit operator bool() const { return ok(); }
};

/// A status for a valid request that cannot be expressed or carried out; continue its text with <<.
constexpr status obstacle(const char* text) { return status(status_code::unsupported, text); }

} // namespace tegula
